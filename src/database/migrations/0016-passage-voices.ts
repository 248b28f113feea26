/** Who speaks a segment: passages in another language have a voice of their own. Null in plans of before. */
export const passageVoices: readonly string[] = [
  'alter table planned_segment add column voice_id integer',
];
