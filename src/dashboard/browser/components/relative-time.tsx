import { formatDateTime, formatRelativeTime } from '../format.ts';

/** A point in time, as one says it; the exact one when pointed at. @param at ISO 8601 */
export function RelativeTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelativeTime(at)}
    </time>
  );
}
