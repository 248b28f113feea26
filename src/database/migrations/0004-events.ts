/** Events, what is summed up of them by day, the monthly analytics quota, and requests per key. */
export const events: readonly string[] = [
  `create table event (
    id integer primary key,
    site_id integer not null references site (id) on delete cascade,
    source text not null check (source in ('public', 'key')),
    event_id text,
    type text not null,
    post text,
    language text,
    voice_id integer,
    session_id text,
    device text not null,
    position_s real,
    heard_s real,
    value text,
    occurred_at text not null,
    received_at text not null,
    unique (site_id, source, event_id)
  ) strict`,
  `create table event_day (
    site_id integer not null references site (id) on delete cascade,
    post text not null,
    dimension text not null,
    day text not null,
    value text not null,
    figure text not null,
    amount real not null,
    primary key (site_id, post, dimension, day, value, figure)
  ) strict, without rowid`,
  `create table event_listener (
    site_id integer not null references site (id) on delete cascade,
    day text not null,
    session_id text not null,
    post text not null,
    language text not null,
    voice_id integer not null,
    device text not null,
    source text not null,
    primary key (site_id, day, session_id, post, language, voice_id, device, source)
  ) strict, without rowid`,
  `create table event_quota (
    site_id integer not null references site (id) on delete cascade,
    source text not null,
    month text not null,
    used integer not null,
    primary key (site_id, source, month)
  ) strict, without rowid`,
  `create table key_request_day (
    site_id integer not null references site (id) on delete cascade,
    day text not null,
    key_id integer not null,
    route text not null,
    status integer not null,
    count integer not null,
    primary key (site_id, day, key_id, route, status)
  ) strict, without rowid`,
];
