/** The members that all formats share. */
export interface RawFeed {
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly refreshS?: number | undefined;
  readonly items: readonly RawItem[];
}

export interface RawItem {
  readonly guid: string | undefined;
  /** HTML. */
  readonly title: string | undefined;
  readonly url: string | undefined;
  /** Best first; the first non-empty one is used. */
  readonly contents: readonly (string | undefined)[];
  /** The first valid one is used. */
  readonly dates: readonly (string | undefined)[];
  readonly language: string | undefined;
}

export function escapeText(text: string): string {
  return /[&<]/.test(text) ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;') : text;
}
