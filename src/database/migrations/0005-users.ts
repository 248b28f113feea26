/** Who may sign in and what they may do; sessions; what was changed by whom. */
export const users: readonly string[] = [
  `create table user (
    id integer primary key autoincrement,
    email text not null unique,
    password_hash text not null,
    role text not null check (role in ('admin', 'member')),
    disabled_at text,
    last_sign_in_at text,
    created_at text not null,
    updated_at text not null
  ) strict`,
  `create table membership (
    user_id integer not null references user (id) on delete cascade,
    site_id integer not null references site (id) on delete cascade,
    role text not null check (role in ('editor', 'viewer')),
    primary key (user_id, site_id)
  ) strict, without rowid`,
  'create index membership_site on membership (site_id)',
  `create table session (
    id integer primary key autoincrement,
    user_id integer not null references user (id) on delete cascade,
    token_hash text not null unique,
    created_at text not null,
    last_seen_at text not null,
    expires_at text not null
  ) strict`,
  'create index session_user on session (user_id)',
  `create table setup_token (
    hash text primary key,
    expires_at text not null
  ) strict, without rowid`,
  // Without references: what is written here outlives users and sites.
  `create table audit_entry (
    id integer primary key autoincrement,
    at text not null,
    user_id integer,
    actor text not null,
    action text not null,
    site_id integer,
    subject text,
    before text,
    after text
  ) strict`,
  'create index audit_entry_site on audit_entry (site_id, id)',
];
