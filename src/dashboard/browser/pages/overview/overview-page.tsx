import { LinkButton } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { links } from '../../links.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { SiteFigures } from './figures.tsx';
import { GettingStarted } from './getting-started.tsx';
import { useHidden } from './hidden.ts';
import { fetchOverview, isInProgress, type Overview } from './overview-api.ts';
import { Problems } from './problems.tsx';
import { RecentPosts } from './recent-posts.tsx';
import './overview.css';

/** Polling intervals; each poll sends six requests. */
const underWayMs = 2_000;
const waitingMs = 5_000;
const quietMs = 30_000;

/** Overview of a site, with setup steps until a page with the player is opened. */
export function OverviewPage() {
  const { site, canEdit } = useSite();
  const overview = useQuery(() => fetchOverview(site.slug), [site.slug], pauseMs);
  const { isHidden, hide } = useHidden(site.id);
  const isStarted = overview.value?.isSeen === true || isHidden;
  return (
    <Page
      title={site.name}
      about={site.domains.join(', ')}
      actions={
        canEdit &&
        isStarted && (
          <LinkButton kind="primary" href={`#${links.ofSite(site.slug, '/new')}`}>
            New post
          </LinkButton>
        )
      }
    >
      <QueryView of={overview}>
        {(value) => (
          <>
            <Problems overview={value} />
            {!value.isSeen && !isHidden && <GettingStarted overview={value} reload={overview.reload} onHide={hide} />}
            {(value.isSeen || value.posts.length > 0) && <SiteFigures overview={value} />}
            {value.posts.length > 0 && <RecentPosts posts={value.posts} />}
          </>
        )}
      </QueryView>
    </Page>
  );
}

function pauseMs(overview: Overview | undefined): number {
  if (overview !== undefined && isInProgress(overview)) return underWayMs;
  return overview?.isSeen === true ? quietMs : waitingMs;
}
