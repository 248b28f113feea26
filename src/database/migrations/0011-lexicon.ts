/** What a site has said instead of words. */
export const lexicon: readonly string[] = [
  `create table pronunciation (
    id integer primary key autoincrement,
    site_id integer not null references site (id) on delete cascade,
    language text not null,
    word text not null,
    alias text not null,
    match_case integer not null check (match_case in (0, 1)),
    word_key text not null,
    search_text text not null,
    created_at text not null,
    updated_at text not null,
    unique (site_id, language, match_case, word_key)
  ) strict`,
  'create index pronunciation_site on pronunciation (site_id, id)',
];
