import { api, request, siteRoutes } from '../../api.ts';
import { deletion, type PageAction } from '../../components/actions.tsx';
import { Collection } from '../../components/collection.tsx';
import { formDialog } from '../../components/form.tsx';
import { Status } from '../../components/page.tsx';
import { formatCount, formatNumber, formatRelativeTime } from '../../format.ts';
import { sitesChanged, useSitesVersion } from '../../frame/sites.ts';
import { links, navigate } from '../../location.ts';
import { aboutPlans, planNames, siteStatus } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { extractHost, type SiteDetail } from '../../site.tsx';
import { browserTimeZone, endOfDay } from '../../time-zone.ts';

type ListedSite = Omit<SiteDetail, 'role'>;

/** The sites of the server. */
export function SitesPage() {
  const { showsPlans } = useSession();
  const version = useSitesVersion();
  const deleted = useQuery(() => request(() => api.sites.get({ query: { state: 'deleted' } })), [version]);
  return (
    <Collection
      as="page"
      title="Sites"
      head={() => [{ label: 'Add site', icon: 'plus', kind: 'primary', name: 'add', dialog: addDialog(showsPlans) }]}
      load={(query) => request(() => api.sites.get({ query }))}
      dependencies={[version]}
      limit={50}
      keyOf={({ id }) => id}
      deleted={{ others: 'All', countOf: () => deleted.value?.items.length }}
      columns={[
        {
          title: 'Site',
          phone: 'main',
          to: toPath,
          cell: ({ name }) => name,
          line: ({ domains: [first, ...others] }) => first + (others.length > 0 ? ` and ${others.length} more` : ''),
        },
        { title: 'State', phone: 'line', cell: (site) => <State of={site} /> },
        showsPlans && { title: 'Plan', phone: 'hidden', cell: ({ plan }) => planNames[plan] },
        {
          title: 'Posts',
          align: 'end',
          phone: 'line',
          cell: ({ quota: { posts_total: total, posts_used: used, posts_limit: limit } }) => (
            <>
              {formatCount(total, 'post')}
              {limit !== null && (
                <span class="line">
                  {formatNumber(used)} of {formatNumber(limit)} count this month (English only)
                </span>
              )}
            </>
          ),
        },
      ]}
      actions={(site) => (site.deleted_at === null ? [removal(site)] : [restoration(site), purge(site)])}
      empty={{
        title: 'No sites yet',
        children: 'A site has a name and the hosts of its articles. The next page leads to its first audio.',
      }}
    />
  );
}

/** Adds a site and opens it. */
function addDialog(showsPlans: boolean) {
  return formDialog({
    title: 'Add site',
    initial: { name: '', domains: [] as string[], plan: 'enterprise' as SiteDetail['plan'], trial_ends_at: '' },
    submit: 'Add site',
    fields: {
      name: { label: 'Name', hint: 'Shown to listeners as the artist of every audio.' },
      domains: {
        label: 'Domains',
        input: { rows: 2 },
        hint: 'Host names of your article pages, one per line, for example www.example.org. Only pages on these hosts can show the player; www.example.org and example.org are different hosts. To test on your own machine, add localhost.',
      },
      plan: { label: 'Plan', hint: aboutPlans, options: planNames, isShown: () => showsPlans },
      trial_ends_at: {
        label: 'Trial ends',
        kind: 'date',
        hint: 'Last day of the trial, unless an admin sets the subscription to active. Empty: no trial.',
        isShown: () => showsPlans,
      },
    },
    send: async ({ domains: given, trial_ends_at: trialEnd, ...others }) => {
      const domains = given.flatMap((line) => line.split(/[\s,]+/)).filter((word) => word !== '');
      const trial = trialEnd === '' ? {} : { trial_ends_at: endOfDay(trialEnd) };
      const body = { ...others, ...trial, domains: domains.map(extractHost), time_zone: browserTimeZone };
      const site = await request(() => api.sites.post(body));
      sitesChanged();
      navigate(links.firstListen(site.slug));
    },
  });
}

/** @returns undefined: a deleted site has no page */
function toPath({ slug, deleted_at }: ListedSite): string | undefined {
  return deleted_at === null ? links.site(slug) : undefined;
}

/** Deletes a site, with Undo. */
export function removal(site: Pick<ListedSite, 'id' | 'name' | 'domains'>) {
  const { run, undo, ...action } = deletion('Site', siteRoutes(site.id));
  const change = (act: typeof run) => async () => {
    await act?.();
    sitesChanged();
  };
  return {
    ...action,
    ...{ run: change(run), undo: change(undo), done: `${site.name} deleted` },
    confirm: {
      title: `Delete ${site.name}?`,
      text: (
        <p>
          Its MP3s return 410 at once, and players on {site.domains[0]} show no audio. Its API keys get 401. Until it is
          deleted for good, it can be restored under Sites, Deleted.
        </p>
      ),
    },
  } satisfies PageAction;
}

function restoration(site: ListedSite): PageAction {
  return { label: 'Restore', icon: 'undo-2', run: removal(site).undo, done: `${site.name} restored` };
}

function purge(site: ListedSite): PageAction {
  return {
    label: 'Delete for good',
    icon: 'trash-2',
    isDanger: true,
    confirm: { title: `Delete ${site.name} for good?`, text: <p>Only an earlier backup brings it back.</p> },
    run: async () => {
      await request(() => siteRoutes(site.id).delete(undefined, { query: { permanently: true } }));
      sitesChanged();
    },
    done: `${site.name} deleted for good`,
  };
}

/** Silent when all is well. */
function State({ of }: { readonly of: ListedSite }) {
  if (of.purge_at !== null) return <Status icon="trash-2">Deleted for good {formatRelativeTime(of.purge_at)}</Status>;
  const { tone, label } = siteStatus(of);
  return tone === 'good' ? null : <Status tone={tone}>{label}</Status>;
}
