import { formatDateTime, formatRelativeTime } from '../format.ts';

/** A relative time, with the exact time as tooltip. @param at ISO 8601; null: never */
export function RelativeTime({ at }: { readonly at: string | null }) {
  if (at === null) return <>Never</>;
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelativeTime(at)}
    </time>
  );
}
