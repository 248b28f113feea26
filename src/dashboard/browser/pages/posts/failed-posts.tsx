import { api, ask, encodeSegment } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Card } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount } from '../../format.ts';
import { useLive } from '../../live.ts';
import { useAction, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { type BulkAction, changePosts } from './posts-api.ts';

/** Failed posts by reason, each with what may help. */
export function FailedPosts({ onAllDone }: { readonly onAllDone: () => void }) {
  const { site, canEdit } = useSite();
  const tell = useToast();
  const route = api.sites({ site: encodeSegment(site.slug) }).posts.failures;
  const failures = useQuery(() => ask(() => route.get()), [site.slug]);
  useLive(site.slug, ({ type }) => type !== 'audio' && failures.reload());
  const act = useAction(async (action: BulkAction, ids: readonly string[]) => {
    await changePosts(site.slug, action, ids);
    tell(
      action === 'retry'
        ? `${formatCount(ids.length, 'post')} queued again`
        : `${formatCount(ids.length, 'post')} dismissed`,
    );
    failures.reload();
    if (failures.value?.items.length === 1) onAllDone();
  });
  const items = failures.value?.items ?? [];
  if (items.length === 0) return <ErrorNotice problem={failures.problem} />;
  return (
    <Card title="Why they failed" isFlush>
      <ErrorNotice problem={act.problem} />
      <ul class="rows">
        {items.map(({ reason, count, retryable, post_ids }) => (
          <li key={reason}>
            <span class="grow">
              <b>{formatCount(count, 'post')}</b> <span class="sub">{reason ?? 'The reason was not recorded.'}</span>
            </span>
            {canEdit && (
              <span class="row">
                {retryable ? (
                  <Button isCompact isBusy={act.isRunning} onClick={() => runInBackground(act.run('retry', post_ids))}>
                    {count === 1 ? 'Retry' : `Retry ${post_ids.length}`}
                  </Button>
                ) : (
                  <Button
                    isCompact
                    isBusy={act.isRunning}
                    onClick={() => runInBackground(act.run('dismiss', post_ids))}
                  >
                    No audio needed
                  </Button>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
