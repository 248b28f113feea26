/** The processes that share a PostgreSQL database, and which of them generates an audio. SQLite has one, without a row. */
export const machines: readonly string[] = [
  `create table machine (
    id integer primary key autoincrement,
    name text not null,
    role text not null check (role in ('serve', 'speak')),
    started_at text not null,
    seen_at text not null
  ) strict`,
  'alter table audio add column claimed_by integer',
  'alter table audio add column fence integer not null default 0',
];
