import { AppError } from '../errors.ts';

/** Checks a day that stands in a query, like `2026-11-21`. @throws AppError `validation_failed` */
export function checkDay(field: string, day: string): void {
  const moment = new Date(`${day}T00:00Z`);
  const isDay = !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === day;
  if (isDay) return;
  throw new AppError('validation_failed', 'Validation failed', {
    [field]: ['must be a day like 2026-11-21'],
  });
}
