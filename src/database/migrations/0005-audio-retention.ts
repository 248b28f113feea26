/** Limits after which the audio of a site is removed, and the state of the scrub. */
export const audioRetention: readonly string[] = [
  'alter table site add column audio_retention_days integer not null default 0',
  'alter table site add column audio_retention_mb integer not null default 0',
  'alter table audio add column removed_at text',
  `create table audio_scrub (
    id integer primary key check (id = 1),
    position text not null default '',
    started_at text,
    finished_at text,
    segment_count integer not null default 0,
    damaged_count integer not null default 0
  ) strict`,
];
