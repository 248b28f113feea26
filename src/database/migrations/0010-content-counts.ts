/** What the content of an audio without speakable text has: JSON of numbers. */
export const contentCounts: readonly string[] = ['alter table audio add column content_counts text'];
