import { Figures } from '../../components/figures.tsx';
import { formatNumber, formatTimeSpan } from '../../format.ts';
import { links } from '../../links.ts';
import { useSite } from '../../site.tsx';
import type { Overview } from './overview-api.ts';

/** Monthly quota, and listening in the last seven days. */
export function SiteFigures({ overview }: { readonly overview: Overview }) {
  const { site } = useSite();
  const analytics = `#${links.ofSite(site.slug, '/analytics')}`;
  return (
    <Figures
      of={[
        {
          name: 'New posts',
          value: formatNumber(overview.quota.posts_used),
          about: <Quota of={overview.quota} />,
        },
        {
          name: 'Plays',
          value: formatNumber(overview.plays),
          about: <a href={analytics}>last 7 days</a>,
        },
        {
          name: 'Listening time',
          value: formatTimeSpan(overview.heardSeconds),
          about: <a href={analytics}>last 7 days</a>,
        },
      ]}
    />
  );
}

function Quota({ of: { posts_used, posts_limit } }: { readonly of: Overview['quota'] }) {
  if (posts_limit === null) return <>this month, no limit</>;
  return (
    <>
      of {formatNumber(posts_limit)} this month
      <progress aria-label="Posts used of this month's quota" max={posts_limit} value={posts_used} />
    </>
  );
}
