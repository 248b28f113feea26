import { useState } from 'preact/hooks';
import { api, unwrap } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { PagedQueryView } from '../../components/query-view.tsx';
import { Table } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import { links } from '../../links.ts';
import { planNames } from '../../plans.ts';
import { usePagedQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { siteStatus } from '../../site-status.ts';
import { SiteForm } from './site-form.tsx';
import './sites.css';

export function SitesPage() {
  const { isAdmin } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const sites = usePagedQuery(
    (cursor) => unwrap(api.sites.get({ query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) } })),
    [],
  );
  const hasSites = (sites.items?.length ?? 0) > 0;
  return (
    <Page
      title="Sites"
      about={hasSites ? 'Each site has its own domains, keys, voices and analytics.' : undefined}
      actions={
        isAdmin &&
        hasSites && (
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            {' '}
            Add site{' '}
          </Button>
        )
      }
    >
      <PagedQueryView of={sites} empty={isAdmin ? <FirstSite /> : <NoPart />}>
        {(items) => (
          <Table
            caption="Sites"
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Site',
                cell: ({ slug, name, domains }) => (
                  <>
                    <a class="site-name" href={`#${links.site(slug)}`}>
                      {name}
                    </a>
                    <Domains domains={domains} />
                  </>
                ),
              },
              { title: 'Plan', cell: ({ plan }) => planNames[plan] },
              {
                title: 'Status',
                cell: (site) => {
                  const { kind, label } = siteStatus(site);
                  return <Badge kind={kind}>{label}</Badge>;
                },
              },
              {
                title: 'Posts this month',
                isNumber: true,
                cell: ({ quota }) => <PostsUsed quota={quota} />,
              },
            ]}
          />
        )}
      </PagedQueryView>
      {isAdding && (
        <Dialog title="Add site" onClose={() => setIsAdding(false)}>
          <SiteForm onCancel={() => setIsAdding(false)} />
        </Dialog>
      )}
    </Page>
  );
}

function Domains({ domains: [primary, ...others] }: { readonly domains: readonly string[] }) {
  return (
    <span class="site-domains">
      {primary}
      {others.length > 0 && ` and ${others.length} more`}
    </span>
  );
}

interface PostsUsedProps {
  readonly quota: { readonly posts_used: number; readonly posts_limit: number | null };
}

function PostsUsed({ quota: { posts_used, posts_limit } }: PostsUsedProps) {
  return (
    <>
      {formatNumber(posts_used)}
      {posts_limit !== null && ` of ${formatNumber(posts_limit)}`}
    </>
  );
}

function FirstSite() {
  return (
    <section class="card first-site" aria-labelledby="first-site">
      <h2 id="first-site">Add your first site</h2>
      <p class="about">Enter a name and a domain. The next page guides you to the first audio.</p>
      <SiteForm />
    </section>
  );
}

function NoPart() {
  return (
    <EmptyState title="No sites yet">
      <p>
        Ask an admin of this installation for a role on a site: editor to submit posts, or viewer to read them. Tell the
        admin your e-mail address.
      </p>
    </EmptyState>
  );
}
