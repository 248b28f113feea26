/** Unix time of what is stored or compared with it. Machines that share a database would take the time of the database. */
export function currentTimeMs(): number {
  return Date.now();
}

/** @returns ISO 8601 in UTC with milliseconds, which sorts as text */
export function timestamp(unixTimeMs = currentTimeMs()): string {
  return new Date(unixTimeMs).toISOString();
}

/** For durations and limits: a change of the system clock does not move it. */
export function monotonicMs(): number {
  return performance.now();
}
