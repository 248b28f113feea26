import { findPause } from '../audio/production/pause-store.ts';
import type { SegmentCounts } from '../audio/production/produce.ts';
import type { Queries } from '../database/open.ts';
import { type QueueDepth, queueDepths } from '../metrics/store.ts';
import type { QueueItem, QueueState } from './queue-schema.ts';
import type { QueueRow } from './queue-store.ts';

/** The queue as the API and the commands show it. */
export async function queueState(db: Queries, workerCount: number): Promise<QueueState> {
  const pause = await findPause(db);
  const depths = await queueDepths(db);
  const waiting = depths.filter(({ status }) => status === 'pending');
  const main = waiting.filter(({ is_main }) => is_main === 1);
  const [oldest] = waiting.map((depth) => depth.oldest).sort();
  return {
    paused: pause ?? null,
    waiting: sumOf(waiting),
    generating: sumOf(depths) - sumOf(waiting),
    waiting_by_priority: {
      high: sumOf(main.filter(({ priority }) => priority === 'high')),
      normal: sumOf(main.filter(({ priority }) => priority === 'normal')),
      low: sumOf(main.filter(({ priority }) => priority === 'low')),
      further: sumOf(waiting) - sumOf(main),
    },
    oldest_waiting_at: oldest ?? null,
    oldest_waiting_seconds:
      oldest === undefined
        ? null
        : Math.max(0, Math.floor((Date.now() - Date.parse(oldest)) / 1000)),
    workers: workerCount,
  };
}

/** @param segments undefined for one that was not begun */
export function queueItem(row: QueueRow, segments: SegmentCounts | undefined): QueueItem {
  const isMain = row.is_main === 1;
  return {
    audio_id: row.id,
    site: { id: row.site_id, slug: row.site_slug, name: row.site_name },
    post_id: row.external_id,
    title: row.title,
    language: row.language,
    main: isMain,
    voice: { id: row.voice_id, name: row.voice_name },
    status: row.status === 'generating' ? 'generating' : 'pending',
    priority: isMain ? row.priority : null,
    progress_percent: row.progress_percent,
    segments:
      segments === undefined
        ? null
        : { done: segments.done, planned: segments.planned, complete: segments.isPlanned },
    created_at: row.created_at,
    since: row.since,
  };
}

function sumOf(depths: readonly QueueDepth[]): number {
  return depths.reduce((sum, { count }) => sum + count, 0);
}
