import { request } from '../../api.ts';
import { Card, ErrorNotice } from '../../components/page.tsx';
import { ActionButton } from '../../components/row-actions.tsx';
import { formatCount } from '../../format.ts';
import { useLive } from '../../live.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { changePosts } from './posts-api.ts';

/** Failed posts by reason, each with what may help. */
export function FailedPosts({ onAllDone }: { readonly onAllDone: () => void }) {
  const { site, routes, canEdit } = useSite();
  const failures = useQuery(() => request(() => routes.posts.failures.get()), [site.slug]);
  useLive(site.slug, ({ type }) => type !== 'audio' && failures.reload());
  const items = failures.value?.items ?? [];
  const reload = () => {
    failures.reload();
    if (items.length === 1) onAllDone();
  };
  if (items.length === 0) return <ErrorNotice problem={failures.problem} />;
  return (
    <Card title="Why they failed" isFlush>
      <ul class="rows">
        {items.map(({ reason, count, retryable, post_ids }) => {
          const label = !retryable ? 'No audio needed' : count === 1 ? 'Retry' : `Retry ${post_ids.length}`;
          return (
            <li key={reason}>
              <span class="grow">
                <b>{formatCount(count, 'post')}</b> <span class="sub">{reason ?? 'The reason was not recorded.'}</span>
              </span>
              {canEdit && (
                <ActionButton
                  isCompact
                  label={label}
                  run={() => changePosts(site.slug, retryable ? 'retry' : 'dismiss', post_ids)}
                  done={`${formatCount(post_ids.length, 'post')} ${retryable ? 'queued again' : 'dismissed'}`}
                  onDone={reload}
                />
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
