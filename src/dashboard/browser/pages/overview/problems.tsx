import { api, ask } from '../../api.ts';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../format.ts';
import { links } from '../../links.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { siteStatus } from '../../site-status.ts';
import type { Overview } from './overview-api.ts';

/** Problems that prevent playback, with links to the fix. */
export function Problems({ overview }: { readonly overview: Overview }) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const { label, consequence } = siteStatus(site);
  const { posts_used, posts_limit, month } = overview.quota;
  const isSpent = posts_limit !== null && posts_used >= posts_limit;
  return (
    <div class="problems">
      {consequence !== undefined && (
        <Notice kind="problem">
          <p>
            <strong>{label}.</strong> {consequence}
          </p>
          {isAdmin ? (
            <p>
              <a href={`#${links.ofSite(site.slug, '/settings')}`}>Open configuration</a>
            </p>
          ) : (
            <p>An admin of this installation can change it.</p>
          )}
        </Notice>
      )}
      {isSpent && (
        <Notice kind="warning">
          <p>
            The quota of {posts_limit} posts for {month} is used up. New English posts are rejected until next month.
            Updates and other languages are still accepted.
          </p>
        </Notice>
      )}
      {overview.failedCount > 0 && (
        <Notice kind="problem">
          <p>
            {overview.hasMoreFailed
              ? `More than ${formatCount(overview.failedCount, 'post')} have`
              : `${formatCount(overview.failedCount, 'post')} ${overview.failedCount === 1 ? 'has' : 'have'}`}{' '}
            failed. <a href={`#${links.ofSite(site.slug, '/posts')}`}>Show failed posts</a>
          </p>
        </Notice>
      )}
      {isAdmin && <QueueProblem />}
    </div>
  );
}

/** Only admins can read the queue. */
function QueueProblem() {
  const { value } = useQuery(() => ask(() => api.queue.get()), []);
  if (value?.paused == null) return null;
  return (
    <Notice kind="warning">
      <p>
        The queue is paused. Submitted posts stay queued until it is resumed. <a href="#/queue">Open the queue</a>
      </p>
    </Notice>
  );
}
