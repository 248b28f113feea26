import { type DataOf, type ItemOf, request } from '../../api.ts';
import { deletion } from '../../components/actions.tsx';
import { CopyLine } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { formDialog } from '../../components/form.tsx';
import { Notice, Status } from '../../components/page.tsx';
import { formatRelativeTime } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { generateSnippet } from '../../snippets.ts';

type ApiKey = ItemOf<SiteRoutes['keys']>;
type NewKey = DataOf<SiteRoutes['keys']['post']>;

const shownMax = 100;

/** The API keys of a site. */
export function KeysCard() {
  const { site, routes, canEdit } = useSite();
  const create = formDialog<{ name: string }, NewKey>({
    title: 'Create API key',
    body: 'POST /v1/sites/{site}/keys',
    fields: [{ name: 'name', label: 'Name', hint: 'Its use: production, staging.' }],
    initial: { name: 'production' },
    submit: 'Create key',
    send: (body) => request(() => routes.keys.post(body)),
    secret: toSecret,
  });
  const rotate = (keys: readonly ApiKey[]) =>
    formDialog<{ name: string }, NewKey>({
      title: 'Rotate API keys',
      head: <AboutRotation keys={keys} />,
      body: 'POST /v1/sites/{site}/rotate-key',
      fields: [{ name: 'name', label: 'Name of the new key' }],
      initial: { name: keys[0]?.name ?? 'production' },
      submit: 'Rotate keys',
      send: (body) => request(() => routes['rotate-key'].post(body)),
      secret: toSecret,
    });
  return (
    <Collection
      as="card"
      title="API keys"
      about="Treat a key like a password: keep it on your server, never in a page."
      load={(query) => request(() => routes.keys.get({ query }))}
      dependencies={[site.slug]}
      limit={shownMax}
      keyOf={({ id }) => id}
      head={(keys) => [
        canEdit && keys.some(isActive) && { label: 'Rotate keys', dialog: rotate(keys.filter(isActive)) },
        canEdit && { label: 'Create key', icon: 'plus', kind: 'primary', name: 'key', dialog: create },
      ]}
      above={
        site.plan !== 'enterprise' && (
          <Notice kind="warning">
            Keys work on the Enterprise plan. This site is on {planNames[site.plan]}: requests with its keys get 403.
          </Notice>
        )
      }
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
        { title: 'Created', phone: 'hidden', at: ({ created_at }) => created_at },
        { title: 'Last used', at: ({ last_used_at }) => last_used_at },
      ]}
      actions={(key, keys) => [
        canEdit &&
          isActive(key) &&
          deletion('Key', routes.keys({ key: key.id }), {
            label: 'Revoke key',
            icon: 'ban',
            confirm: {
              title: `Revoke ${key.name}?`,
              text: <AboutRevoking apiKey={key} isLast={keys.filter(isActive).length === 1} />,
            },
            done: `Key ${key.name} revoked`,
          }),
      ]}
      empty={{
        title: 'No API keys yet',
        children: (
          <p>
            With a key, your content system sends each article to <code>POST /v1/audio/generate</code> when it is
            published or changed.
          </p>
        ),
      }}
    />
  );
}

function toSecret({ key }: Pick<NewKey, 'key'>) {
  return {
    title: 'New API key',
    label: 'API key',
    value: key,
    children: (
      <details>
        <summary>Try it with curl</summary>
        <CopyLine label="curl command" text={generateSnippet(key)} />
      </details>
    ),
  };
}

function isActive({ revoked_at }: ApiKey): boolean {
  return revoked_at === null;
}

function AboutRotation({ keys }: { readonly keys: readonly ApiKey[] }) {
  return (
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
  );
}

function AboutRevoking({ apiKey, isLast }: { readonly apiKey: ApiKey; readonly isLast: boolean }) {
  return (
    <>
      <p>
        <KeyWords apiKey={apiKey} /> stops working immediately. Clients that use it get 401.
      </p>
      {isLast && <p>This is the only key of the site: without one, no content system can send articles.</p>}
    </>
  );
}

function KeyWords({ apiKey: { name, prefix, last_used_at } }: { readonly apiKey: ApiKey }) {
  const use = last_used_at === null ? 'never used' : `last used ${formatRelativeTime(last_used_at)}`;
  return (
    <>
      <b>{name}</b> (<code>{prefix}…</code>, {use})
    </>
  );
}
