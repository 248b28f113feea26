/** Who speaks a segment, where that is not the voice of its version: a passage in another language. */
export const passageVoices: readonly string[] = [
  'alter table planned_segment add column voice_id integer',
  `create index planned_segment_voice on planned_segment (voice_id) where voice_id is not null`,
];
