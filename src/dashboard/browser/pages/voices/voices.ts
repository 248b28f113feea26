import { api, ask, part } from '../../api.ts';

export type Voice = Awaited<ReturnType<typeof readVoices>>[number];

export const genderOptions = [
  { value: 'neutral', label: 'Not known' },
  { value: 'female', label: 'Female' },
  { value: 'male', label: 'Male' },
] as const;

/** Every installed voice, disabled ones too. */
export async function readVoices() {
  return (await ask(api.voices.get())).voices;
}

/** @returns the model card that came with a voice; null when none did */
export async function readModelCard({ id }: Voice) {
  return (await ask(api.voices({ id: part(id) }).license.get())).text;
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

/** @returns what came of making it faster for the server's machine; undefined while that has not been tried */
export function compilationText({ compilation }: Voice): string | undefined {
  if (compilation === null) return undefined;
  const { outcome, reason, speed_ratio: ratio } = compilation;
  if (outcome === 'compiled') return `${ratio?.toFixed(2)} times as fast as it came`;
  switch (reason) {
    case 'unknown_architecture':
      return 'Used as it came: nothing is known to make this model faster';
    case 'other_sound':
      return 'Used as it came: made faster, it would not sound the same';
    case 'not_faster':
      return 'Used as it came: it cannot be made faster on this machine';
    default:
      return 'Used as it came: to make it faster failed';
  }
}

/** Whether somebody has still to accept its licence. */
export function lacksAcceptance({ license_status, license_accepted }: Voice): boolean {
  return license_status !== 'free' && license_accepted === null;
}

/** What the name of a licence means, in words. */
export function licenseText(status: Voice['license_status']): string {
  switch (status) {
    case 'free':
      return 'Free to use, also commercially';
    case 'non_commercial':
      return 'Forbids commercial use';
    case 'unknown':
      return 'Not known to be free';
    case 'missing':
      return 'No licence is named';
  }
}
