import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { QueueState } from '../../../../system/queue-schema.ts';
import { api, unwrap } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Figures } from '../../components/figures.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatBytes, formatCount, formatNumber, formatTimeSpan } from '../../format.ts';
import { useAction, useQuery } from '../../query.ts';
import { QueueTable } from './queue-table.tsx';
import './queue.css';

const lookMs = 3_000;
const shownFirst = 50;
const shownMost = 100;

/** The queue of all sites. */
export function QueuePage() {
  const [most, setMost] = useState(shownFirst);
  const queue = useQuery(
    () => readQueue(most),
    [most],
    () => lookMs,
  );
  const pause = useAction(async (paused: boolean) => {
    const state = await unwrap(api.queue.patch({ paused }));
    if (queue.value !== undefined) queue.set({ ...queue.value, state });
  });
  const prioritize = useAction(async (audioId: number, priority: 'high' | 'normal' | 'low') => {
    await unwrap(api.queue.items({ audio_id: String(audioId) }).patch({ priority }));
    queue.reload();
  });
  const isPaused = queue.value?.state.paused !== null;
  return (
    <Page
      title="Queue"
      about="Unfinished audio of all sites. Sites share the workers equally, and short texts go before long ones."
      actions={
        queue.value !== undefined &&
        !isPaused && (
          <Button onClick={() => runInBackground(pause.run(true))} isBusy={pause.isRunning}>
            {' '}
            Pause queue{' '}
          </Button>
        )
      }
    >
      <ErrorNotice problem={pause.problem ?? prioritize.problem} />
      <QueryView of={queue}>
        {({ state, items, hasMore, workers }) => (
          <>
            <PausedNotice state={state} isBusy={pause.isRunning} onResume={() => runInBackground(pause.run(false))} />
            <QueueFigures state={state} workers={workers} />
            <Section title="Queued audio">
              {items.length === 0 ? (
                <NothingWaits isPaused={isPaused} />
              ) : (
                <QueueTable
                  items={items}
                  onPriority={(id, priority) => runInBackground(prioritize.run(id, priority))}
                />
              )}
              {hasMore && most < shownMost && (
                <p class="more">
                  <Button onClick={() => setMost(shownMost)}>Show more</Button>
                </p>
              )}
              {hasMore && most === shownMost && (
                <p class="more hint">
                  The first {shownMost} are shown. To see all posts of a site, open its Posts page.
                </p>
              )}
            </Section>
          </>
        )}
      </QueryView>
    </Page>
  );
}

async function readQueue(most: number) {
  const [state, page, system] = await Promise.all([
    unwrap(api.queue.get()),
    unwrap(api.queue.items.get({ query: { limit: most } })),
    unwrap(api.system.get()),
  ]);
  const { items, next_cursor } = page;
  return { state, items, hasMore: next_cursor !== null, workers: system.workers };
}

interface PausedNoticeProps {
  readonly state: QueueState;
  readonly isBusy: boolean;
  readonly onResume: () => void;
}

function PausedNotice({ state, isBusy, onResume }: PausedNoticeProps) {
  const { paused } = state;
  if (paused === null) return null;
  return (
    <div class="paused">
      <Notice kind="warning">
        <div class="paused-text">
          <p>
            <strong>The queue is paused</strong>, <RelativeTime at={paused.since} /> by {paused.by}.
          </p>
          <p>Posts are still accepted. Synthesis stops until you resume the queue.</p>
        </div>
        <Button kind="primary" onClick={onResume} isBusy={isBusy}>
          {' '}
          Resume queue{' '}
        </Button>
      </Notice>
    </div>
  );
}

interface QueueFiguresProps {
  readonly state: QueueState;
  readonly workers: readonly { readonly pid: number; readonly memory_bytes: number }[];
}

function QueueFigures({ state, workers }: QueueFiguresProps) {
  const { high, normal, low, further } = state.waiting_by_priority;
  const oldest = state.oldest_waiting_seconds;
  const priorities =
    state.waiting === 0
      ? undefined
      : [
          `${formatNumber(high)} high`,
          `${formatNumber(normal)} normal`,
          `${formatNumber(low)} low`,
          ...(further === 0 ? [] : [formatCount(further, 'extra voice')]),
        ].join(' · ');
  return (
    <Figures
      of={[
        { name: 'Generating', value: formatNumber(state.generating) },
        { name: 'Queued', value: formatNumber(state.waiting), about: priorities },
        { name: 'Longest wait', value: oldest === null ? '–' : formatTimeSpan(oldest) },
        { name: 'Workers', value: formatNumber(state.workers), about: memoryText(workers) },
      ]}
    />
  );
}

function memoryText(workers: QueueFiguresProps['workers']): string {
  const known = workers.filter(({ memory_bytes }) => memory_bytes > 0);
  if (known.length === 0) return 'not used yet';
  return `memory ${known.map(({ memory_bytes }) => formatBytes(memory_bytes)).join(', ')}`;
}

function NothingWaits({ isPaused }: { readonly isPaused: boolean }) {
  return (
    <EmptyState title={isPaused ? 'Queue empty' : 'Queue empty: all audio is ready'}>
      <p>A post is listed here until its audio is ready.</p>
      <p>
        To submit a post, use the API, or open one of the <Link href="/sites">sites</Link> and select Posts, then New
        post.
      </p>
    </EmptyState>
  );
}
