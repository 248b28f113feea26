/** What an audio was made of and with, so that it can be shown that nothing of its text is missing. */
export const proof: readonly string[] = [
  'alter table segment add column frames_sha256 text',
  'alter table planned_segment add column spoken text',
  'alter table planned_segment add column phoneme_count integer',
  'alter table planned_segment add column pause_ms integer',
  'alter table version add column provenance text',
  'alter table version add column certificate_sha256 text',
];
