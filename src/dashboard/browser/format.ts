import { addDays, dayOf, formatMoment } from './time-zone.ts';

const language = document.documentElement.lang;
// A day has no zone any more.
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const count = new Intl.NumberFormat(language);
const oneDecimal = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
const languageNames = new Intl.DisplayNames(language, { type: 'language' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

/** @param iso ISO 8601; @returns like `Nov 21, 2026, 9:14 AM` */
export function formatDateTime(iso: string): string {
  return formatMoment(iso, { dateStyle: 'medium', timeStyle: 'short' }, language);
}

/** @param iso ISO 8601; @returns like `9:14 AM` */
export function formatTime(iso: string): string {
  return formatMoment(iso, { timeStyle: 'short' }, language);
}

/** @returns like `Saturday, November 21` */
export function formatWeekday(moment: Date | string): string {
  return formatMoment(moment, { weekday: 'long', day: 'numeric', month: 'long' }, language);
}

/** @param iso ISO 8601; @returns its day: `Today`, `Yesterday` or like `Saturday, November 21` */
export function formatDayHeading(iso: string): string {
  const day = dayOf(iso);
  if (day === dayOf()) return 'Today';
  return day === addDays(dayOf(), -1) ? 'Yesterday' : formatWeekday(iso);
}

/** @param iso ISO 8601; @returns the time of a moment today, else with its day */
export function formatSince(iso: string): string {
  return dayOf(iso) === dayOf() ? formatTime(iso) : formatDateTime(iso);
}

/** @param name like `2026-11-21`; @returns like `Nov 21, 2026` */
export function formatDay(name: string): string {
  return day.format(new Date(name));
}

/** @param name like `2026-11-21`; @returns like `Nov 21`; empty for no day */
export function formatShortDay(name: string): string {
  return name === '' ? '' : shortDay.format(new Date(name));
}

/** @param iso ISO 8601; @returns like `3 minutes ago` */
export function formatRelativeTime(iso: string): string {
  const secondsAway = (Date.parse(iso) - Date.now()) / 1000;
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  for (const [unit, seconds] of units) {
    if (Math.abs(secondsAway) >= seconds) {
      // Only a whole unit has passed; what is to come is rounded: “in 30 days”, a second later too.
      return relative.format(Math[secondsAway < 0 ? 'trunc' : 'round'](secondsAway / seconds), unit);
    }
  }
  return 'just now';
}

/** @returns like `2:31` or `1:02:31` */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours === 0 ? `${minutes}:${two(whole % 60)}` : `${hours}:${two(minutes)}:${two(whole % 60)}`;
}

/** @returns like `3 h 12 min` for listening time */
export function formatTimeSpan(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = `${formatNumber(Math.floor(minutes / 60))} h`;
  return minutes % 60 === 0 ? hours : `${hours} ${minutes % 60} min`;
}

/** @returns like `1.5 h`, for narrow places */
export function formatShortTimeSpan(seconds: number): string {
  return seconds < 3_600 ? formatTimeSpan(seconds) : `${oneDecimal.format(seconds / 3_600)} h`;
}

/** @returns like `12,345` */
export function formatNumber(number: number): string {
  return count.format(number);
}

/** @param share 0…1; @returns like `48%` */
export function formatPercent(share: number): string {
  return percent.format(share);
}

/** @returns like `12.4 MB` */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** @returns the number and its noun: `1 post`, `12 posts` */
export function formatCount(number: number, noun: string, several = `${noun}s`): string {
  return `${formatNumber(number)} ${number === 1 ? noun : several}`;
}

/** @param code BCP 47, or as Piper writes it: `en_GB`; @returns like `German` or `British English` */
export function formatLanguage(code: string): string {
  try {
    return languageNames.of(code.replaceAll('_', '-')) ?? code;
  } catch {
    return code;
  }
}

/** @param of things with a language, or none @returns their languages with names, by code, to select from */
export function listLanguages(of: readonly { readonly language: string }[]): Record<string, string> {
  const codes = of.map(({ language }) => language).filter((code) => code !== '');
  return Object.fromEntries(codes.toSorted().map((code) => [code, formatLanguage(code)]));
}

/** @returns like `+24%`; undefined without anything to compare with */
export function formatChange(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const factor = now / before;
  return factor >= 10 ? '10 × or more' : `${signed(100 * (factor - 1))}%`;
}

/** Compares shares. @returns like `+2 points`; undefined without anything to compare with */
export function formatPoints(now: number | null, before: number | null | undefined): string | undefined {
  return now === null || before == null ? undefined : `${signed(100 * (now - before))} points`;
}

function signed(value: number): string {
  const rounded = Math.round(value);
  return rounded > 0 ? `+${formatNumber(rounded)}` : `${rounded < 0 ? '−' : '±'}${formatNumber(Math.abs(rounded))}`;
}
