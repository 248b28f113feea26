import type { LeftOutReason } from './block.ts';

/** A range that a content system would have replaced. */
export interface Shortcode {
  readonly start: number;
  readonly end: number;
  readonly reason: LeftOutReason;
}

const BRACKETED = /\[(\/?)([a-z][a-z0-9_-]{0,40})((?:[\s\u00a0/][^[\]<>]{0,1000})?)\]/gi;
/** Fields of templates: Hugo, Jekyll, Handlebars, and those of newsletters. */
const BRACED = /\{\{[^{}\n]{0,1000}\}\}|\{%[^{}\n]{0,1000}%\}|\*\|[A-Z_:\d]{1,60}\|\*/g;
const ATTRIBUTE = /(?:^|\s)[a-z][\w-]{0,40}\s{0,3}=\s{0,3}(?:["'“”″‘’]|&(?:quot|#8220|#8221|#8243);)/i;
const BARE_NAMES = new Set(['gallery', 'playlist']);
/** Markup around a paragraph. */
const BEFORE_ALONE = /(?:^|\n|<\/?(?:p|div|br|figure|section|center)(?:\s[^<>]{0,100})?>|-->)\s{0,20}$/i;
const AFTER_ALONE = /^\s{0,20}(?:$|\n|<\/?(?:p|div|br|figure|section|center)[\s/>]|<!--)/i;
const CONTEXT_UNITS = 130;

/** "[1]" or "[3][4]" behind a word, directly behind a sign in its own group. */
const NOTE_REFERENCES = /(?<=([.,;!?”’»])|[\p{L}\d)] ?|[.,;!?”’»] )\[(\d{1,3})\](?:\[\d{1,3}\])*(?![(\p{L}\d])/gu;
const NOTE_START = /(?:[>\n])\s{0,20}\[(\d{1,3})\]/g;

/** Shortcodes with content, and the maximum distance of their end. */
const WITH_CONTENT = new Map<string, { reason: LeftOutReason; maxLength: number }>([
  ...['caption', 'wp_caption'].map((name) => [name, { reason: 'caption', maxLength: 5_000 }] as const),
  ...['button', 'cta'].map((name) => [name, { reason: 'page furniture', maxLength: 300 }] as const),
  ...['embed', 'video', 'audio', 'youtube'].map(
    (name) => [name, { reason: 'embedded media', maxLength: 1_000 }] as const,
  ),
]);

/**
 * Finds shortcodes such as `[gallery ids="1,2"]`, but not words in brackets such as [sic]: a shortcode has attributes, an
 * end (`[box]…[/box]`), or a paragraph of its own and an underscore in its name.
 */
export function findShortcodes(source: string): Shortcode[] {
  const fields = findFields(source);
  if (!source.includes('[')) return fields;
  const others = mergeRanges(fields, findNoteReferences(source));
  const brackets = [...source.matchAll(BRACKETED)];
  const namesWithEnd = new Set(brackets.filter(isEndTag).map(parseName));
  const openNames = new Set<string>();
  const shortcodes: Shortcode[] = [];
  const ends = new EndFinder(brackets);
  let from = 0;
  for (const bracket of brackets) {
    if (bracket.index < from) continue;
    const name = parseName(bracket);
    if (isEndTag(bracket) ? !openNames.has(name) && !name.includes('_') : !isShortcode(bracket, namesWithEnd, source))
      continue;
    openNames.add(name);
    const withContent = WITH_CONTENT.get(name);
    const end = bracket.index + bracket[0].length;
    const wholeEnd = withContent && !isEndTag(bracket) ? ends.findAfter(name, end, withContent.maxLength) : undefined;
    from = wholeEnd ?? end;
    const reason = (wholeEnd !== undefined && withContent?.reason) || 'shortcode';
    shortcodes.push({ start: bracket.index, end: from, reason });
  }
  return others.length === 0 ? shortcodes : mergeRanges(shortcodes, others);
}

/** References to footnotes, such as "[1]", without an element of their own. Behind a word or a space, a note must begin with the same mark. */
function findNoteReferences(source: string): Shortcode[] {
  const notes = new Set([...source.matchAll(NOTE_START)].map(([, mark]) => mark));
  return [...source.matchAll(NOTE_REFERENCES)]
    .filter(([, sign, mark]) => sign !== undefined || notes.has(mark))
    .map(({ 0: text, index }) => ({ start: index, end: index + text.length, reason: 'footnote' }));
}

/** `{% highlight ruby %}`, `{{< highlight go >}}`, and their ends. */
const CODE_FIELD = /^\{[{%][<%-]?\s{0,5}(\/|end)?(highlight|code|codeblock|mermaid|comment|raw_code)(?![\w-])/;

function findFields(source: string): Shortcode[] {
  const fields: Shortcode[] = [];
  let code: { readonly name: string; readonly start: number } | undefined;
  for (const { 0: text, index } of source.matchAll(BRACED)) {
    const [, endMark, name = ''] = CODE_FIELD.exec(text) ?? [];
    const end = index + text.length;
    if (code !== undefined && endMark && name === code.name) {
      const { start } = code;
      while ((fields.at(-1)?.start ?? -1) >= start) fields.pop();
      fields.push({ start, end, reason: 'code' });
    } else fields.push({ start: index, end, reason: 'shortcode' });
    if (name !== '') code = endMark ? undefined : { name, start: index };
  }
  return fields;
}

/** @returns both in order, without fields inside shortcodes */
function mergeRanges(shortcodes: readonly Shortcode[], fields: readonly Shortcode[]): Shortcode[] {
  let end = 0;
  return [...shortcodes, ...fields]
    .sort((a, b) => a.start - b.start)
    .filter((shortcode) => {
      if (shortcode.start < end) return false;
      end = shortcode.end;
      return true;
    });
}

function parseName(bracket: RegExpExecArray): string {
  return (bracket[2] ?? '').toLowerCase();
}

function isEndTag(bracket: RegExpExecArray): boolean {
  return bracket[1] === '/';
}

function isShortcode(bracket: RegExpExecArray, namesWithEnd: ReadonlySet<string>, source: string): boolean {
  const name = parseName(bracket);
  const settings = bracket[3] ?? '';
  if (ATTRIBUTE.test(settings)) return true;
  const isSet = settings.includes('=');
  if (isSet && (WITH_CONTENT.has(name) || BARE_NAMES.has(name))) return true;
  if (!isSet && settings.trim() !== '') return false;
  if (namesWithEnd.has(name)) return true;
  return (name.includes('_') || BARE_NAMES.has(name)) && standsAlone(bracket, source);
}

function standsAlone({ index, 0: text }: RegExpExecArray, source: string): boolean {
  const end = index + text.length;
  return (
    BEFORE_ALONE.test(source.slice(Math.max(0, index - CONTEXT_UNITS), index)) &&
    AFTER_ALONE.test(source.slice(end, end + CONTEXT_UNITS))
  );
}

/** Finds the ends of shortcodes with content in linear time. */
class EndFinder {
  /** From the last to the first; without those before the last offset. */
  readonly #endsByName: Map<string, RegExpExecArray[]>;

  constructor(brackets: readonly RegExpExecArray[]) {
    const ends = brackets.filter((bracket) => isEndTag(bracket) && WITH_CONTENT.has(parseName(bracket)));
    this.#endsByName = Map.groupBy(ends.toReversed(), parseName);
  }

  /**
   * @param offset must not decrease between calls
   * @returns the end of the next end tag; undefined if none is near
   */
  findAfter(name: string, offset: number, maxLength: number): number | undefined {
    const ends = this.#endsByName.get(name) ?? [];
    while ((ends.at(-1)?.index ?? offset) < offset) ends.pop();
    const end = ends.at(-1);
    if (end === undefined || end.index > offset + maxLength) return undefined;
    return end.index + end[0].length;
  }
}
