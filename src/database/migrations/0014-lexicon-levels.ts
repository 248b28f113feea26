/**
 * Entries that hold for every site have none. When the making of a version began says which entries and settings it can
 * have heard of.
 */
export const lexiconLevels: readonly string[] = [
  `create table pronunciation_new (
    id integer primary key autoincrement,
    site_id integer references site (id) on delete cascade,
    language text not null,
    word text not null,
    alias text not null,
    match_case integer not null check (match_case in (0, 1)),
    word_key text not null,
    search_text text not null,
    created_at text not null,
    updated_at text not null
  ) strict`,
  'insert into pronunciation_new select * from pronunciation',
  // An id is given once, also when the entry that had the highest one is gone.
  `insert into sqlite_sequence (name, seq) select 'pronunciation_new', 0
    where not exists (select 1 from sqlite_sequence where name = 'pronunciation_new')`,
  `update sqlite_sequence set seq = coalesce((select seq from sqlite_sequence where name = 'pronunciation'), 0)
    where name = 'pronunciation_new'`,
  'drop table pronunciation',
  'alter table pronunciation_new rename to pronunciation',
  // Nulls are all different in a unique index.
  `create unique index pronunciation_word
    on pronunciation (coalesce(site_id, 0), language, match_case, word_key)`,
  'create index pronunciation_site on pronunciation (site_id, id)',
  'alter table version add column began_at text',
];
