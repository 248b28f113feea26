const dayMs = 86_400_000;

/** First and last day of a period, inclusive, in UTC: `2026-11-21`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Limit of the server. */
const maxDays = 366;

/** @param days number of days, including today */
export function lastDays(days: number, now = Date.now()): Period {
  return { from: dayOf(now - (days - 1) * dayMs), to: dayOf(now) };
}

/** The period of the same length before a period. */
export function periodBefore({ from, to }: Period): Period {
  const first = Date.parse(from);
  const days = dayCount({ from, to });
  return { from: dayOf(first - days * dayMs), to: dayOf(first - dayMs) };
}

function dayCount({ from, to }: Period): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** @returns what is wrong with a custom period; undefined if it is valid */
export function validatePeriod({ from, to }: Period): string | undefined {
  if (from === '' || to === '') return 'Select both dates.';
  if (from > to) return 'The start date must not be after the end date.';
  if (dayCount({ from, to }) > maxDays) return `Select at most ${maxDays} days.`;
  return undefined;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
