import { agoText, momentText } from '../words.ts';

/** A point in time, as one says it; the exact one when pointed at. @param at ISO 8601 */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={momentText(at)}>
      {agoText(at)}
    </time>
  );
}
