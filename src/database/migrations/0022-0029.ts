import type { Statement } from '../dialect.ts';

/** User-installed voices, from where the machines on a database fetch them; and which voices no machine has. */
export const storedVoices: readonly string[] = [
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
];

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

/** Soft deletion, which can be undone for a minute. */
export const deletedRows: readonly string[] = [
  'alter table feed_source add column deleted_at text',
  'alter table webhook_endpoint add column deleted_at text',
  'alter table user add column deleted_at text',
];

/** Of pending audio; `further`: extra voices. */
const lane = `(case when is_main = 1 then priority else 'further' end)`;

const setSite = `update audio set queue_site_id = (select site_id from post where id = new.post_id) where id = new.id`;

/**
 * An index with the order of each site and priority, so that a machine finds the next audio however many wait. Servers of
 * earlier versions write no `queue_site_id`.
 */
export const waitingOrder: readonly string[] = [
  'alter table audio add column queue_site_id integer',
  `update audio set queue_site_id = (select site_id from post where id = audio.post_id) where status in ('pending', 'generating')`,
  `create index audio_waiting on audio (queue_site_id, ${lane}, virtual_time, id)
    where status = 'pending'`,
  `create trigger audio_queue_site after insert on audio when new.status = 'pending' and new.queue_site_id is null begin ${setSite}; end`,
  `create trigger audio_queue_site_later after update of status on audio when new.status = 'pending' and new.queue_site_id is null begin ${setSite}; end`,
];

/** The end of a live stream, which is known before the MP3 is uploaded. */
export const segmentCount: readonly string[] = ['alter table version add column segment_count integer'];

/** Indexes with the order of the list of the queue, whole and of a site, so that a page is read alone. */
export const queueList: readonly string[] = [
  `create index audio_listed on audio (${lane}, updated_at, id) where status = 'pending'`,
  `create index audio_listed_of_site on audio (queue_site_id, ${lane}, updated_at, id) where status = 'pending'`,
];

/** A deleted site can be restored until `purge_at`, a removed voice for a minute. */
export const restorable: readonly string[] = [
  'alter table site add column purge_at text',
  'alter table voice add column deleted_at text',
];

/** Indexes cost each accepted post: those of what waits are the two lists and `audio_waiting`; few audios are generated at a time. */
export const queueIndexes: readonly string[] = [
  'drop index audio_unfinished',
  'drop index audio_depth',
  `create index audio_generating on audio (id) where status = 'generating'`,
];
