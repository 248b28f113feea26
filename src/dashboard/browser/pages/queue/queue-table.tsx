import { Link } from 'wouter-preact';
import type { QueueItem } from '../../../../system/queue-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Progress } from '../../components/progress.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatCount, formatLanguage, formatNumber } from '../../format.ts';
import { links } from '../../links.ts';

type Priority = 'high' | 'normal' | 'low';

interface QueueTableProps {
  readonly items: readonly QueueItem[];
  readonly onPriority: (audioId: number, priority: Priority) => void;
}

export function QueueTable({ items, onPriority }: QueueTableProps) {
  const columns: readonly Column<QueueItem>[] = [
    { title: 'Post', cell: (item) => <PostCell item={item} /> },
    { title: 'Voice', cell: (item) => <VoiceCell item={item} /> },
    { title: 'Progress', cell: (item) => <ProgressCell item={item} /> },
    { title: 'Since', cell: ({ since }) => <RelativeTime at={since} /> },
    { title: 'Priority', cell: (item) => <PriorityCell item={item} onPriority={onPriority} /> },
  ];
  return (
    <div class="queue-items">
      <Table caption="Unfinished audio" rows={items} keyOf={({ audio_id }) => audio_id} columns={columns} />
    </div>
  );
}

function PostCell({ item }: { readonly item: QueueItem }) {
  const { title, post_id, site } = item;
  return (
    <div>
      <Link href={links.post(site.slug, post_id)}>{title ?? post_id}</Link>
      <div class="hint">{title === null ? site.name : `${site.name} · ${post_id}`}</div>
    </div>
  );
}

function VoiceCell({ item }: { readonly item: QueueItem }) {
  return (
    <div>
      {item.voice.name} <span class="hint">{formatLanguage(item.language)}</span>
      {!item.main && <div class="hint">Extra voice</div>}
    </div>
  );
}

function ProgressCell({ item }: { readonly item: QueueItem }) {
  const { segments, status, post_id, title } = item;
  if (status === 'pending') return <State kind="plain">Queued</State>;
  if (segments === null) return <State kind="busy">Planning</State>;
  const { done, planned, complete } = segments;
  if (!complete) {
    return (
      <>
        <State kind="busy">Generating</State>
        <div class="hint">{formatCount(done, 'sentence')} spoken</div>
      </>
    );
  }
  return (
    <div>
      <Progress label={`Progress of ${title ?? post_id}`} percent={Math.floor((100 * done) / Math.max(1, planned))} />
      <div class="hint">
        {formatNumber(done)} of {formatCount(planned, 'sentence')}
      </div>
    </div>
  );
}

function State({ kind, children }: { kind: 'plain' | 'busy'; children: string }) {
  return (
    <div>
      <Badge kind={kind}>{children}</Badge>
    </div>
  );
}

function PriorityCell({ item, onPriority }: Pick<QueueTableProps, 'onPriority'> & { item: QueueItem }) {
  if (item.priority === null) return <span class="hint">Background</span>;
  return (
    <select
      class="priority"
      aria-label={`Priority of ${item.title ?? item.post_id}`}
      value={item.priority}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        if (isPriority(chosen)) onPriority(item.audio_id, chosen);
      }}
    >
      <option value="high">High</option>
      <option value="normal">Normal</option>
      <option value="low">Low</option>
    </select>
  );
}

function isPriority(text: string): text is Priority {
  return ['high', 'normal', 'low'].includes(text);
}
