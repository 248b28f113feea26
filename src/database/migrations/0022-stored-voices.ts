/** User-installed voices, from where the machines on a database fetch them; and which voices no machine has. */
export const storedVoices: readonly string[] = [
  `create table stored_voice (
    content_hash text primary key,
    stem text not null,
    model_key text not null,
    byte_count integer not null,
    object_key text,
    config blob not null,
    removed_at text,
    lost_at text
  ) strict, without rowid`,
  `create table stored_voice_part (
    model_key text not null,
    position integer not null,
    content blob not null,
    primary key (model_key, position)
  ) strict, without rowid`,
  'create table missing_voice (content_hash text primary key, since text not null) strict, without rowid',
];
