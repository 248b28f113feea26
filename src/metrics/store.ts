import { sql } from 'kysely';
import type { Queries } from '../database/open.ts';
import type { AudioStatus, Priority } from '../database/tables.ts';

/** Unfinished audios of one state and priority, further voices apart. */
export interface QueueDepth {
  readonly status: AudioStatus;
  readonly is_main: number;
  readonly priority: Priority;
  readonly count: number;
  /** ISO time at which the oldest of them got into its state or was changed. */
  readonly oldest: string;
}

export function queueDepths(db: Queries): Promise<QueueDepth[]> {
  return (
    db
      .selectFrom('audio')
      .select((from) => [
        'status',
        'is_main',
        'priority',
        from.fn.countAll<number>().as('count'),
        from.fn.min<string>('updated_at').as('oldest'),
      ])
      // As literals: for parameters SQLite does not use the index that holds just these.
      .where('status', 'in', [sql.lit<AudioStatus>('pending'), sql.lit<AudioStatus>('generating')])
      .groupBy(['status', 'is_main', 'priority'])
      .execute()
  );
}
