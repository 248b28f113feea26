import { request } from '../../api.ts';
import { ActionMenu, deletion, type PageActions, useActions } from '../../components/actions.tsx';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/dialog.tsx';
import { Form, isFilled, useForm } from '../../components/form.tsx';
import { Card, Chip, RelativeTime, Status } from '../../components/page.tsx';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { extractHost, useSite } from '../../site.tsx';

/** The domains of a site, and those that editors have requested. */
export function DomainsCard() {
  const { site, routes, canEdit, reload } = useSite();
  const { isAdmin } = useSession();
  const pending = useQuery(async () => (await request(() => routes.domains.get())).pending, [site.slug]);
  const reloadAll = () => {
    pending.reload();
    reload();
  };
  const start = useActions();
  const of = (domain: string) => routes.domains({ domain: encodeURIComponent(domain) });
  const [primary] = site.domains;
  const actionsOf = (domain: string): PageActions => [
    domain !== primary && {
      label: 'Make primary',
      icon: 'star',
      run: () => request(() => of(domain).patch({ primary: true })),
      done: `${domain} is the primary domain`,
    },
    deletion('Domain', of(domain), {
      label: 'Remove domain',
      confirm: { title: `Remove ${domain}?`, text: <AboutRemoval domain={domain} /> },
      done: `${domain} removed`,
    }),
  ];
  const decide = (domain: string, label: string, act: 'approve' | 'reject', done: string) => {
    const action = { label, run: () => request(() => of(domain)[act].post()), done: `${domain} ${done}` };
    return <Button isCompact label={label} subject={domain} onClick={() => start(action, reloadAll)} />;
  };
  return (
    <Card
      title="Domains"
      about="Only pages on exactly these hosts show the player. The primary one is the website of the podcast feed."
    >
      <ul role="list" class="rows tight" aria-label="Domains">
        {site.domains.map((domain) => (
          <li key={domain}>
            <span class="grow">
              {domain} {domain === primary && <Chip tone="accent">Primary</Chip>}
            </span>
            {canEdit && site.domains.length > 1 && (
              <ActionMenu label={`More: ${domain}`} isCompact of={actionsOf(domain)} onDone={reloadAll} />
            )}
          </li>
        ))}
        {(pending.value ?? []).map(({ domain, requested_by, requested_at }) => (
          <li key={domain}>
            <span class="grow">
              {domain} <Status tone="warn">Waiting for approval</Status>
              <span class="line">
                {requested_by}, <RelativeTime at={requested_at} />
              </span>
            </span>
            {isAdmin && (
              <span class="actions">
                {decide(domain, 'Reject', 'reject', 'rejected')}
                {decide(domain, 'Approve', 'approve', 'approved')}
              </span>
            )}
          </li>
        ))}
      </ul>
      {canEdit && <AddDomain onDone={reloadAll} />}
    </Card>
  );
}

function AddDomain({ onDone }: { readonly onDone: () => void }) {
  const { routes } = useSite();
  const { isAdmin } = useSession();
  const form = useForm({
    fields: { domain: { label: 'New domain', kind: 'code', placeholder: 'www.example.org' } },
    initial: { domain: '' },
    send: async ({ domain }) => {
      const host = extractHost(domain.trim());
      await request(() => routes.domains.post({ domain: host }));
      toast(isAdmin ? `${host} added` : `${host} requested: an admin must approve it`);
      form.set({ domain: '' });
      onDone();
    },
  });
  const submit = isAdmin ? 'Add domain' : 'Request domain';
  return <Form isInline of={form} submit={submit} kind="secondary" canSubmit={isFilled} />;
}

function AboutRemoval({ domain }: { readonly domain: string }) {
  const { site } = useSite();
  const next = site.domains.find((other) => other !== domain);
  return (
    <>
      <p>Players on pages of {domain} stop working at once. Posts and audio stay.</p>
      {domain === site.domains[0] && <p>{next} becomes the primary domain.</p>}
    </>
  );
}
