import type { Queries } from '../database/open.ts';
import type { AudioStatus, Priority } from '../database/tables.ts';

/** Unfinished audios of one state and priority. */
export interface QueueDepth {
  readonly status: AudioStatus;
  readonly priority: Priority;
  readonly count: number;
  /** ISO time at which the oldest of them got into its state or was changed. */
  readonly oldest: string;
}

export function queueDepths(db: Queries): Promise<QueueDepth[]> {
  return db
    .selectFrom('audio')
    .select((from) => [
      'status',
      'priority',
      from.fn.countAll<number>().as('count'),
      from.fn.min<string>('updated_at').as('oldest'),
    ])
    .where('status', 'in', ['pending', 'generating'])
    .groupBy(['status', 'priority'])
    .execute();
}
