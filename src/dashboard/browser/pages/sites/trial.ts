/** @param day like `2026-11-21`; @returns its last moment where the asking person is, in ISO 8601 */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T23:59:59`);
  // What is no day is left to the server to refuse.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

/** @param iso ISO 8601; @returns the day that a field of type `date` shows for it, where the asking person is */
export function toDateInputValue(iso: string): string {
  const moment = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
