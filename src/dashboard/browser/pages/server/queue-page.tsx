import type { QueueItem, QueueState } from '../../../../system/schema.ts';
import { api, request } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { Figures } from '../../components/chart.tsx';
import { Collection } from '../../components/collection.tsx';
import { Field } from '../../components/field.tsx';
import { Card, ErrorNotice, Notice, Page, QueryView, RelativeTime, Status } from '../../components/page.tsx';
import { formatBytes, formatCount, formatLanguage, formatNumber, formatTimeSpan } from '../../format.ts';
import { links } from '../../location.ts';
import { runInBackground, useAction, useQuery } from '../../query.ts';

const pollMs = 3_000;

/** The queue of all sites. */
export function QueuePage() {
  const queue = useQuery(readQueue, [], () => pollMs);
  const paused = queue.value?.state.paused ?? null;
  const setPaused = (label: string, value: boolean) => {
    const icon = value ? 'circle-pause' : undefined;
    const run = () => request(() => api.queue.patch({ paused: value }));
    return <ActionButton icon={icon} label={label} run={run} onDone={queue.reload} />;
  };
  const prioritize = useAction(async (audioId: number, priority: PriorityName) => {
    await request(() => api.queue.items({ audio_id: String(audioId) }).patch({ priority }));
    queue.reload();
  });
  return (
    <Page
      title="Queue"
      about="Sites share the workers equally; short texts precede long ones."
      actions={queue.value !== undefined && paused === null && setPaused('Pause queue', true)}
    >
      <div class="stack">
        <ErrorNotice problem={prioritize.problem} />
        {paused !== null && (
          <Notice kind="warning" action={setPaused('Resume queue', false)}>
            <b>The queue is paused</b>, <RelativeTime at={paused.since} /> by {paused.by}. Posts are accepted and wait.
          </Notice>
        )}
        <QueryView of={queue}>
          {(value) => (
            <Card isFlush>
              <QueueFigures {...value} />
            </Card>
          )}
        </QueryView>
        <Collection
          title="Unfinished audio"
          load={(query) => request(() => api.queue.items.get({ query }))}
          dependencies={[prioritize.isRunning]}
          everyMs={() => pollMs}
          limit={50}
          keyOf={({ audio_id }) => audio_id}
          columns={[
            {
              title: 'Post',
              phone: 'main',
              to: ({ site, post_id }) => links.post(site.slug, post_id),
              cell: ({ title, post_id }) => <span class="headline">{title ?? post_id}</span>,
              line: ({ title, site, post_id }) => (title === null ? site.name : `${site.name} · ${post_id}`),
            },
            {
              title: 'Voice',
              phone: 'hidden',
              cell: ({ voice, language, main }) => (
                <>
                  {voice.name}
                  <span class="line">
                    {formatLanguage(language)}
                    {!main && ', extra voice'}
                  </span>
                </>
              ),
            },
            { title: 'Progress', phone: 'line', cell: (item) => <Progress item={item} /> },
            { title: 'Since', phone: 'hidden', at: ({ since }) => since },
            {
              title: 'Priority',
              cell: (item) => (
                <Priority item={item} onChange={(value) => runInBackground(prioritize.run(item.audio_id, value))} />
              ),
            },
          ]}
          empty={{ title: paused === null ? 'All caught up' : 'Nothing waits' }}
        />
      </div>
    </Page>
  );
}

async function readQueue() {
  const [state, { workers }] = await Promise.all([request(() => api.queue.get()), request(() => api.system.get())]);
  return { state, workers };
}

interface QueueFiguresProps {
  readonly state: QueueState;
  readonly workers: readonly { readonly memory_bytes: number }[];
}

function QueueFigures({ state, workers }: QueueFiguresProps) {
  const { generating, waiting, oldest_waiting_seconds: oldest } = state;
  const { high, normal, low, further } = state.waiting_by_priority;
  const extra = further === 0 ? '' : ` · ${further} extra voices`;
  const parts = `${high} high · ${normal} normal · ${low} low${extra}`;
  const memory = workers.reduce((sum, { memory_bytes }) => sum + memory_bytes, 0);
  return (
    <Figures
      of={[
        { name: 'Generating', value: formatNumber(generating) },
        { name: 'Waiting', value: formatNumber(waiting), about: waiting === 0 ? undefined : parts },
        { name: 'Longest wait', value: oldest === null ? '–' : formatTimeSpan(oldest) },
        { name: 'Workers', value: formatNumber(state.workers), about: memory === 0 ? 'idle' : formatBytes(memory) },
      ]}
    />
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

const priorities = { high: 'High', normal: 'Normal', low: 'Low' };
type PriorityName = keyof typeof priorities;

interface PriorityProps {
  readonly item: QueueItem;
  readonly onChange: (priority: PriorityName) => void;
}

function Priority({ item, onChange }: PriorityProps) {
  if (item.priority === null) return <span class="dim">Background</span>;
  return (
    <Field
      label={`Priority of ${item.title ?? item.post_id}`}
      isLabelHidden
      value={item.priority}
      options={priorities}
      onValue={(value) => onChange(value as PriorityName)}
    />
  );
}
