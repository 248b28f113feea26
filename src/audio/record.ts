import type { AudioRecord } from './schema.ts';
import type { AudioView } from './store.ts';

/** An audio as the API shows it; address and duration only while it is ready. */
export function audioRecord(audio: AudioView, baseUrl: string): AudioRecord {
  const ready = audio.status === 'ready' && audio.media_key !== null && audio.duration_ms !== null;
  return {
    id: audio.id,
    post_id: audio.external_id,
    status: audio.status,
    progress_percent: audio.progress_percent,
    audio_url: ready ? mediaUrl(baseUrl, audio.media_key ?? '', 'mp3') : null,
    duration_seconds: ready ? Math.round((audio.duration_ms ?? 0) / 1000) : null,
    language: audio.language,
    voice_id: audio.voice_id,
    created_at: audio.created_at,
    updated_at: audio.updated_at,
    ...(audio.status === 'failed' && audio.error !== null ? { error: audio.error } : {}),
  };
}

/** What stands under the name of an MP3: itself, its timings and its transcripts. */
export type MediaKind = 'mp3' | 'json' | 'vtt' | 'transcript.json';

/** Address of an MP3, or of what lies beside it. */
export function mediaUrl(baseUrl: string, mediaKey: string, kind: MediaKind): string {
  return `${baseUrl}/v1/media/${mediaKey}.${kind}`;
}

/** The status address of a post, relative to nothing: `Location` of generate. */
export function statusUrl(baseUrl: string, postId: string, language: string): string {
  const query = language === 'en' ? '' : `?language=${language}`;
  return `${baseUrl}/v1/audio/${encodeURIComponent(postId)}/status${query}`;
}
