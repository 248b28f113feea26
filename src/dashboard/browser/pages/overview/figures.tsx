import type { ComponentChildren } from 'preact';
import { links } from '../../links.ts';
import { useSite } from '../../site.tsx';
import { countText, spanText } from '../../words.ts';
import type { Overview } from './reading.ts';

/** The quota of the month, and what was listened to in the last seven days. */
export function Figures({ overview }: { readonly overview: Overview }) {
  const { site } = useSite();
  const { posts_used, posts_limit } = overview.quota;
  const analytics = `#${links.ofSite(site.slug, '/analytics')}`;
  return (
    <div class="site-figures">
      <Figure name="New posts" value={countText(posts_used)}>
        {posts_limit === null ? (
          'this month, without limit'
        ) : (
          <>
            of {countText(posts_limit)} this month
            <progress
              aria-label="Posts used of this month's quota"
              max={posts_limit}
              value={posts_used}
            />
          </>
        )}
      </Figure>
      <Figure name="Plays" value={countText(overview.plays)}>
        <a href={analytics}>last 7 days</a>
      </Figure>
      <Figure name="Listening time" value={spanText(overview.heardSeconds)}>
        last 7 days
      </Figure>
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly children: ComponentChildren;
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <dl class="site-figure card">
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      <dd class="of">{children}</dd>
    </dl>
  );
}
