/** Devices that users have signed in on. */
export const knownDevice: readonly string[] = [
  `create table known_device (
    id integer primary key autoincrement,
    user_id integer not null references user (id) on delete cascade,
    token_hash text not null,
    created_at text not null,
    last_sign_in_at text not null,
    unique (token_hash, user_id)
  ) strict`,
  'create index known_device_user on known_device (user_id, last_sign_in_at)',
];
