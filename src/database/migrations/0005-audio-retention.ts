/** Limits after which the audio of a site is removed, and the state of the scrub. */
export const audioRetention: readonly string[] = [
  'alter table site add column audio_retention_days integer not null default 0',
  'alter table site add column audio_retention_mb integer not null default 0',
  'alter table audio add column removed_at text',
  'create index audio_removed on audio (post_id) where removed_at is not null and is_main = 1',
  `create index audio_failed on audio (post_id) where status = 'failed' and removed_at is null and is_main = 1`,
  `create table audio_scrub (
    id integer primary key check (id = 1),
    position text not null default '',
    started_at text,
    finished_at text,
    segment_count integer not null default 0,
    damaged_count integer not null default 0
  ) strict`,
];
