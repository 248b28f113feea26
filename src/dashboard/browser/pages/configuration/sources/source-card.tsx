import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { runInBackground } from '../../../background.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { formatCount } from '../../../format.ts';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { EditSourceDialog } from './edit-source-dialog.tsx';
import { isDue, type Source } from './source.ts';
import { SourceItems } from './source-items.tsx';

interface SourceCardProps {
  readonly source: Source;
  /** Reloads the list. */
  readonly reload: () => void;
}

export function SourceCard({ source, reload }: SourceCardProps) {
  const { site, canEdit } = useSite();
  const tell = useToast();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const [hasItems, setHasItems] = useState(false);
  const route = api.sites({ site: encodeSegment(site.slug) }).sources({ source: source.id });
  const turn = useAction(async () => {
    await ask(() => route.patch({ enabled: !source.enabled }));
    reload();
    tell(source.enabled ? 'Feed paused' : 'Feed resumed');
  });
  const fetchNow = useAction(async () => {
    await ask(() => route.fetch.post());
    reload();
  });
  const remove = useAction(async () => {
    await ask(() => route.delete());
    tell('Feed deleted');
    reload();
  });
  const close = () => setOpen(undefined);
  const name = source.title ?? source.url;
  return (
    <article class="card source" aria-label={name}>
      <header>
        <div>
          <h3>{name}</h3>
          <p class="hint">
            <code>{source.url}</code>
          </p>
        </div>
        <State source={source} />
      </header>
      <Troubles source={source} />
      <dl class="facts">
        <dt>Items</dt>
        <dd>
          {formatCount(source.items.posts, 'post')}
          {source.items.waiting > 0 && `, ${source.items.waiting} waiting`}
          {source.items.left_out > 0 && `, ${source.items.left_out} excluded`}
        </dd>
        <dt>Fetched</dt>
        <dd>
          {source.last_fetch_at === null ? 'never' : <RelativeTime at={source.last_fetch_at} />}
          {source.enabled && source.paused === null && !isDue(source) && (
            <>
              , next <RelativeTime at={source.next_fetch_at} />
            </>
          )}
        </dd>
      </dl>
      <div class="actions">
        {canEdit && source.enabled && (
          <Button isBusy={fetchNow.isRunning} onClick={() => runInBackground(fetchNow.run())}>
            Fetch now
          </Button>
        )}
        <Button aria-expanded={hasItems} onClick={() => setHasItems(!hasItems)}>
          {hasItems ? 'Hide items' : 'Show items'}
        </Button>
        {canEdit && (
          <>
            <Button kind="quiet" onClick={() => setOpen('edit')}>
              {' '}
              Edit{' '}
            </Button>
            <Button kind="quiet" isBusy={turn.isRunning} onClick={() => runInBackground(turn.run())}>
              {source.enabled ? 'Pause' : 'Resume'}
            </Button>
            <Button kind="quiet" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </>
        )}
      </div>
      <ErrorNotice problem={fetchNow.problem ?? turn.problem} />
      {hasItems && <SourceItems sourceId={source.id} fetchedAt={source.last_fetch_at} />}
      {open === 'edit' && (
        <EditSourceDialog
          source={source}
          onChanged={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog title={`Delete ${name}?`} confirmLabel="Delete feed" action={remove} onClose={close}>
          <p>
            No new items are fetched, and waiting items are discarded. {formatCount(source.items.posts, 'post')}{' '}
            {source.items.posts === 1 ? 'is' : 'are'} kept.
          </p>
        </ConfirmDialog>
      )}
    </article>
  );
}

function State({ source }: { readonly source: Source }) {
  if (!source.enabled) return <Badge kind="warning">Paused</Badge>;
  if (source.paused !== null) return <Badge kind="bad">{source.paused}</Badge>;
  if (isDue(source)) return <Badge kind="busy">Fetching</Badge>;
  return source.problem === null ? <Badge kind="good">Active</Badge> : <Badge kind="bad">Failing</Badge>;
}

/** Problems of a source. */
function Troubles({ source }: { readonly source: Source }) {
  const { disabled_reason, problem, failure_count, waiting_reason, moved_to } = source;
  return (
    <>
      {disabled_reason !== null && (
        <Notice kind="warning">
          <p>Paused by the server: {disabled_reason}.</p>
        </Notice>
      )}
      {problem !== null && (
        <Notice kind="problem">
          <p>
            The last fetch failed: {problem}
            {failure_count > 1 && ` (${failure_count} times in a row)`}.
          </p>
        </Notice>
      )}
      {waiting_reason !== null && (
        <Notice>
          <p>Items are waiting: {waiting_reason}.</p>
        </Notice>
      )}
      {moved_to !== null && (
        <Notice>
          <p>
            The feed has moved to <code>{moved_to}</code>: update the feed URL.
          </p>
        </Notice>
      )}
    </>
  );
}
