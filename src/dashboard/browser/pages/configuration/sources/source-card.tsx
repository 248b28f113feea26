import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { inBackground } from '../../../background.ts';
import { useAction } from '../../../loading.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDialog } from '../../../parts/dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { Notice, ProblemNotice } from '../../../parts/notice.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';
import { counted } from '../../../words.ts';
import { EditSourceDialog } from './edit-source-dialog.tsx';
import { isDue, type Source } from './source.ts';
import { SourceItems } from './source-items.tsx';

interface SourceCardProps {
  readonly source: Source;
  /** Lists anew. */
  readonly reload: () => void;
}

export function SourceCard({ source, reload }: SourceCardProps) {
  const { site, canEdit } = useSite();
  const tell = useToast();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const [hasItems, setHasItems] = useState(false);
  const route = api.sites({ site: part(site.slug) }).sources({ source: source.id });
  const turn = useAction(async () => {
    await ask(route.patch({ enabled: !source.enabled }));
    reload();
    tell(source.enabled ? 'The feed is paused' : 'The feed is fetched again');
  });
  const fetchNow = useAction(async () => {
    await ask(route.fetch.post());
    reload();
  });
  const remove = useAction(async () => {
    await ask(route.delete());
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
          {counted(source.items.posts, 'post')}
          {source.items.waiting > 0 && `, ${source.items.waiting} waiting`}
          {source.items.left_out > 0 && `, ${source.items.left_out} left out`}
        </dd>
        <dt>Fetched</dt>
        <dd>
          {source.last_fetch_at === null ? 'not yet' : <Moment at={source.last_fetch_at} />}
          {source.enabled && source.paused === null && !isDue(source) && (
            <>
              , next <Moment at={source.next_fetch_at} />
            </>
          )}
        </dd>
      </dl>
      <div class="actions">
        {canEdit && source.enabled && (
          <Button isBusy={fetchNow.isRunning} onClick={() => inBackground(fetchNow.run())}>
            Fetch now
          </Button>
        )}
        <Button aria-expanded={hasItems} onClick={() => setHasItems(!hasItems)}>
          {hasItems ? 'Hide the items' : 'Items'}
        </Button>
        {canEdit && (
          <>
            <Button kind="quiet" onClick={() => setOpen('edit')}>
              Change
            </Button>
            <Button kind="quiet" isBusy={turn.isRunning} onClick={() => inBackground(turn.run())}>
              {source.enabled ? 'Pause' : 'Resume'}
            </Button>
            <Button kind="quiet" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </>
        )}
      </div>
      <ProblemNotice problem={fetchNow.problem ?? turn.problem} />
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
        <ConfirmDialog title={`Delete ${name}?`} deed="Delete feed" action={remove} onClose={close}>
          <p>
            Nothing new comes from it, and what waits is not made. Its{' '}
            {counted(source.items.posts, 'post')} {source.items.posts === 1 ? 'stays' : 'stay'}.
          </p>
        </ConfirmDialog>
      )}
    </article>
  );
}

function State({ source }: { readonly source: Source }) {
  if (!source.enabled) return <Badge kind="warning">Paused</Badge>;
  if (source.paused !== null) return <Badge kind="bad">{source.paused}</Badge>;
  if (isDue(source)) return <Badge kind="busy">Being fetched</Badge>;
  return source.problem === null ? (
    <Badge kind="good">On</Badge>
  ) : (
    <Badge kind="bad">Failing</Badge>
  );
}

/** Why nothing, or not all, comes of it. */
function Troubles({ source }: { readonly source: Source }) {
  const { disabled_reason, problem, failure_count, waiting_reason, moved_to } = source;
  return (
    <>
      {disabled_reason !== null && (
        <Notice kind="warning">
          <p>The server paused it: {disabled_reason}.</p>
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
          <p>Items wait: {waiting_reason}.</p>
        </Notice>
      )}
      {moved_to !== null && (
        <Notice>
          <p>
            The feed has moved to <code>{moved_to}</code>: change its address.
          </p>
        </Notice>
      )}
    </>
  );
}
