/** Unix time of what is stored or compared with it. Machines that share a database would take the time of the database. */
export function currentTimeMs(): number {
  return Date.now();
}

/** @returns ISO 8601 in UTC with milliseconds, which sorts as text */
export function timestamp(unixTimeMs = currentTimeMs()): string {
  return new Date(unixTimeMs).toISOString();
}

const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** They write `2026-11-21`. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();
/** By zone and minute: formatting takes tens of microseconds, and most events are of the last minutes. */
const days = new Map<string, string>();
const maxCachedDays = 10_000;

/** @param timeZone IANA name @returns the day at a moment, such as `2026-11-21` */
export function dayAt(unixTimeMs: number, timeZone: string): string {
  if (timeZone === 'UTC') return timestamp(unixTimeMs).slice(0, 10);
  const minute = Math.floor(unixTimeMs / minuteMs);
  if (days.size >= maxCachedDays) days.clear();
  return days.getOrInsertComputed(`${timeZone} ${minute}`, () =>
    dayFormats
      .getOrInsertComputed(timeZone, () => new Intl.DateTimeFormat('sv', { timeZone }))
      .format(minute * minuteMs),
  );
}

/** @returns the time so many days ago */
export function daysAgo(days: number): string {
  return timestamp(currentTimeMs() - days * dayMs);
}

/** @returns the day so many days later */
export function addDays(day: string, count: number): string {
  return timestamp(Date.parse(day) + count * dayMs).slice(0, 10);
}

/** @returns the last days up to today, oldest first */
export function listLastDays(count: number, timeZone: string): string[] {
  const today = dayAt(currentTimeMs(), timeZone);
  return Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count));
}

/** @returns the first moment of a day, which is not midnight where the clock is put forward at midnight */
export function startOfDay(day: string, timeZone: string): string {
  // Zones are at most 14 hours from UTC.
  let [before, first] = [Date.parse(day) - dayMs, Date.parse(day) + dayMs];
  while (first - before > minuteMs) {
    const middle = Math.floor((before + first) / 2 / minuteMs) * minuteMs;
    if (dayAt(middle, timeZone) < day) before = middle;
    else first = middle;
  }
  return timestamp(first);
}

/** For durations and limits: a change of the system clock does not move it. */
export function monotonicMs(): number {
  return performance.now();
}
