import type { Statement } from '../dialect.ts';

const now = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`;

const stateOf = (audio: string) => `case
    when ${audio}.status in ('pending', 'generating') then 'generating'
    when ${audio}.status = 'ready' then 'ready'
    when ${audio}.removed_at is null and ${audio}.dismissed_at is null then 'failed'
    else 'none' end`;
/** Of its main audios: the state that needs most attention. */
const findPostState = (postRowId: string) => `coalesce((
    select state from (select ${stateOf('audio')} as state from audio where post_id = ${postRowId} and is_main = 1) as states
    order by case state when 'failed' then 0 when 'generating' then 1 when 'ready' then 2 else 3 end limit 1), 'none')`;
const updatePostState = (audio: 'old' | 'new') =>
  `update post set audio_state = ${findPostState(`${audio}.post_id`)} where id = ${audio}.post_id`;
const findSortTitle = (postRowId: string) => `(
    select title from audio where post_id = ${postRowId} and is_main = 1 and title is not null
    order by language <> 'en', language limit 1)`;
const updateSortTitle = (audio: 'old' | 'new') =>
  `update post set sort_title = coalesce(${findSortTitle(`${audio}.post_id`)}, external_id) where id = ${audio}.post_id`;
const increment = (site: string, name: string, condition = 'true') =>
  `insert into site_counter (site_id, name, amount) select ${site}, ${name}, 1 where ${condition}
    on conflict (site_id, name) do update set amount = site_counter.amount + 1`;
const decrement = (site: string, name: string, condition = 'true') =>
  `update site_counter set amount = amount - 1 where site_id = ${site} and name = ${name} and ${condition}`;
const incrementState = increment('new.site_id', `'state.' || new.audio_state`, `new.audio_state <> 'none'`);
const decrementState = decrement('old.site_id', `'state.' || old.audio_state`, `old.audio_state <> 'none'`);
const incrementPrivate = increment('new.site_id', `'state.private'`, `new.visibility = 'private'`);
const decrementPrivate = decrement('old.site_id', `'state.private'`, `old.visibility = 'private'`);

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

const addWaitingCharacters = (audio: 'old' | 'new', characters: string) =>
  `insert into site_counter (site_id, name, amount)
    select site_id, 'waiting.characters', ${characters} from post where id = ${audio}.post_id
    on conflict (site_id, name) do update set amount = site_counter.amount + excluded.amount`;
const charactersOf = (audio: 'old' | 'new') =>
  `case when ${audio}.status = 'pending' then length(${audio}.content) else 0 end`;
const rateWindowColumns = `(
  counter text not null,
  caller text not null,
  used integer not null,
  used_before integer not null,
  ends_at integer not null,
  kept_until integer not null,
  primary key (counter, caller)
)`;

/** As `findSection` computes it. @param indexOf function that returns the position of a substring */
function buildSectionSql(indexOf: 'instr' | 'strpos'): string {
  const path = `substr(post.canonical_url, ${indexOf}(post.canonical_url, '/') + 1)`;
  const folder = `substr(${path}, 1, ${indexOf}(${path}, '/') - 1)`;
  return `case when post.canonical_url like '%/%/%' and trim(${folder}, '0123456789') <> ''
    then substr(lower(${folder}), 1, 100) else '' end`;
}

const insertSums = (indexOf: 'instr' | 'strpos') =>
  `insert into event_day (site_id, post, dimension, day, value, metric, amount)
    select stored.site_id, '', 'section', stored.day, ${buildSectionSql(indexOf)}, stored.metric, sum(stored.amount)
    from event_day as stored
    left join post on post.site_id = stored.site_id and post.external_id = stored.value
    where stored.post = '' and stored.dimension = 'post' and stored.metric <> 'listeners'
    group by 1, 4, 5, 6`;
/** A session counts once a day, so listeners cannot be summed over posts. */
const insertListeners = (indexOf: 'instr' | 'strpos') =>
  `insert into event_day (site_id, post, dimension, day, value, metric, amount)
    select seen.site_id, '', 'section', seen.day, ${buildSectionSql(indexOf)}, 'listeners', count(distinct seen.session_id)
    from event_listener as seen
    left join post on post.site_id = seen.site_id and post.external_id = seen.post
    group by 1, 4, 5`;
/** Earlier events by section; listeners only of the days whose sessions are still stored. */
export const eventSections: readonly Statement[] = [
  { sqlite: insertSums('instr'), postgres: insertSums('strpos') },
  { sqlite: insertListeners('instr'), postgres: insertListeners('strpos') },
];

/** Of pending audio; `further`: extra voices. */
const lane = `(case when is_main = 1 then priority else 'further' end)`;
const setSite = `update audio set queue_site_id = (select site_id from post where id = new.post_id) where id = new.id`;

/** In order. */
export const migrations2To29: readonly (readonly Statement[])[] = [
  /** Devices that users have signed in on. */
  [
    `create table known_device (
    id integer primary key autoincrement,
    user_id integer not null references user (id) on delete cascade,
    token_hash text not null,
    created_at text not null,
    last_sign_in_at text not null,
    unique (token_hash, user_id)
  ) strict`,
    'create index known_device_user on known_device (user_id, last_sign_in_at)',
  ],
  /** Domains that editors have requested. New addresses for the MP3s of posts that are not public: their old ones were. */
  [
    `create table domain_claim (
    site_id integer not null references site (id) on delete cascade,
    domain text not null,
    requested_by text not null,
    requested_at text not null,
    primary key (site_id, domain)
  ) strict, without rowid`,
    // A PostgreSQL database has no rows from before.
    {
      sqlite: `update version set media_key = lower(hex(randomblob(18)))
    where header is not null and audio_id in (
      select audio.id from audio join post on post.id = audio.post_id
      where post.visibility <> 'public' or post.publish_at > ${now})`,
    },
  ],
  /** Names of built-in voices, successors of voices, and the programs that migrated the database. */
  [
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
  ],
  /** Limits after which the audio of a site is removed, and the state of the scrub. */
  [
    'alter table site add column audio_retention_days integer not null default 0',
    'alter table site add column audio_retention_mb integer not null default 0',
    'alter table audio add column removed_at text',
    'create index audio_removed on audio (post_id) where removed_at is not null and is_main = 1',
    `create index audio_failed on audio (post_id) where status = 'failed' and removed_at is null and is_main = 1`,
    `create table audio_scrub (
    id integer primary key check (id = 1),
    position text not null default '',
    started_at text,
    finished_at text,
    segment_count integer not null default 0,
    damaged_count integer not null default 0
  ) strict`,
  ],
  /** How the content of an audio is written, where it is not HTML or plain text. */
  ['alter table audio add column content_type text'],
  /** States, titles and counts of posts for lists, kept by triggers; the texts of deleted posts. */
  [
    'alter table audio add column error_code text',
    'alter table audio add column dismissed_at text',
    `alter table post add column audio_state text not null default 'none'
    check (audio_state in ('none', 'ready', 'generating', 'failed'))`,
    `alter table post add column sort_title text not null default '' collate nocase`,
    `create table deleted_post (
    id integer primary key,
    site_id integer not null references site (id) on delete cascade,
    external_id text not null,
    title text,
    url text,
    visibility text not null check (visibility in ('public', 'private')),
    publish_at text,
    created_at text not null,
    updated_at text not null,
    audios text not null,
    deleted_at text not null,
    unique (site_id, external_id)
  ) strict`,
    'create index deleted_post_site on deleted_post (site_id, deleted_at)',
    'create index deleted_post_due on deleted_post (deleted_at)',
    `update post set audio_state = ${findPostState('post.id')}, sort_title = coalesce(${findSortTitle('post.id')}, external_id)`,
    'create index post_state on post (site_id, audio_state)',
    `create index post_private on post (site_id) where visibility = 'private'`,
    {
      sqlite: 'create index post_title on post (site_id, sort_title)',
      postgres: 'create index post_title on post (site_id, lower(sort_title))',
    },
    `insert into site_counter (site_id, name, amount)
    select site_id, 'state.all', count(*) from post group by site_id
    union all select site_id, 'state.' || audio_state, count(*) from post where audio_state <> 'none' group by site_id, audio_state
    union all select site_id, 'state.private', count(*) from post where visibility = 'private' group by site_id`,
    `create trigger audio_state_insert after insert on audio when new.is_main = 1 begin ${updatePostState('new')}; end`,
    `create trigger audio_state_update after update of status, is_main, removed_at, dismissed_at on audio
    when old.is_main <> new.is_main or (new.is_main = 1 and ${stateOf('old')} <> ${stateOf('new')})
    begin ${updatePostState('new')}; end`,
    `create trigger audio_state_delete after delete on audio when old.is_main = 1 begin ${updatePostState('old')}; end`,
    `create trigger sort_title_post after insert on post begin
    update post set sort_title = external_id where id = new.id; end`,
    `create trigger sort_title_insert after insert on audio when new.title is not null begin ${updateSortTitle('new')}; end`,
    `create trigger sort_title_update after update of title, is_main on audio
    when new.title is not old.title or new.is_main is not old.is_main begin ${updateSortTitle('new')}; end`,
    `create trigger sort_title_delete after delete on audio when old.title is not null begin ${updateSortTitle('old')}; end`,
    `create trigger post_state_insert after insert on post begin
    ${increment('new.site_id', `'state.all'`)}; ${incrementState}; ${incrementPrivate}; end`,
    `create trigger post_state_update after update of audio_state on post when old.audio_state <> new.audio_state begin
    ${decrementState}; ${incrementState}; end`,
    `create trigger post_visibility_update after update of visibility on post when old.visibility <> new.visibility begin
    ${decrementPrivate}; ${incrementPrivate}; end`,
    `create trigger post_state_delete after delete on post begin
    ${decrement('old.site_id', `'state.all'`)}; ${decrementState}; ${decrementPrivate}; end`,
    // Row ids are of a post or of a deleted one.
    `create trigger deleted_post_insert after insert on deleted_post begin
    insert into post_search (rowid, external_id, titles, url)
      values (new.id, new.external_id, coalesce(new.title, ''), coalesce(new.url, ''));
    ${increment('new.site_id', `'state.deleted'`)}; end`,
    `create trigger deleted_post_delete after delete on deleted_post begin
    delete from post_search where rowid = old.id;
    ${decrement('old.site_id', `'state.deleted'`)}; end`,
  ],
  /** Settings of the player and of the installation, links by which users choose a password, drafts, and unknown words. */
  [
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
  ],
  /** Finds the unknown words of the last days. */
  ['create index version_unknown_words on version (ready_at) where unknown_words is not null'],
  /** What the content of an audio without speakable text has: JSON of numbers. */
  ['alter table audio add column content_counts text'],
  /** Finds the last success and the undelivered messages of a webhook. */
  ['create index webhook_delivery_state on webhook_delivery (endpoint_id, state, updated_at)'],
  /** What a user sees of a session in the list of their own; null for sessions from before. */
  ['alter table session add column device text'],
  /** The time zone of a site, and one of its voices for each language: JSON of ids. */
  [
    "alter table site add column time_zone text not null default 'UTC'",
    "alter table site add column default_voices text not null default '[]'",
  ],
  /** MP3s of ready versions in an S3 bucket. An object outlives its site until it is deleted from the bucket. */
  [
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
  ],
  /** The object by which the bucket of this installation is recognized. */
  ['alter table installation add column bucket_marker text'],
  /** The processes that share a PostgreSQL database, and which of them generates an audio. SQLite has one, without a row. */
  [
    `create table machine (
    id integer primary key autoincrement,
    name text not null,
    role text not null check (role in ('serve', 'speak')),
    started_at text not null,
    seen_at text not null
  ) strict`,
    'alter table audio add column claimed_by integer',
    'alter table audio add column fence integer not null default 0',
  ],
  /** What the page of machines shows. Null: a machine of an earlier version. */
  [
    'alter table machine add column version text',
    'alter table machine add column worker_count integer',
    'alter table machine add column generates integer',
    'alter table machine add column is_draining integer not null default 0',
  ],
  objectDeletion,
  /** Characters of pending audio by site, kept by triggers. */
  [
    `create trigger audio_waiting_insert after insert on audio when new.status = 'pending' begin
    ${addWaitingCharacters('new', 'length(new.content)')}; end`,
    `create trigger audio_waiting_update after update of status, content on audio
    when (old.status = 'pending' or new.status = 'pending') and (old.status <> new.status or old.content <> new.content)
    begin ${addWaitingCharacters('new', `${charactersOf('new')} - ${charactersOf('old')}`)}; end`,
    `create trigger audio_waiting_delete after delete on audio when old.status = 'pending' begin
    ${addWaitingCharacters('old', '-length(old.content)')}; end`,
    `insert into site_counter (site_id, name, amount)
    select post.site_id, 'waiting.characters', sum(length(audio.content)) from audio join post on post.id = audio.post_id
    where audio.status = 'pending' group by post.site_id`,
  ],
  /** Which programs run on a schema of PostgreSQL besides its own. */
  ['alter table schema_version add column oldest_compatible integer'],
  /** Requests of callers, counted for all servers on PostgreSQL. Losing them after a crash lets some requests pass. */
  [
    {
      sqlite: `create table rate_window ${rateWindowColumns} strict, without rowid`,
      postgres: `create unlogged table rate_window ${rateWindowColumns.replaceAll('integer', 'bigint')}`,
    },
  ],
  /** User-installed voices, from where the machines on a database fetch them; and which voices no machine has. */
  [
    `create table stored_voice (
    content_hash text primary key,
    stem text not null,
    model_key text not null,
    byte_count integer not null,
    object_key text,
    config blob not null,
    removed_at text,
    lost_at text
  ) strict, without rowid`,
    `create table stored_voice_part (
    model_key text not null,
    position integer not null,
    content blob not null,
    primary key (model_key, position)
  ) strict, without rowid`,
    'create table missing_voice (content_hash text primary key, since text not null) strict, without rowid',
  ],
  eventSections,
  /** Soft deletion, which can be undone for a minute. */
  [
    'alter table feed_source add column deleted_at text',
    'alter table webhook_endpoint add column deleted_at text',
    'alter table user add column deleted_at text',
  ],
  /**
   * An index with the order of each site and priority, so that a machine finds the next audio however many wait. Servers of
   * earlier versions write no `queue_site_id`.
   */
  [
    'alter table audio add column queue_site_id integer',
    `update audio set queue_site_id = (select site_id from post where id = audio.post_id) where status in ('pending', 'generating')`,
    `create index audio_waiting on audio (queue_site_id, ${lane}, virtual_time, id)
    where status = 'pending'`,
    `create trigger audio_queue_site after insert on audio when new.status = 'pending' and new.queue_site_id is null begin ${setSite}; end`,
    `create trigger audio_queue_site_later after update of status on audio when new.status = 'pending' and new.queue_site_id is null begin ${setSite}; end`,
  ],
  /** The end of a live stream, which is known before the MP3 is uploaded. */
  ['alter table version add column segment_count integer'],
  /** Indexes with the order of the list of the queue, whole and of a site, so that a page is read alone. */
  [
    `create index audio_listed on audio (${lane}, updated_at, id) where status = 'pending'`,
    `create index audio_listed_of_site on audio (queue_site_id, ${lane}, updated_at, id) where status = 'pending'`,
  ],
  /** A deleted site can be restored until `purge_at`, a removed voice for a minute. */
  ['alter table site add column purge_at text', 'alter table voice add column deleted_at text'],
  /** Indexes cost each accepted post: those of what waits are the two lists and `audio_waiting`; few audios are generated at a time. */
  [
    'drop index audio_unfinished',
    'drop index audio_depth',
    `create index audio_generating on audio (id) where status = 'generating'`,
  ],
];
