import type { Statement } from './statement.ts';

const columns = `(
  counter text not null,
  caller text not null,
  used integer not null,
  used_before integer not null,
  ends_at integer not null,
  kept_until integer not null,
  primary key (counter, caller)
)`;

/** Requests of callers, counted for all servers on PostgreSQL. Losing them after a crash lets some requests pass. */
export const rateWindows: readonly Statement[] = [
  {
    sqlite: `create table rate_window ${columns} strict, without rowid`,
    postgres: `create unlogged table rate_window ${columns.replaceAll('integer', 'bigint')}`,
  },
];
