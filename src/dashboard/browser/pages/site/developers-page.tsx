import { request } from '../../api.ts';
import { LinkButton } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { Page, Status } from '../../components/page.tsx';
import { formatNumber } from '../../format.ts';
import { helpUrl } from '../../frame/destinations.tsx';
import { links } from '../../location.ts';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { lastDays } from '../analytics/analytics.ts';
import { KeysCard } from './keys-card.tsx';
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
          <LinkButton
            icon="code"
            href={`#${links.ofSite(site.slug, '/player?open=embed')}`}
            label="WordPress and others"
          />
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
  const { site, routes } = useSite();
  const { from } = lastDays(shownDays);
  return (
    <Collection
      as="card"
      title="Requests"
      about={`With the keys of this site, in the last ${shownDays} days.`}
      load={async () => (await request(() => routes.analytics.get({ query: { from } }))).requests}
      dependencies={[site.slug]}
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
