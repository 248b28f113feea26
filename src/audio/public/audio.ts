import type { Queries } from '../../database/open.ts';
import type { Site } from '../../database/tables.ts';
import { audioRecord, mediaUrl } from '../record.ts';
import type { PublicAudio } from '../schema.ts';
import { findLastReady, findVariants, type PlayableVersion, type PublicView } from './store.ts';

/** An audio as a player shows it, with what may be played instead of it. */
export async function publicAudio(
  db: Queries,
  site: Pick<Site, 'allow_switch'>,
  audio: PublicView,
  baseUrl: string,
): Promise<PublicAudio> {
  const record = audioRecord(audio, baseUrl);
  const isReady = record.audio_url !== null;
  const lastReady = isReady ? undefined : await findLastReady(db, audio.id);
  const variants = await findVariants(db, audio, site.allow_switch === 0);
  return {
    ...record,
    title: audio.title,
    url: audio.url,
    voice: voiceOf(audio),
    segments_url: isReady ? mediaUrl(baseUrl, audio.media_key ?? '', 'json') : null,
    last_ready: lastReady === undefined ? null : playable(lastReady, baseUrl),
    variants: variants.flatMap((variant) => {
      const { language, media_key, duration_ms } = variant;
      if (media_key === null || duration_ms === null) return [];
      const voice = voiceOf(variant);
      return [{ language, voice, ...playable({ media_key, duration_ms }, baseUrl) }];
    }),
  };
}

function playable({ media_key, duration_ms }: PlayableVersion, baseUrl: string) {
  return {
    audio_url: mediaUrl(baseUrl, media_key, 'mp3'),
    duration_seconds: Math.round(duration_ms / 1000),
    segments_url: mediaUrl(baseUrl, media_key, 'json'),
  };
}

function voiceOf({ voice_id, voice_name, voice_language }: PublicView) {
  return { id: voice_id, name: voice_name, language: voice_language };
}
