/** @param iso ISO 8601; @returns value of a `datetime-local` field in the local time zone; empty for null */
export function toInputValue(iso: string | null): string {
  if (iso === null) return '';
  const moment = new Date(iso);
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** @returns ISO 8601 of a field value; null if it is empty */
export function fromInputValue(typed: string): string | null {
  const moment = new Date(typed);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
