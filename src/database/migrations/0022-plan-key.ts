/** What each sentence was planned from, so that the next version can take over what became of those that did not change. */
export const planKey: readonly string[] = [
  'alter table planned_segment add column plan_key text',
  'alter table planned_segment add column sentence_start integer',
  'alter table planned_segment add column sentence_end integer',
];
