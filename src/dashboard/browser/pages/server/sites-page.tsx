import { api, request } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Status } from '../../components/page.tsx';
import { formatCount, formatNumber } from '../../format.ts';
import { links } from '../../location.ts';
import { planNames, type SiteStatus, siteStatus } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { SiteForm } from './site-form.tsx';

const tones = { good: 'good', busy: 'plain', bad: 'bad' } as const;

/** The sites of the server. */
export function SitesPage() {
  const { showsPlans } = useSession();
  const add = ({ onClose }: DialogHandlers) => (
    <Dialog title="Add site" onClose={onClose}>
      <SiteForm onCancel={onClose} />
    </Dialog>
  );
  return (
    <Collection
      as="page"
      title="Sites"
      head={() => [{ label: 'Add site', icon: 'plus', kind: 'primary', name: 'add', dialog: add }]}
      load={(query) => request(() => api.sites.get({ query }))}
      limit={50}
      keyOf={({ id }) => id}
      href={({ slug }) => links.site(slug)}
      columns={[
        {
          title: 'Site',
          phone: 'main',
          to: ({ slug }) => links.site(slug),
          cell: ({ name }) => name,
          line: ({ domains: [first, ...others] }) => first + (others.length > 0 ? ` and ${others.length} more` : ''),
        },
        { title: 'State', phone: 'line', cell: (site) => <State of={siteStatus(site)} /> },
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
      empty={<FirstSite />}
    />
  );
}

/** Silent when all is well. */
function State({ of: { kind, label } }: { readonly of: SiteStatus }) {
  return kind === 'good' ? null : <Status tone={tones[kind]}>{label}</Status>;
}

function FirstSite() {
  return (
    <section class="body" aria-labelledby="first-site">
      <h2 id="first-site">Add your first site</h2>
      <p class="sub">A name and a domain. The next page leads to the first audio.</p>
      <div class="narrow">
        <SiteForm />
      </div>
    </section>
  );
}
