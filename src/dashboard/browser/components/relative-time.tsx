import { formatDateTime, formatRelativeTime } from '../format.ts';

/** A relative time, with the exact time as tooltip. @param at ISO 8601 */
export function RelativeTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelativeTime(at)}
    </time>
  );
}
