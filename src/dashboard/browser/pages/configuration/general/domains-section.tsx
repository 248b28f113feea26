import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { inBackground } from '../../../background.ts';
import { useAction } from '../../../loading.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDialog } from '../../../parts/dialog.tsx';
import { TextField } from '../../../parts/field.tsx';
import { ProblemNotice } from '../../../parts/notice.tsx';
import { Section } from '../../../parts/page.tsx';
import { Table } from '../../../parts/table.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';
import { hostIn } from '../../sites/host.ts';

/** The hosts whose pages may show the player. */
export function DomainsSection() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const [leaving, setLeaving] = useState<string>();
  const domains = api.sites({ site: part(site.slug) }).domains;
  const makePrimary = useAction(async (domain: string) => {
    await ask(domains({ domain: part(domain) }).patch({ primary: true }));
    tell(`${domain} is the primary domain`);
    reload();
  });
  return (
    <Section
      title="Domains"
      about="Only pages of these hosts may show the player, each exactly as written. The primary one stands for the site in the podcast feed."
    >
      <Table
        caption="Domains"
        rows={site.domains}
        keyOf={(domain) => domain}
        columns={[
          {
            title: 'Domain',
            cell: (domain) => (
              <>
                {domain} {domain === site.domains[0] && <Badge kind="good">Primary</Badge>}
              </>
            ),
          },
          ...(canEdit && site.domains.length > 1
            ? [
                {
                  title: 'Actions',
                  isActions: true,
                  cell: (domain: string) => (
                    <>
                      {domain !== site.domains[0] && (
                        <Button
                          kind="quiet"
                          aria-label={`Make primary: ${domain}`}
                          isBusy={makePrimary.isRunning}
                          onClick={() => inBackground(makePrimary.run(domain))}
                        >
                          Make primary
                        </Button>
                      )}
                      <Button
                        kind="quiet"
                        aria-label={`Remove ${domain}`}
                        onClick={() => setLeaving(domain)}
                      >
                        Remove
                      </Button>
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ProblemNotice problem={makePrimary.problem} />
      {canEdit && <AddDomain />}
      {leaving !== undefined && (
        <RemoveDomain domain={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </Section>
  );
}

function AddDomain() {
  const { site, reload } = useSite();
  const tell = useToast();
  const [domain, setDomain] = useState('');
  const add = useAction(async () => {
    const host = hostIn(domain.trim());
    await ask(api.sites({ site: part(site.slug) }).domains.post({ domain: host }));
    tell(`${host} added`);
    setDomain('');
    reload();
  });
  return (
    <form
      class="inline-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        inBackground(add.run());
      }}
    >
      <TextField
        label="Another domain"
        name="domain"
        placeholder="www.example.org"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        problem={add.problem}
        value={domain}
        onValue={setDomain}
      />
      <Button type="submit" isBusy={add.isRunning} disabled={domain.trim() === ''}>
        Add domain
      </Button>
      <ProblemNotice problem={add.problem} shown={['domain']} />
    </form>
  );
}

function RemoveDomain({
  domain,
  onClose,
}: {
  readonly domain: string;
  readonly onClose: () => void;
}) {
  const { site, reload } = useSite();
  const tell = useToast();
  const remove = useAction(async () => {
    await ask(
      api
        .sites({ site: part(site.slug) })
        .domains({ domain: part(domain) })
        .delete(),
    );
    tell(`${domain} removed`);
    reload();
  });
  const next = site.domains.find((other) => other !== domain);
  return (
    <ConfirmDialog
      title={`Remove ${domain}?`}
      deed="Remove domain"
      action={remove}
      onClose={onClose}
    >
      <p>Players on pages of {domain} find no audio from that moment. Posts and audio stay.</p>
      {domain === site.domains[0] && <p>{next} becomes the primary domain.</p>}
    </ConfirmDialog>
  );
}
