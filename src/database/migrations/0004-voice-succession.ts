/** Names of built-in voices, successors of voices, and the programs that migrated the database. */
export const voiceSuccession: readonly string[] = [
  `create table schema_version (
    version integer primary key,
    lectern text not null,
    migrated_at text not null
  ) strict`,
  'alter table voice add column builtin text',
  'alter table voice add column replaced_by integer references voice (id)',
  'create index voice_replaced_by on voice (replaced_by) where replaced_by is not null',
  // By their speaker number, as an admin may have renamed them.
  `update voice set builtin = case locale || speaker || quality
      when 'en_US0medium' then 'en_US-aspen-medium'
      when 'en_US1medium' then 'en_US-cedar-medium'
      when 'fr_FR2medium' then 'fr_FR-saule-medium'
      when 'es_ES3medium' then 'es_ES-encina-medium'
      when 'es_ES4medium' then 'es_ES-roble-medium'
      when 'de_DE5medium' then 'de_DE-buche-medium'
      else locale || '-' || lower(name) || '-' || quality
    end
    where source like 'Made for Lectern%'`,
  'alter table voice_file add column usable_hash text',
  'update voice_file set usable_hash = content_hash',
  'alter table audio add column voice_replaced integer not null default 0',
];
