import type { PublicAudio } from '../../audio/schema.ts';

/** A playable source. */
export interface Track {
  readonly url: string;
  /** A live stream: has no duration, and seeking is not possible. */
  readonly isLive: boolean;
  /** Undefined until the file is loaded. */
  readonly durationS: number | undefined;
  readonly segmentsUrl: string | undefined;
  /** Empty for a file that the page specifies. */
  readonly language: string;
  readonly voiceId: number | null;
  readonly voiceName: string;
}

/**
 * @param streamUrl URL of the live stream
 * @returns the default track, then the other voices and languages; empty if there is no audio
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
