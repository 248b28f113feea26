/** What is said for a stretch of text that begins where the reader was asked. */
interface Reading {
  readonly spoken: string;
  /** UTF-16 offset after the stretch. */
  readonly end: number;
}

/** Reads what begins at an offset, or leaves it to the next reader. Takes a bounded time, whatever the text. */
export type Reader = (text: string, at: number) => Reading | undefined;

/** Where a match stands, for readers that look around it. */
export interface Place {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/**
 * A reader of what `pattern` matches exactly at the offset.
 * `pattern` has no unbounded repetition, so that a text costs no more than its length.
 */
export function reader(
  pattern: RegExp,
  read: (match: RegExpExecArray, place: Place) => string | undefined,
): Reader {
  const sticky = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}y`);
  return (text, at) => {
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    if (!match) return undefined;
    const end = at + match[0].length;
    const spoken = read(match, { text, at, end });
    return spoken === undefined ? undefined : { spoken, end };
  };
}

/** Characters looked at before or after a match. */
const CONTEXT_LENGTH = 48;

/** The text just before a place. */
export function before(place: Place): string {
  return place.text.slice(Math.max(0, place.at - CONTEXT_LENGTH), place.at);
}

/** The text just after a place. */
export function after(place: Place): string {
  return place.text.slice(place.end, place.end + CONTEXT_LENGTH);
}

/** A full stop where the one of an abbreviation also ended the sentence; otherwise nothing. */
export function sentenceStop(match: string, place: Place): string {
  return match.endsWith('.') && /^["'”’)\]\s]*$/.test(after(place)) ? '.' : '';
}
