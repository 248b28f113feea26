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
export function buildTracks(audio: PublicAudio, streamUrl: string): Track[] {
  const { status, audio_url, last_ready, variants } = audio;
  const others = variants.map((variant) => buildTrack(variant, variant));
  if (audio_url !== null) return [buildTrack(audio, { ...audio, audio_url }), ...others];
  if (last_ready !== null) return [buildTrack(audio, last_ready), ...others];
  if (status === 'failed') return others;
  const stream = { audio_url: streamUrl, duration_seconds: null, segments_url: null };
  return [{ ...buildTrack(audio, stream), isLive: true }, ...others];
}

function buildTrack(
  { language, voice }: Pick<PublicAudio, 'language' | 'voice'>,
  file: {
    readonly audio_url: string;
    readonly duration_seconds: number | null;
    readonly segments_url: string | null;
  },
): Track {
  return {
    url: file.audio_url,
    isLive: false,
    durationS: file.duration_seconds ?? undefined,
    segmentsUrl: file.segments_url ?? undefined,
    language,
    voiceId: voice.id,
    voiceName: voice.name,
  };
}
