import { addDays, dayOf } from '../../time-zone.ts';

const dayMs = 86_400_000;

/** First and last day of a period of the site, inclusive: `2026-11-21`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Limit of the server. */
const maxDays = 366;

/** @param days number of days, including today */
export function lastDays(days: number): Period {
  return { from: addDays(dayOf(), 1 - days), to: dayOf() };
}

/** The period of the same length before a period. */
export function periodBefore({ from, to }: Period): Period {
  return { from: addDays(from, -dayCount({ from, to })), to: addDays(from, -1) };
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
