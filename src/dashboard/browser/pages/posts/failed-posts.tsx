import { ask } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Card } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount } from '../../format.ts';
import { useLive } from '../../live.ts';
import { useAction, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { changePosts } from './posts-api.ts';

/** Failed posts by reason, each with what may help. */
export function FailedPosts({ onAllDone }: { readonly onAllDone: () => void }) {
  const { site, routes, canEdit } = useSite();
  const tell = useToast();
  const failures = useQuery(() => ask(() => routes.posts.failures.get()), [site.slug]);
  useLive(site.slug, ({ type }) => type !== 'audio' && failures.reload());
  const act = useAction(async (action: 'retry' | 'dismiss', ids: readonly string[]) => {
    await changePosts(site.slug, action, ids);
    tell(`${formatCount(ids.length, 'post')} ${action === 'retry' ? 'queued again' : 'dismissed'}`);
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
                <Button
                  isCompact
                  isBusy={act.isRunning}
                  onClick={() => act.run(retryable ? 'retry' : 'dismiss', post_ids)}
                >
                  {!retryable ? 'No audio needed' : count === 1 ? 'Retry' : `Retry ${post_ids.length}`}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
