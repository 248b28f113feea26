import type { Voice } from '../database/schema.ts';
import type { InstalledVoice } from './catalog.ts';
import { builtinVoices } from './catalog.ts';
import { licenseStatus } from './license.ts';
import type { Compilation } from './optimizer-cache.ts';
import type { FullVoice } from './schema.ts';
import { voiceRecord } from './schema.ts';

/**
 * A voice as signed-in users see it.
 * @param files where it lies; a voice of which that isn't known is none of the built-in ones
 */
export function fullVoice(
  voice: Voice & Partial<Pick<InstalledVoice, 'files' | 'compilation'>>,
  baseUrl: string,
): FullVoice {
  const { locale, quality, license, source, installed_at } = voice;
  const builtin = builtinVoices.some(({ modelPath }) => modelPath === voice.files?.modelPath);
  return {
    ...voiceRecord(voice),
    ...{ locale, quality, sample_rate: voice.sample_rate_hz, license, source },
    sample_url: `${baseUrl}/v1/voices/${voice.id}/sample.mp3`,
    enabled: voice.enabled === 1,
    builtin,
    installed_at,
    license_status: builtin ? 'free' : licenseStatus(license),
    license_accepted: acceptance(voice),
    gain_db: rounded(voice.gain_db, 2),
    real_time_factor: rounded(voice.real_time_factor, 4),
    compilation: shownCompilation(voice.compilation),
  };
}

function shownCompilation(found: Compilation | undefined): FullVoice['compilation'] {
  if (found === undefined) return null;
  const { outcome, snrDb, speedRatio } = found;
  return {
    outcome,
    reason: found.outcome === 'original' ? found.reason : null,
    speed_ratio: rounded(speedRatio, 2),
    snr_db: rounded(snrDb, 1),
  };
}

function acceptance(voice: Voice): FullVoice['license_accepted'] {
  const { license_accepted_by: by, license_accepted_at: at, license_accepted_text: text } = voice;
  return by === null || at === null || text === null ? null : { by, at, text };
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
