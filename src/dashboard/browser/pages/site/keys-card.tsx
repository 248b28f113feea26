import { useState } from 'preact/hooks';
import { ask } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { DialogButton } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { FormDialog } from '../../components/schema-form.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { Status } from '../../components/status.tsx';
import { formatRelativeTime } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { type SiteDetail, type SiteRoutes, useSite } from '../../site.tsx';
import { generateSnippet } from '../../snippets.ts';

type ApiKey = Awaited<ReturnType<typeof fetchKeys>>['items'][number];

/** The API keys of a site. */
export function KeysCard() {
  const { site, routes, canEdit } = useSite();
  const [made, setMade] = useState<string>();
  const [changes, setChanges] = useState(0);
  const active = useQuery(async () => (await fetchKeys(routes)).items.filter(isActive), [site.slug, changes]);
  const keys = active.value ?? [];
  const onMade = (key: string) => {
    setMade(key);
    setChanges(changes + 1);
  };
  return (
    <Card
      title="API keys"
      about="Treat a key like a password: keep it on your server, never in a page."
      actions={
        canEdit && (
          <>
            {keys.length > 0 && (
              <DialogButton dialog={(onClose) => <RotateKeysDialog keys={keys} onMade={onMade} onClose={onClose} />}>
                Rotate keys
              </DialogButton>
            )}
            <DialogButton
              name="key"
              kind="primary"
              icon="plus"
              dialog={(onClose) => <CreateKeyDialog onMade={onMade} onClose={onClose} />}
            >
              Create key
            </DialogButton>
          </>
        )
      }
      isFlush
    >
      <PlanNotice plan={site.plan} />
      <Collection
        label="API keys"
        load={(query) => fetchKeys(routes, query)}
        dependencies={[site.slug, changes]}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            phone: 'main',
            cell: (key) => (
              <span class="row wrap">
                <span class={isActive(key) ? 'title' : 'title struck'}>{key.name}</span>
                {!isActive(key) && <Status icon="ban">Revoked</Status>}
              </span>
            ),
          },
          { title: 'Begins with', phone: 'line', cell: ({ prefix }) => <code>{prefix}…</code> },
          {
            title: 'Created',
            align: 'end',
            phone: 'hidden',
            cell: ({ created_at }) => <RelativeTime at={created_at} />,
          },
          {
            title: 'Last used',
            align: 'end',
            cell: ({ last_used_at }) => <RelativeTime at={last_used_at} />,
          },
        ]}
        actions={(key) =>
          canEdit && isActive(key)
            ? [
                {
                  label: 'Revoke key',
                  icon: 'ban',
                  isDanger: true,
                  confirm: {
                    title: `Revoke ${key.name}?`,
                    text: <AboutRevoking apiKey={key} isLast={keys.length === 1} />,
                  },
                  run: async () => {
                    await ask(() => routes.keys({ key: key.id }).delete());
                    setChanges(changes + 1);
                  },
                  done: `Key ${key.name} revoked`,
                },
              ]
            : []
        }
        empty={
          <EmptyState title="No API keys yet">
            <p>
              With a key, your content system sends each article to <code>POST /v1/audio/generate</code> when it is
              published or changed.
            </p>
          </EmptyState>
        }
      />
      {made !== undefined && (
        <SecretDialog title="New API key" label="API key" value={made} onClose={() => setMade(undefined)}>
          <details>
            <summary>Try it with curl</summary>
            <CopyLine label="curl command" text={generateSnippet(made)} />
          </details>
        </SecretDialog>
      )}
    </Card>
  );
}

function fetchKeys(routes: SiteRoutes, query: Readonly<Record<string, unknown>> = { limit: 100 }) {
  return ask(() => routes.keys.get({ query: query as { limit: number } }));
}

function isActive({ revoked_at }: ApiKey): boolean {
  return revoked_at === null;
}

function PlanNotice({ plan }: Pick<SiteDetail, 'plan'>) {
  if (plan === 'enterprise') return null;
  return (
    <Notice kind="warning">
      <p>Keys work on the Enterprise plan. This site is on {planNames[plan]}: requests with its keys get 403.</p>
    </Notice>
  );
}

interface MakeProps {
  /** @param key its value, which no later response contains */
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

function CreateKeyDialog({ onMade, onClose }: MakeProps) {
  const { routes } = useSite();
  return (
    <FormDialog<{ name: string }>
      title="Create API key"
      body="POST /v1/sites/{site}/keys"
      fields={[{ name: 'name', label: 'Name', hint: 'What uses it: production, staging.' }]}
      initial={{ name: 'production' }}
      submit="Create key"
      send={async (body) => {
        const { key } = await ask(() => routes.keys.post(body));
        onClose();
        onMade(key);
      }}
      onClose={onClose}
    />
  );
}

function RotateKeysDialog({ keys, onMade, onClose }: MakeProps & { readonly keys: readonly ApiKey[] }) {
  const { routes } = useSite();
  return (
    <FormDialog<{ name: string }>
      title="Rotate API keys"
      head={
        <div class="confirm">
          <p>{keys.length === 1 ? 'This key stops' : `These ${keys.length} keys stop`} working immediately:</p>
          <ul>
            {keys.map((key) => (
              <li key={key.id}>
                <KeyWords apiKey={key} />
              </li>
            ))}
          </ul>
          <p>To avoid an interruption, create a second key first, and revoke the old one afterwards.</p>
        </div>
      }
      body="POST /v1/sites/{site}/rotate-key"
      fields={[{ name: 'name', label: 'Name of the new key' }]}
      initial={{ name: keys[0]?.name ?? 'production' }}
      submit="Rotate keys"
      send={async (body) => {
        const { key } = await ask(() => routes['rotate-key'].post(body));
        onClose();
        onMade(key);
      }}
      onClose={onClose}
    />
  );
}

function AboutRevoking({ apiKey, isLast }: { readonly apiKey: ApiKey; readonly isLast: boolean }) {
  return (
    <>
      <p>
        <KeyWords apiKey={apiKey} /> stops working immediately and for good. Clients that use it get 401.
      </p>
      {isLast && <p>This is the only key of the site: without one, no content system can send articles.</p>}
    </>
  );
}

function KeyWords({ apiKey: { name, prefix, last_used_at } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      <b>{name}</b> (<code>{prefix}…</code>,{' '}
      {last_used_at === null ? 'never used' : `last used ${formatRelativeTime(last_used_at)}`})
    </>
  );
}
