import type { Voice } from '../database/schema.ts';
import type { InstalledVoice } from './catalog.ts';
import { builtinVoices } from './catalog.ts';
import { classifyLicense } from './license.ts';
import type { Optimization } from './optimizer-cache.ts';
import type { FullVoice } from './schema.ts';
import { toVoiceRecord } from './schema.ts';

/**
 * A voice as signed-in users see it.
 * @param files where it lies; a voice of which that isn't known is none of the built-in ones
 */
export function toFullVoice(
  voice: Voice & Partial<Pick<InstalledVoice, 'files' | 'optimization'>>,
  baseUrl: string,
): FullVoice {
  const { locale, quality, license, source, installed_at } = voice;
  const builtin = builtinVoices.some(({ modelPath }) => modelPath === voice.files?.modelPath);
  return {
    ...toVoiceRecord(voice),
    ...{ locale, quality, sample_rate: voice.sample_rate_hz, license, source },
    sample_url: `${baseUrl}/v1/voices/${voice.id}/sample.mp3`,
    enabled: voice.enabled === 1,
    builtin,
    installed_at,
    license_status: builtin ? 'free' : classifyLicense(license),
    license_accepted: toLicenseAcceptance(voice),
    gain_db: round(voice.gain_db, 2),
    real_time_factor: round(voice.real_time_factor, 4),
    compilation: toCompilationRecord(voice.optimization),
  };
}

function toCompilationRecord(found: Optimization | undefined): FullVoice['compilation'] {
  if (found === undefined) return null;
  return {
    outcome: found.outcome,
    reason: found.outcome === 'original' ? found.reason : null,
    speed_ratio: round(found.speed_ratio, 2),
    snr_db: round(found.snr_db, 1),
  };
}

function toLicenseAcceptance(voice: Voice): FullVoice['license_accepted'] {
  const { license_accepted_by: by, license_accepted_at: at, license_accepted_text: text } = voice;
  return by === null || at === null || text === null ? null : { by, at, text };
}

function round(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
