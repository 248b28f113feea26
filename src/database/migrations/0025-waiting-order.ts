const setSite = `update audio set queue_site_id = (select site_id from post where id = new.post_id) where id = new.id`;

/**
 * An index with the order of each site and priority, so that a machine finds the next audio however many wait. Servers of
 * earlier versions write no `queue_site_id`.
 */
export const waitingOrder: readonly string[] = [
  'alter table audio add column queue_site_id integer',
  `update audio set queue_site_id = (select site_id from post where id = audio.post_id) where status in ('pending', 'generating')`,
  `create index audio_waiting on audio (queue_site_id, (case when is_main = 1 then priority else 'further' end), virtual_time, id)
    where status = 'pending'`,
  `create trigger audio_queue_site after insert on audio when new.status = 'pending' and new.queue_site_id is null begin ${setSite}; end`,
  `create trigger audio_queue_site_later after update of status on audio when new.status = 'pending' and new.queue_site_id is null begin ${setSite}; end`,
];
