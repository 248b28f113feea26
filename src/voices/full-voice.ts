import type { Voice } from '../database/tables.ts';
import type { VoiceFiles } from '../speech/voice-model.ts';
import { builtinVoices } from './builtin.ts';
import { voiceRecord } from './record.ts';
import type { FullVoice } from './schema.ts';

/**
 * A voice as signed-in users see it.
 * @param files where it lies; a voice of which that isn't known is none of the built-in ones
 */
export function fullVoice(
  voice: Voice & { readonly files?: Pick<VoiceFiles, 'modelPath'> },
  baseUrl: string,
): FullVoice {
  const { locale, quality, license, source, installed_at } = voice;
  return {
    ...voiceRecord(voice),
    ...{ locale, quality, sample_rate: voice.sample_rate_hz, license, source },
    sample_url: `${baseUrl}/v1/voices/${voice.id}/sample.mp3`,
    enabled: voice.enabled === 1,
    builtin: builtinVoices.some(({ modelPath }) => modelPath === voice.files?.modelPath),
    installed_at,
  };
}
