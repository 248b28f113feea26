/** Where a site wants to be told of its audio, what it is told, and how that went. */
export const webhooks: readonly string[] = [
  `create table webhook_endpoint (
    id integer primary key autoincrement,
    site_id integer not null references site (id) on delete cascade,
    url text not null,
    event_types text not null,
    active integer not null,
    disabled_reason text,
    secret text not null,
    previous_secret text,
    previous_secret_until text,
    created_at text not null,
    updated_at text not null
  ) strict`,
  'create index webhook_endpoint_site on webhook_endpoint (site_id)',
  `create table webhook_message (
    id text primary key,
    site_id integer not null references site (id) on delete cascade,
    type text not null,
    body text not null,
    created_at text not null
  ) strict, without rowid`,
  'create index webhook_message_site on webhook_message (site_id)',
  'create index webhook_message_age on webhook_message (created_at)',
  `create table webhook_delivery (
    id integer primary key autoincrement,
    endpoint_id integer not null references webhook_endpoint (id) on delete cascade,
    message_id text not null references webhook_message (id) on delete cascade,
    state text not null check (state in ('pending', 'delivered', 'failed')),
    attempt_count integer not null,
    failure_count integer not null,
    next_attempt_at text,
    created_at text not null,
    updated_at text not null,
    unique (message_id, endpoint_id)
  ) strict`,
  `create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at) where state = 'pending'`,
  'create index webhook_delivery_log on webhook_delivery (endpoint_id, id)',
  'create index webhook_delivery_age on webhook_delivery (updated_at)',
  `create table webhook_attempt (
    delivery_id integer not null references webhook_delivery (id) on delete cascade,
    number integer not null,
    at text not null,
    status_code integer,
    error text,
    duration_ms integer not null,
    response text,
    primary key (delivery_id, number)
  ) strict, without rowid`,
];
