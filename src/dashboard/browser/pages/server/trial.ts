/** @param day like `2026-11-21`; @returns the end of the day in the local time zone, in ISO 8601 */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T23:59:59`);
  // The server rejects an invalid day.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

/** @param iso ISO 8601; @returns value of a `date` field in the local time zone */
export function toDateInputValue(iso: string): string {
  const moment = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
