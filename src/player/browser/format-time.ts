/** Lengths are rounded to the nearest second, as the server rounds them; positions are rounded down. */
export function roundLength(seconds: number): number {
  return Math.round(seconds);
}

/** @returns like `1:02:03` or `0:07` */
export function formatClockTime(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const two = (value: number) => `${Math.floor(value)}`.padStart(2, '0');
  const end = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${end}` : `${minutes}:${end}`;
}

/** @returns what is left, like `−2:10`; with the position it adds up to the length */
export function formatTimeLeft(positionS: number, durationS: number): string {
  return `−${formatClockTime(Math.max(0, roundLength(durationS) - Math.floor(positionS)))}`;
}

/** @returns like `75 minutes 7 seconds`, for screen readers */
export function formatSpokenTime(seconds: number, language: string): string {
  const say = (value: number, unit: string) =>
    Math.floor(value).toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' });
  return `${say(seconds / 60, 'minute')} ${say(seconds % 60, 'second')}`;
}
