/**
 * Covers what the metrics ask of unfinished audios: without it each row is read, over all pages of its text, to what stands
 * behind that.
 */
export const queueDepth: readonly string[] = [
  `create index audio_depth on audio (status, priority, updated_at) where status in ('pending', 'generating')`,
];
