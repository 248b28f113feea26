import { api, fetchApi, request } from '../../api.ts';
import { capitalize } from '../../format.ts';

export type Voice = Awaited<ReturnType<typeof fetchVoices>>[number];

/** All installed voices, including disabled ones. */
export async function fetchVoices() {
  return (await request(() => api.voices.get())).voices;
}

/** @returns an MP3 with a sentence of a voice */
export function fetchSample({ id }: Pick<Voice, 'id'>): Promise<Response> {
  return fetchApi(`/voices/${id}/sample.mp3`);
}

/** @returns like `Female, medium quality, 22.05 kHz` */
export function voiceText({ gender, quality, sample_rate }: Voice): string {
  const facts = [`${quality.replaceAll('_', '-')} quality`, `${sample_rate / 1000} kHz`];
  return capitalize([...(gender === 'neutral' ? [] : [gender]), ...facts].join(', '));
}

/** @returns like `33 times faster than real time`; undefined for one that was not measured */
export function speedText({ real_time_factor: factor }: Voice): string | undefined {
  if (factor === null || factor === 0) return undefined;
  return factor > 1
    ? `${timesText(factor)} times slower than real time`
    : `${timesText(1 / factor)} times faster than real time`;
}

function timesText(times: number): string {
  return times.toFixed(times < 10 ? 1 : 0);
}

/** @returns like `33× real time`: how fast it speaks; undefined for one that was not measured */
export function speedFactorText({ real_time_factor: factor }: Voice): string | undefined {
  return factor === null || factor === 0 ? undefined : `${timesText(1 / factor)}× real time`;
}

/** @returns the result of the optimization for this machine; undefined if it has not run */
export function optimizationText({ optimization }: Voice): string | undefined {
  if (optimization === null) return undefined;
  const { outcome, reason, speed_ratio: ratio } = optimization;
  if (outcome === 'optimized') return `Optimized: ${ratio?.toFixed(2)} times as fast`;
  return `Not optimized: ${(reason && reasons[reason]) ?? 'optimization failed'}`;
}

const reasons: Readonly<Record<string, string>> = {
  unknown_architecture: 'unknown model architecture',
  other_sound: 'the optimized model sounds different',
  not_faster: 'not faster on this machine',
};

/** Whether an admin has still to accept the license. */
export function lacksLicenseConsent({ license_status, license_accepted }: Voice): boolean {
  return license_status !== 'free' && license_accepted === null;
}

/** The meaning of a license status. */
export const licenseTexts: Readonly<Record<Voice['license_status'], string>> = {
  free: 'Free to use, also commercially',
  non_commercial: 'Forbids commercial use',
  unknown: 'Unknown license',
  missing: 'No license specified',
};
