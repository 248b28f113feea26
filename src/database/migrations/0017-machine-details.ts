/** What the page of machines shows. Null: a machine of an earlier version. */
export const machineDetails: readonly string[] = [
  'alter table machine add column version text',
  'alter table machine add column worker_count integer',
  'alter table machine add column generates integer',
  'alter table machine add column is_draining integer not null default 0',
];
