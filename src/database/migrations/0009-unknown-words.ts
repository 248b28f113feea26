/** Finds the unknown words of the last days. */
export const unknownWords: readonly string[] = [
  'create index version_unknown_words on version (ready_at) where unknown_words is not null',
];
