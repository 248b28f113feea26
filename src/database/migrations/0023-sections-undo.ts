import type { Statement } from './statement.ts';

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
