const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Of this browser. */
export const browserTimeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

let shown = browserTimeZone;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Shows times and days in a zone from now on: of the site, and on other pages of the server. @param name IANA name */
export function showTimesIn(name: string): void {
  if (name !== shown) formats.clear();
  shown = name;
}

/** The zone of what is shown, such as `Europe/Berlin`. */
export function shownTimeZone(): string {
  return shown;
}

/** @param options with one object for each kind of text @returns a moment in the zone that is shown */
export function formatMoment(
  moment: Date | string | number,
  options: Intl.DateTimeFormatOptions,
  language: string,
): string {
  const key = JSON.stringify([language, options]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: shown });
  formats.set(key, format);
  return format.format(new Date(moment));
}

/** @returns the day of a moment, such as `2026-11-21`; default: today */
export function dayOf(moment: Date | string | number = Date.now()): string {
  return formatMoment(moment, { dateStyle: 'short' }, 'sv');
}

/** @returns the day so many days later */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);
}

/** @param day like `2026-11-21`; @returns the end of the day in the zone of this browser, in ISO 8601 */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T23:59:59`);
  // The server rejects an invalid day.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

/** @param iso ISO 8601; @returns value of a `date` field in the zone of this browser */
export function toDateInputValue(iso: string): string {
  return new Date(iso).toLocaleDateString('sv');
}

/** @returns what clocks of the zone show, as if it were UTC */
function clockAt(ms: number): number {
  return Date.parse(`${formatMoment(ms, { dateStyle: 'short', timeStyle: 'short' }, 'sv').replace(' ', 'T')}Z`);
}

/** @param iso ISO 8601; @returns value of a `datetime-local` field in the zone; empty for null */
export function toInputValue(iso: string | null): string {
  return iso === null ? '' : new Date(clockAt(Date.parse(iso))).toISOString().slice(0, 16);
}

/**
 * Where the clock is put back, the earlier of two moments; where it is put forward, so much later.
 * @returns ISO 8601 of a field value; null if it is empty
 */
export function fromInputValue(typed: string): string | null {
  const clock = Date.parse(`${typed}Z`);
  if (Number.isNaN(clock)) return null;
  const offsetAt = (ms: number) => clockAt(ms) - Math.floor(ms / minuteMs) * minuteMs;
  const [earlier, later] = [clock - offsetAt(clock - dayMs), clock - offsetAt(clock + dayMs)];
  return new Date(clockAt(earlier) !== clock && clockAt(later) === clock ? later : earlier).toISOString();
}
