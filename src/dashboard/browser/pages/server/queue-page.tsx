import type { QueueItem, QueueState } from '../../../../system/queue-schema.ts';
import { api, ask } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField } from '../../components/field.tsx';
import { Figures } from '../../components/figures.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Card, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Status } from '../../components/status.tsx';
import { formatBytes, formatCount, formatLanguage, formatNumber, formatTimeSpan } from '../../format.ts';
import { links } from '../../links.ts';
import { useAction, useQuery } from '../../query.ts';

const pollMs = 3_000;

/** The queue of all sites. */
export function QueuePage() {
  const queue = useQuery(readQueue, [], () => pollMs);
  const pause = useAction(async (paused: boolean) => {
    const state = await ask(() => api.queue.patch({ paused }));
    if (queue.value !== undefined) queue.set({ ...queue.value, state });
  });
  const prioritize = useAction(async (audioId: number, priority: string) => {
    await ask(() => api.queue.items({ audio_id: String(audioId) }).patch({ priority: toPriority(priority) }));
    queue.reload();
  });
  const isPaused = queue.value !== undefined && queue.value.state.paused !== null;
  return (
    <Page
      title="Queue"
      about="Sites share the workers equally, and short texts go before long ones."
      actions={
        queue.value !== undefined &&
        !isPaused && (
          <Button icon="circle-pause" onClick={() => pause.run(true)} isBusy={pause.isRunning}>
            Pause queue
          </Button>
        )
      }
    >
      <div class="stack">
        <ErrorNotice problem={pause.problem ?? prioritize.problem} />
        <QueryView of={queue}>
          {({ state, workers }) => (
            <>
              <PausedNotice state={state} isBusy={pause.isRunning} onResume={() => pause.run(false)} />
              <Card isFlush>
                <QueueFigures state={state} workers={workers} />
              </Card>
            </>
          )}
        </QueryView>
        <Collection
          label="Unfinished audio"
          load={(query) => ask(() => api.queue.items.get({ query }))}
          dependencies={[prioritize.isRunning]}
          everyMs={() => pollMs}
          limit={50}
          keyOf={({ audio_id }) => audio_id}
          href={({ site, post_id }) => links.post(site.slug, post_id)}
          columns={[
            { title: 'Post', phone: 'main', cell: (item) => <Post item={item} /> },
            { title: 'Voice', phone: 'hidden', cell: (item) => <Voice item={item} /> },
            { title: 'Progress', phone: 'line', cell: (item) => <Progress item={item} /> },
            { title: 'Since', phone: 'hidden', align: 'end', cell: ({ since }) => <RelativeTime at={since} /> },
            {
              title: 'Priority',
              cell: (item) => (
                <Priority item={item} onChange={(value) => runInBackground(prioritize.run(item.audio_id, value))} />
              ),
            },
          ]}
          empty={<EmptyState title={isPaused ? 'Nothing waits' : 'All caught up'} />}
        />
      </div>
    </Page>
  );
}

async function readQueue() {
  const [state, { workers }] = await Promise.all([ask(() => api.queue.get()), ask(() => api.system.get())]);
  return { state, workers };
}

interface PausedNoticeProps {
  readonly state: QueueState;
  readonly isBusy: boolean;
  readonly onResume: () => Promise<boolean>;
}

function PausedNotice({ state: { paused }, isBusy, onResume }: PausedNoticeProps) {
  if (paused === null) return null;
  return (
    <Notice kind="warning">
      <div class="row wide wrap">
        <p>
          <b>The queue is paused</b>, <RelativeTime at={paused.since} /> by {paused.by}. Posts are accepted and wait.
        </p>
        <Button onClick={onResume} isBusy={isBusy}>
          Resume queue
        </Button>
      </div>
    </Notice>
  );
}

interface QueueFiguresProps {
  readonly state: QueueState;
  readonly workers: readonly { readonly memory_bytes: number }[];
}

function QueueFigures({ state, workers }: QueueFiguresProps) {
  const { high, normal, low, further } = state.waiting_by_priority;
  const parts = [
    `${high} high`,
    `${normal} normal`,
    `${low} low`,
    ...(further === 0 ? [] : [`${further} extra voices`]),
  ];
  const oldest = state.oldest_waiting_seconds;
  const memory = workers.reduce((sum, { memory_bytes }) => sum + memory_bytes, 0);
  return (
    <Figures
      of={[
        { name: 'Generating', value: formatNumber(state.generating) },
        {
          name: 'Waiting',
          value: formatNumber(state.waiting),
          about: state.waiting === 0 ? undefined : parts.join(' · '),
        },
        { name: 'Longest wait', value: oldest === null ? '–' : formatTimeSpan(oldest) },
        { name: 'Workers', value: formatNumber(state.workers), about: memory === 0 ? 'idle' : formatBytes(memory) },
      ]}
    />
  );
}

function Post({ item: { title, post_id, site } }: { readonly item: QueueItem }) {
  return (
    <>
      <a class="title headline" href={`#${links.post(site.slug, post_id)}`}>
        {title ?? post_id}
      </a>
      <span class="line">{title === null ? site.name : `${site.name} · ${post_id}`}</span>
    </>
  );
}

function Voice({ item: { voice, language, main } }: { readonly item: QueueItem }) {
  return (
    <>
      {voice.name}
      <span class="line">
        {formatLanguage(language)}
        {!main && ', extra voice'}
      </span>
    </>
  );
}

function Progress({ item: { segments, status, post_id, title } }: { readonly item: QueueItem }) {
  if (status === 'pending') return <Status icon="clock">Waiting</Status>;
  if (segments === null) return <Status tone="info">Planning</Status>;
  const { done, planned, complete } = segments;
  if (!complete) return <Status tone="info">Generating, {formatCount(done, 'sentence')}</Status>;
  const percent = Math.floor((100 * done) / Math.max(1, planned));
  return (
    <>
      <Status tone="info">Generating, {percent}%</Status>
      <progress aria-label={`Progress of ${title ?? post_id}`} max={100} value={percent} />
    </>
  );
}

const priorities = [
  { value: 'high', label: 'High' },
  { value: 'normal', label: 'Normal' },
  { value: 'low', label: 'Low' },
];

function Priority({ item, onChange }: { readonly item: QueueItem; readonly onChange: (priority: string) => void }) {
  if (item.priority === null) return <span class="dim">Background</span>;
  return (
    <SelectField
      label={`Priority of ${item.title ?? item.post_id}`}
      isLabelHidden
      value={item.priority}
      options={priorities}
      onValue={onChange}
    />
  );
}

function toPriority(text: string): 'high' | 'normal' | 'low' {
  return text === 'high' || text === 'low' ? text : 'normal';
}
