/** What a voice may be used for and who accepted that, how fast it speaks, and what it sounds like. */
export const voiceLicenses: readonly string[] = [
  'alter table voice add column real_time_factor real',
  'alter table voice add column license_accepted_by text',
  'alter table voice add column license_accepted_at text',
  'alter table voice add column license_accepted_text text',
  `create table voice_license_text (
    content_hash text primary key,
    text text not null
  ) strict`,
  `create table voice_sample (
    voice_id integer primary key references voice (id) on delete cascade,
    mp3 blob not null
  ) strict`,
];
