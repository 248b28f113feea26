const iso8601 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads an ISO 8601 date, or date and time; without an offset it is UTC.
 * @returns it in UTC to the millisecond; undefined when it is none, or names a day that doesn't exist
 */
export function readTimestamp(given: string): string | undefined {
  const [, day = '', time = '', , , offset = ''] = iso8601.exec(given) ?? [];
  if (day === '' || (time === '' && offset !== '')) return undefined;
  // `Date` takes 30 February for 2 March.
  const midnight = new Date(`${day}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const moment = new Date(`${day}${time || 'T00:00'}${offset || 'Z'}`);
  if (Number.isNaN(moment.getTime())) return undefined;
  const inUtc = moment.toISOString();
  // An offset may push it out of the years that sort as text.
  return inUtc.length === 'YYYY-MM-DDThh:mm:ss.sssZ'.length ? inUtc : undefined;
}
