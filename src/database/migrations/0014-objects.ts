/** MP3s of ready versions in an S3 bucket. An object outlives its site until it is deleted from the bucket. */
export const objects: readonly string[] = [
  `create table object (
    key text primary key,
    site_id integer not null,
    byte_count integer not null,
    state text not null check (state in ('writing', 'live', 'doomed')),
    changed_at text not null
  ) strict, without rowid`,
  `create index object_temporary on object (changed_at) where state <> 'live'`,
  'create index object_site on object (site_id)',
  'alter table version add column object_key text',
  'create index version_object on version (object_key) where object_key is not null',
  'alter table segment add column object_key text',
  'alter table segment add column object_start integer',
  'create index segment_object on segment (object_key) where object_key is not null',
];
