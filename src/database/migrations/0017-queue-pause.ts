/** Whether the queue is paused; what waits is counted with further voices apart. */
export const queuePause: readonly string[] = [
  // A row while it is paused.
  `create table queue_pause (
    id integer primary key check (id = 1),
    since text not null,
    paused_by text not null
  ) strict`,
  'drop index audio_depth',
  `create index audio_depth on audio (status, is_main, priority, updated_at)
    where status in ('pending', 'generating')`,
];
