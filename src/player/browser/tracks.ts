import type { PublicAudio } from '../../audio/schema.ts';

/** What can be played. */
export interface Track {
  readonly url: string;
  /** Sentence by sentence as it is made: its length is unknown, and nothing in it can be sought. */
  readonly isLive: boolean;
  /** Undefined until the file itself tells. */
  readonly durationS: number | undefined;
  readonly segmentsUrl: string | undefined;
  /** Empty where the page names the file. */
  readonly language: string;
  readonly voiceId: number | null;
  readonly voiceName: string;
}

/**
 * @param streamUrl where the post is heard while it is made
 * @returns the version to play first, then the other voices and languages; none when there is nothing to hear
 */
export function tracksOf(audio: PublicAudio, streamUrl: string): Track[] {
  const { language, voice } = audio;
  const main = { language, voiceId: voice.id, voiceName: voice.name };
  const variants = audio.variants.map((variant) => ({
    ...playable(variant),
    language: variant.language,
    voiceId: variant.voice.id,
    voiceName: variant.voice.name,
  }));
  const { audio_url, duration_seconds, segments_url, last_ready } = audio;
  if (audio_url !== null) {
    const ready = { audio_url, duration_seconds, segments_url };
    return [{ ...main, ...playable(ready) }, ...variants];
  }
  if (last_ready !== null) return [{ ...main, ...playable(last_ready) }, ...variants];
  if (audio.status === 'failed') return variants;
  const live = { url: streamUrl, isLive: true, durationS: undefined, segmentsUrl: undefined };
  return [{ ...main, ...live }, ...variants];
}

function playable(file: {
  audio_url: string;
  duration_seconds: number | null;
  segments_url: string | null;
}) {
  return {
    url: file.audio_url,
    isLive: false,
    durationS: file.duration_seconds ?? undefined,
    segmentsUrl: file.segments_url ?? undefined,
  };
}
