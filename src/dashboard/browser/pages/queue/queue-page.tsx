import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { QueueState } from '../../../../system/queue-schema.ts';
import { api, ask } from '../../api.ts';
import { inBackground } from '../../background.ts';
import { useAction, useLoaded } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Figures } from '../../parts/figures.tsx';
import { LoadedView } from '../../parts/list.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Notice, ProblemNotice } from '../../parts/notice.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { bytesText, counted, countText, spanText } from '../../words.ts';
import { QueueTable } from './queue-table.tsx';
import './queue.css';

const lookMs = 3_000;
const shownFirst = 50;
const shownMost = 100;

/** What waits to be spoken, on all sites. */
export function QueuePage() {
  const [most, setMost] = useState(shownFirst);
  const queue = useLoaded(
    () => readQueue(most),
    [most],
    () => lookMs,
  );
  const pause = useAction(async (paused: boolean) => {
    const state = await ask(api.queue.patch({ paused }));
    if (queue.value !== undefined) queue.set({ ...queue.value, state });
  });
  const prioritize = useAction(async (audioId: number, priority: 'high' | 'normal' | 'low') => {
    await ask(api.queue.items({ audio_id: String(audioId) }).patch({ priority }));
    queue.reload();
  });
  const isPaused = queue.value?.state.paused !== null;
  return (
    <Page
      title="Queue"
      about="What waits to be spoken, on all sites. Sites share the workers equally, and short texts go before long ones."
      actions={
        queue.value !== undefined &&
        !isPaused && (
          <Button onClick={() => inBackground(pause.run(true))} isBusy={pause.isRunning}>
            Pause
          </Button>
        )
      }
    >
      <ProblemNotice problem={pause.problem ?? prioritize.problem} />
      <LoadedView of={queue}>
        {({ state, items, hasMore, workers }) => (
          <>
            <PausedNotice
              state={state}
              isBusy={pause.isRunning}
              onResume={() => inBackground(pause.run(false))}
            />
            <QueueFigures state={state} workers={workers} />
            <Section title="In the queue">
              {items.length === 0 ? (
                <NothingWaits isPaused={isPaused} />
              ) : (
                <QueueTable
                  items={items}
                  onPriority={(id, priority) => inBackground(prioritize.run(id, priority))}
                />
              )}
              {hasMore && most < shownMost && (
                <p class="more">
                  <Button onClick={() => setMost(shownMost)}>Show more</Button>
                </p>
              )}
              {hasMore && most === shownMost && (
                <p class="more hint">
                  The first {shownMost} are shown. All posts of a site are under its Posts.
                </p>
              )}
            </Section>
          </>
        )}
      </LoadedView>
    </Page>
  );
}

async function readQueue(most: number) {
  const [state, page, system] = await Promise.all([
    ask(api.queue.get()),
    ask(api.queue.items.get({ query: { limit: most } })),
    ask(api.system.get()),
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
            <strong>The queue is paused</strong>, <Moment at={paused.since} /> by {paused.by}.
          </p>
          <p>Posts are still taken. No further sentence is spoken until you resume.</p>
        </div>
        <Button kind="primary" onClick={onResume} isBusy={isBusy}>
          Resume
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
          `${countText(high)} high`,
          `${countText(normal)} normal`,
          `${countText(low)} low`,
          ...(further === 0 ? [] : [counted(further, 'further voice')]),
        ].join(' · ');
  return (
    <Figures
      of={[
        { name: 'Being made', value: countText(state.generating) },
        { name: 'Waiting', value: countText(state.waiting), about: priorities },
        { name: 'Longest wait', value: oldest === null ? '–' : spanText(oldest) },
        { name: 'Workers', value: countText(state.workers), about: memoryText(workers) },
      ]}
    />
  );
}

function memoryText(workers: QueueFiguresProps['workers']): string {
  const known = workers.filter(({ memory_bytes }) => memory_bytes > 0);
  if (known.length === 0) return 'idle so far';
  return `memory ${known.map(({ memory_bytes }) => bytesText(memory_bytes)).join(', ')}`;
}

function NothingWaits({ isPaused }: { readonly isPaused: boolean }) {
  return (
    <Empty title={isPaused ? 'Nothing waits' : 'Nothing waits: all audio is made'}>
      <p>A post stands here from the moment it is handed in until its audio is ready.</p>
      <p>
        Posts come by the API, or by hand: choose one of the <Link href="/sites">sites</Link>, then
        Posts and New post.
      </p>
    </Empty>
  );
}
