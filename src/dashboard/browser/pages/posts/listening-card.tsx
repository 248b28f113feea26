import { CopyLine, PageLink } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { Card, QueryView, Status } from '../../components/page.tsx';
import { formatCount, formatNumber, formatPercent, formatShortDay } from '../../format.ts';
import { links } from '../../location.ts';
import type { Query } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';
import { dayOf } from '../../time-zone.ts';
import type { Analytics } from '../analytics/analytics.ts';
import { isPublicNow, type PostDetail } from './posts-api.ts';

/** Listening of the last seven days. */
export function ListeningCard({ post, of }: { readonly post: PostDetail; readonly of: Query<Analytics> }) {
  const { site } = useSite();
  return (
    <Card
      title="Listening, 7 days"
      actions={
        <PageLink look="link small" to={links.postAnalytics(site.slug, post.post_id)} text="More" subject="listening" />
      }
    >
      <QueryView of={of}>
        {({ totals, retention }) =>
          totals.plays === 0 ? (
            <p class="sub small">Nobody has listened yet.</p>
          ) : (
            <div class="stack tight">
              <p class="row">
                <span>
                  <b class="amount">{formatNumber(totals.plays)}</b>{' '}
                  <span class="dim small">{totals.plays === 1 ? 'play' : 'plays'}</span>
                </span>
                <span>
                  <b class="amount">{formatPercent(totals.completion ?? 0)}</b>{' '}
                  <span class="dim small">to the end</span>
                </span>
              </p>
              <Chart
                label="Share still listening"
                labels={retention.map(({ percent }) => `${percent}%`)}
                values={retention.map(({ share }) => share ?? 0)}
                top={Math.ceil(Math.max(1, ...retention.map(({ share }) => share ?? 0)))}
                format={formatPercent}
                height={120}
              />
              <p class="tiny dim">Share still listening, start to end. A part heard twice counts twice.</p>
            </div>
          )
        }
      </QueryView>
    </Card>
  );
}

/** The embed code, and whether a page has loaded it. */
export function EmbedCard({ post, of }: { readonly post: PostDetail; readonly of: Query<Analytics> }) {
  const { site } = useSite();
  const seen = of.value?.series.findLast(({ loads }) => loads > 0);
  return (
    <Card title="On your page">
      <div class="stack tight">
        <CopyLine label="Embed code" text={playerSnippet({ 'post-id': post.post_id })} />
        {!isPublicNow(post) ? (
          <p class="sub small">The player stays hidden until the post is public.</p>
        ) : seen === undefined ? (
          <p class="sub small">Open your page: this turns green when the player loads.</p>
        ) : (
          <Status tone="good">
            Loaded {formatCount(seen.loads, 'time')} {seen.day === dayOf() ? 'today' : `on ${formatShortDay(seen.day)}`}{' '}
            on {site.domains[0]}
          </Status>
        )}
      </div>
    </Card>
  );
}
