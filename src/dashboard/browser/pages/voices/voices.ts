import { api, ask, encodeSegment, fetchApi } from '../../api.ts';

export type Voice = Awaited<ReturnType<typeof fetchVoices>>[number];

export const genderOptions = [
  { value: 'neutral', label: 'Unknown' },
  { value: 'female', label: 'Female' },
  { value: 'male', label: 'Male' },
] as const;

/** All installed voices, including disabled ones. */
export async function fetchVoices() {
  return (await ask(() => api.voices.get())).voices;
}

/** @returns an MP3 with a sentence of a voice */
export function fetchSample({ id }: Pick<Voice, 'id'>): Promise<Response> {
  return fetchApi(`/voices/${id}/sample.mp3`);
}

/** @returns the model card of a voice; null if it has none */
export async function fetchModelCard({ id }: Voice) {
  return (await ask(() => api.voices({ id: encodeSegment(id) }).license.get())).text;
}

/** @returns like `Female, medium quality, 22.05 kHz` */
export function voiceText({ gender, quality, sample_rate }: Voice): string {
  const facts = [
    ...(gender === 'neutral' ? [] : [gender]),
    `${quality.replaceAll('_', '-')} quality`,
    `${sample_rate / 1000} kHz`,
  ].join(', ');
  return facts.charAt(0).toUpperCase() + facts.slice(1);
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
  switch (reason) {
    case 'unknown_architecture':
      return 'Not optimized: unknown model architecture';
    case 'other_sound':
      return 'Not optimized: the optimized model sounds different';
    case 'not_faster':
      return 'Not optimized: not faster on this machine';
    default:
      return 'Not optimized: optimization failed';
  }
}

/** Whether an admin has still to accept the license. */
export function lacksLicenseConsent({ license_status, license_accepted }: Voice): boolean {
  return license_status !== 'free' && license_accepted === null;
}

/** The meaning of a license status. */
export function licenseText(status: Voice['license_status']): string {
  switch (status) {
    case 'free':
      return 'Free to use, also commercially';
    case 'non_commercial':
      return 'Forbids commercial use';
    case 'unknown':
      return 'Unknown license';
    case 'missing':
      return 'No license specified';
  }
}
