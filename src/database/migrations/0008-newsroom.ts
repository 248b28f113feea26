/** Settings of the player and of the installation, links by which users choose a password, drafts, and unknown words. */
export const newsroom: readonly string[] = [
  `alter table site add column player text not null default '{}'`,
  `create table installation (
    id integer primary key check (id = 1),
    show_plans integer not null default 0 check (show_plans in (0, 1))
  ) strict`,
  'insert into installation (id) values (1)',
  `create table password_link (
    user_id integer primary key references user (id) on delete cascade,
    hash text not null unique,
    expires_at text not null
  ) strict`,
  `create table draft (
    user_id integer not null references user (id) on delete cascade,
    site_id integer not null references site (id) on delete cascade,
    key text not null,
    fields text not null,
    updated_at text not null,
    primary key (user_id, site_id, key)
  ) strict`,
  'create index draft_site on draft (site_id)',
  'create index draft_updated on draft (updated_at)',
  'alter table version add column unknown_words text',
  `create table accepted_word (
    site_id integer not null references site (id) on delete cascade,
    word text not null,
    accepted_by text not null,
    accepted_at text not null,
    primary key (site_id, word)
  ) strict, without rowid`,
];
