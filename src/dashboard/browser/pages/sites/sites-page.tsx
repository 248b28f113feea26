import { useState } from 'preact/hooks';
import { api, ask } from '../../api.ts';
import { links } from '../../links.ts';
import { useListed } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ListedView } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { planNames } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { standingOf } from '../../standing.ts';
import { countText } from '../../words.ts';
import { SiteForm } from './site-form.tsx';
import './sites.css';

export function SitesPage() {
  const { isAdmin } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const sites = useListed(
    (cursor) =>
      ask(api.sites.get({ query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) } })),
    [],
  );
  const hasSites = (sites.items?.length ?? 0) > 0;
  return (
    <Page
      title="Sites"
      about={hasSites ? 'Each site has its own domains, keys, voices and figures.' : undefined}
      actions={
        isAdmin &&
        hasSites && (
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            Add a site
          </Button>
        )
      }
    >
      <ListedView of={sites} empty={isAdmin ? <FirstSite /> : <NoPart />}>
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
                title: 'State',
                cell: (site) => {
                  const { kind, word } = standingOf(site);
                  return <Badge kind={kind}>{word}</Badge>;
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
      </ListedView>
      {isAdding && (
        <Dialog title="Add a site" onClose={() => setIsAdding(false)}>
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
      {countText(posts_used)}
      {posts_limit !== null && ` of ${countText(posts_limit)}`}
    </>
  );
}

function FirstSite() {
  return (
    <section class="card first-site" aria-labelledby="first-site">
      <h2 id="first-site">Add the site whose articles are to be heard</h2>
      <p class="about">
        Two fields, and the next page leads you to a playing article in about a minute.
      </p>
      <SiteForm />
    </section>
  );
}

function NoPart() {
  return (
    <Empty title="You have no part in a site yet">
      <p>
        An admin of this installation can give you one: as an editor, who hands in posts, or as a
        viewer, who reads along. Ask for it with the e-mail address that you signed in with.
      </p>
    </Empty>
  );
}
