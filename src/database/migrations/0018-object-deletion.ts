/**
 * Renames the state of objects that are to be deleted, and orders them by when that is due. Those of deleted sites are due at
 * once.
 */
export const objectDeletion: readonly string[] = [
  `create table new_object (
    key text primary key,
    site_id integer not null,
    byte_count integer not null,
    state text not null check (state in ('writing', 'live', 'deleting')),
    changed_at text not null
  ) strict, without rowid`,
  `insert into new_object
    select key, site_id, byte_count,
      case state when 'doomed' then 'deleting' else state end,
      case when state = 'doomed' and site_id not in (select id from site where deleted_at is null)
        then '1970-01-01T00:00:00.000Z' else changed_at end
    from object`,
  'drop table object',
  'alter table new_object rename to object',
  `create index object_unused on object (state, changed_at) where state <> 'live'`,
  'create index object_site on object (site_id)',
];
