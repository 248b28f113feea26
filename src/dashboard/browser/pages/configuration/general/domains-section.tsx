import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { runInBackground } from '../../../background.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Card } from '../../../components/page.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { Table } from '../../../components/table.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction, useQuery } from '../../../query.ts';
import { useSession } from '../../../session.tsx';
import { useSite } from '../../../site.tsx';
import { extractHost } from '../../server/host.ts';

/** The domains of a site. */
export function DomainsSection() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const [leaving, setLeaving] = useState<string>();
  const domains = api.sites({ site: encodeSegment(site.slug) }).domains;
  const pending = useQuery(async () => (await ask(() => domains.get())).pending, [site.slug]);
  const reloadAll = () => {
    pending.reload();
    reload();
  };
  const makePrimary = useAction(async (domain: string) => {
    await ask(() => domains({ domain: encodeSegment(domain) }).patch({ primary: true }));
    tell(`${domain} is the primary domain`);
    reload();
  });
  return (
    <Card
      title="Domains"
      about="Only pages on these hosts can show the player. Host names must match exactly. The primary domain represents the site in the podcast feed."
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
                          onClick={() => runInBackground(makePrimary.run(domain))}
                        >
                          Make primary
                        </Button>
                      )}
                      <Button kind="quiet" aria-label={`Remove ${domain}`} onClick={() => setLeaving(domain)}>
                        Remove
                      </Button>
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ErrorNotice problem={makePrimary.problem} />
      <PendingDomains pending={pending.value ?? []} onDone={reloadAll} />
      {canEdit && <AddDomain onDone={reloadAll} />}
      {leaving !== undefined && <RemoveDomain domain={leaving} onClose={() => setLeaving(undefined)} />}
    </Card>
  );
}

interface PendingDomain {
  readonly domain: string;
  readonly requested_by: string;
  readonly requested_at: string;
}

interface PendingDomainsProps {
  readonly pending: readonly PendingDomain[];
  readonly onDone: () => void;
}

/** Domains that editors have requested. */
function PendingDomains({ pending, onDone }: PendingDomainsProps) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const tell = useToast();
  const ofSite = api.sites({ site: encodeSegment(site.slug) }).domains;
  const resolve = useAction(async (domain: string, resolution: 'approve' | 'reject') => {
    await ask(() => ofSite({ domain: encodeSegment(domain) })[resolution].post());
    tell(`${domain} ${resolution === 'approve' ? 'approved' : 'rejected'}`);
    onDone();
  });
  if (pending.length === 0) return null;
  const button = (label: string, domain: string, resolution: 'approve' | 'reject') => (
    <Button
      kind="quiet"
      aria-label={`${label} ${domain}`}
      isBusy={resolve.isRunning}
      onClick={() => runInBackground(resolve.run(domain, resolution))}
    >
      {label}
    </Button>
  );
  return (
    <>
      <Table
        caption="Requested domains"
        rows={pending}
        keyOf={({ domain }) => domain}
        columns={[
          {
            title: 'Requested domain',
            cell: ({ domain }) => (
              <>
                {domain} <Badge kind="warning">Waiting for approval</Badge>
              </>
            ),
          },
          { title: 'Requested by', cell: ({ requested_by }) => requested_by },
          { title: 'Requested', cell: ({ requested_at }) => <RelativeTime at={requested_at} /> },
          ...(isAdmin
            ? [
                {
                  title: 'Actions',
                  isActions: true,
                  cell: ({ domain }: PendingDomain) => (
                    <>
                      {button('Approve', domain, 'approve')}
                      {button('Reject', domain, 'reject')}
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ErrorNotice problem={resolve.problem} />
    </>
  );
}

function AddDomain({ onDone }: { readonly onDone: () => void }) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const tell = useToast();
  const [domain, setDomain] = useState('');
  const add = useAction(async () => {
    const host = extractHost(domain.trim());
    await ask(() => api.sites({ site: encodeSegment(site.slug) }).domains.post({ domain: host }));
    tell(isAdmin ? `${host} added` : `${host} requested: an admin must approve it`);
    setDomain('');
    onDone();
  });
  return (
    <form
      class="inline-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        runInBackground(add.run());
      }}
    >
      <TextField
        label="New domain"
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
        {isAdmin ? 'Add domain' : 'Request domain'}
      </Button>
      <ErrorNotice problem={add.problem} shown={['domain']} />
    </form>
  );
}

function RemoveDomain({ domain, onClose }: { readonly domain: string; readonly onClose: () => void }) {
  const { site, reload } = useSite();
  const tell = useToast();
  const remove = useAction(async () => {
    await ask(() =>
      api
        .sites({ site: encodeSegment(site.slug) })
        .domains({ domain: encodeSegment(domain) })
        .delete(),
    );
    tell(`${domain} removed`);
    reload();
  });
  const next = site.domains.find((other) => other !== domain);
  return (
    <ConfirmDialog title={`Remove ${domain}?`} confirmLabel="Remove domain" action={remove} onClose={onClose}>
      <p>Players on pages of {domain} stop working immediately. Posts and audio are kept.</p>
      {domain === site.domains[0] && <p>{next} becomes the primary domain.</p>}
    </ConfirmDialog>
  );
}
