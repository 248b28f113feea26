import { api, ask } from '../../api.ts';
import { links } from '../../links.ts';
import { useLoaded } from '../../loading.ts';
import { Notice } from '../../parts/notice.tsx';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { standingOf } from '../../standing.ts';
import { counted } from '../../words.ts';
import type { Overview } from './reading.ts';

/** What keeps articles from being heard, and where that is mended. */
export function Problems({ overview }: { readonly overview: Overview }) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const { word, consequence } = standingOf(site);
  const { posts_used, posts_limit, month } = overview.quota;
  const isSpent = posts_limit !== null && posts_used >= posts_limit;
  return (
    <div class="problems">
      {consequence !== undefined && (
        <Notice kind="problem">
          <p>
            <strong>{word}.</strong> {consequence}
          </p>
          {isAdmin ? (
            <p>
              <a href={`#${links.ofSite(site.slug, '/configuration/general')}`}>
                Change it in the configuration
              </a>
            </p>
          ) : (
            <p>An admin of this installation can change it.</p>
          )}
        </Notice>
      )}
      {isSpent && (
        <Notice kind="warning">
          <p>
            All {posts_limit} posts of {month} are used: new English posts are refused until the
            month is over. Corrections and other languages still pass.
          </p>
        </Notice>
      )}
      {overview.failedCount > 0 && (
        <Notice kind="problem">
          <p>
            {overview.hasMoreFailed
              ? `More than ${counted(overview.failedCount, 'post')} have`
              : `${counted(overview.failedCount, 'post')} ${overview.failedCount === 1 ? 'has' : 'have'}`}{' '}
            failed. <a href={`#${links.ofSite(site.slug, '/posts')}`}>See why and try again</a>
          </p>
        </Notice>
      )}
      {isAdmin && <QueueProblem />}
    </div>
  );
}

/** Only admins may ask for the whole queue. */
function QueueProblem() {
  const { value } = useLoaded(() => ask(api.queue.get()), []);
  if (value?.paused == null) return null;
  return (
    <Notice kind="warning">
      <p>
        The queue is paused: what is handed in waits. <a href="#/queue">To the queue</a>
      </p>
    </Notice>
  );
}
