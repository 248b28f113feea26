import { type DataOf, type ItemOf, publicUrl, request } from '../../api.ts';
import { deletion } from '../../components/actions.tsx';
import { CopyLine, LinkButton } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { formDialog } from '../../components/form.tsx';
import { Notice, Page, Status } from '../../components/page.tsx';
import { formatNumber, formatRelativeTime } from '../../format.ts';
import { helpUrl } from '../../frame/destinations.tsx';
import { links } from '../../location.ts';
import { planNames } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { lastDays } from '../analytics/analytics.ts';
import { WebhooksCard } from './webhooks-card.tsx';

/** For content systems: API keys, webhooks, and the requests of the last days. */
export function DevelopersPage() {
  const { isAdmin } = useSession();
  const { site } = useSite();
  return (
    <Page
      title="Developers"
      about="Connect your content system: it sends articles with a key, and a webhook reports their audio."
      actions={
        <>
          <LinkButton icon="code" to={links.ofSite(site.slug, '/player?open=embed')} label="WordPress and others" />
          <LinkButton icon="book-open" href={helpUrl} label="API reference" />
        </>
      }
    >
      <div class="stack">
        <KeysCard />
        {isAdmin && <WebhooksCard />}
        <Requests />
      </div>
    </Page>
  );
}

const shownDays = 7;

/** Requests with the keys of the site. */
function Requests() {
  const { routes } = useSite();
  const { from } = lastDays(shownDays);
  return (
    <Collection
      as="card"
      title="Requests"
      about={`With the keys of this site, in the last ${shownDays} days.`}
      load={async () => (await request(() => routes.analytics.get({ query: { from } }))).requests}
      keyOf={({ key_id, route, status }) => `${key_id} ${route} ${status}`}
      columns={[
        { title: 'Route', phone: 'main', cell: ({ route }) => <code>{route}</code> },
        { title: 'Key', phone: 'line', cell: ({ key_id, key_name }) => key_name ?? `Key ${key_id}` },
        { title: 'Status', cell: ({ status }) => (status < 400 ? status : <Status tone="bad">{status}</Status>) },
        { title: 'Count', align: 'end', cell: ({ count }) => formatNumber(count) },
      ]}
      empty={{ title: 'No requests yet', children: 'Requests of your content system are counted here.' }}
    />
  );
}

type ApiKey = ItemOf<SiteRoutes['keys']>;
type NewKey = DataOf<SiteRoutes['keys']['post']>;

const shownMax = 100;

/** The API keys of a site. */
function KeysCard() {
  const { site, routes, canEdit } = useSite();
  const create = formDialog({
    title: 'Create API key',
    body: 'CreateKeyBody',
    fields: { name: { label: 'Name', hint: 'Its use: production, staging.' } },
    initial: { name: 'production' },
    submit: 'Create key',
    send: (body) => request(() => routes.keys.post(body)),
    secret: toSecret,
  });
  const rotate = (keys: readonly ApiKey[]) =>
    formDialog({
      title: 'Rotate API keys',
      head: <AboutRotation keys={keys} />,
      body: 'CreateKeyBody',
      fields: { name: { label: 'Name of the new key' } },
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
        <CopyLine label="curl command" text={curlCommand(key)} />
      </details>
    ),
  };
}

const example = {
  post_id: 'first-post',
  post_title: 'Harbor town reopens its lighthouse',
  content:
    'The lighthouse of Port Ellery opened its doors again on Saturday. From now on visitors may climb its 199 steps every day until dusk.',
};

function curlCommand(key: string): string {
  return `curl ${publicUrl}/v1/audio/generate \\
  -H 'X-API-Key: ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(example, null, 2)}'`;
}

function isActive({ revoked_at }: ApiKey): boolean {
  return revoked_at === null;
}

function AboutRotation({ keys }: { readonly keys: readonly ApiKey[] }) {
  return (
    <>
      <p>{keys.length === 1 ? 'This key stops' : `These ${keys.length} keys stop`} working immediately:</p>
      <ul role="list">
        {keys.map((key) => (
          <li key={key.id}>
            <KeyWords apiKey={key} />
          </li>
        ))}
      </ul>
      <p>To avoid an interruption, create a second key first, and revoke the old one afterwards.</p>
    </>
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
