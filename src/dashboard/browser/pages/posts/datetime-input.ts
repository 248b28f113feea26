/** @param iso ISO 8601; @returns as a field of the kind `datetime-local` has it, in the time zone of who looks; empty for none */
export function toInputValue(iso: string | null): string {
  if (iso === null) return '';
  const moment = new Date(iso);
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** @returns ISO 8601 of what was typed, null for nothing */
export function fromInputValue(typed: string): string | null {
  const moment = new Date(typed);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
