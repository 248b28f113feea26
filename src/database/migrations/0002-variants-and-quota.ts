/** Further voices of a text, the monthly post quota, and addresses of MP3s whose audio was deleted. */
export const variantsAndQuota: readonly string[] = [
  `create table audio_new (
    id integer primary key autoincrement,
    post_id integer not null references post (id) on delete cascade,
    language text not null,
    voice_id integer not null references voice (id),
    is_main integer not null,
    status text not null check (status in ('pending', 'generating', 'ready', 'failed')),
    progress_percent integer not null,
    error text,
    title text,
    content text not null,
    request_hash text not null,
    priority text not null check (priority in ('high', 'normal', 'low')),
    generation integer not null,
    turn real not null,
    version_id integer references version (id),
    created_at text not null,
    updated_at text not null
  ) strict`,
  `insert into audio_new select id, post_id, language, voice_id, 1, status, progress_percent, error, title, content,
    request_hash, priority, generation, turn, version_id, created_at, updated_at from audio`,
  // Deleted posts keep their numbers to themselves: the next id is the one after the highest ever given.
  `delete from sqlite_sequence where name = 'audio_new'`,
  `insert into sqlite_sequence (name, seq) select 'audio_new', seq from sqlite_sequence where name = 'audio'`,
  'drop table audio',
  'alter table audio_new rename to audio',
  'create unique index audio_main on audio (post_id, language) where is_main = 1',
  'create unique index audio_extra on audio (post_id, voice_id) where is_main = 0',
  `create index audio_unfinished on audio (turn) where status in ('pending', 'generating')`,
  'create index audio_voice on audio (voice_id)',
  'create index audio_version on audio (version_id)',
  `alter table site add column extra_voices text not null default '[]'`,
  `create table post_quota (
    site_id integer not null references site (id) on delete cascade,
    external_id text not null,
    month text not null,
    primary key (site_id, external_id)
  ) strict, without rowid`,
  'create index post_quota_month on post_quota (site_id, month)',
  'create table gone_media (media_key text primary key, gone_at text not null) strict, without rowid',
];
