/** Pattern of footnote marks after a word or a sentence: "[1]", "[2][3]", "¹". */
export const FOOTNOTE_MARKS = '(?:\\[(?:\\d{1,3}|[a-z]|(?:note|nb)\\s\\d{1,3})\\]|[¹²³⁰⁴-⁹]){1,8}';
const MARKS = new RegExp(`${FOOTNOTE_MARKS}(?=\\s|$)`, 'uy');

/** For Unicode a sentence may begin within the brackets. @returns the end of footnote marks at the start of a sentence */
function findMarksEnd(text: string, start: number): number | undefined {
  MARKS.lastIndex = text.charAt(start - 1) === '[' ? start - 1 : start;
  return MARKS.test(text) ? MARKS.lastIndex : undefined;
}

/** Sentences by the rules of Unicode: offsets without surrounding white space. Footnote marks belong to the sentence before them. */
export function segmentSentences(text: string, language: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  for (const { segment, index } of getSegmenter(language).segment(text)) {
    let start = index + segment.length - segment.trimStart().length;
    const end = index + segment.trimEnd().length;
    const last = sentences.at(-1);
    const marksEnd = last?.end === start ? findMarksEnd(text, start) : undefined;
    if (last && marksEnd !== undefined) {
      last.end = marksEnd;
      start = marksEnd;
      while (/^\s/u.test(text.charAt(start))) start += 1;
    }
    if (last?.end === start && isStockCode(text, start)) last.end = end;
    else if (end > start) sentences.push({ start, end });
  }
  return sentences;
}

/** For Unicode a sentence begins before the letters of "7203.T". */
function isStockCode(text: string, at: number): boolean {
  return (
    /\d\.$/.test(text.slice(Math.max(0, at - 2), at)) && /^[A-Z]{1,3}(?![\p{L}\p{N}])/u.test(text.slice(at, at + 6))
  );
}

/** Creating one takes longer than segmenting a paragraph. */
const segmenters = new Map<string, Intl.Segmenter>();
const MAX_SEGMENTERS = 50;

function getSegmenter(language: string): Intl.Segmenter {
  const cached = segmenters.get(language);
  if (cached) return cached;
  if (segmenters.size >= MAX_SEGMENTERS) segmenters.clear();
  const segmenter = new Intl.Segmenter(resolveLocale(language), { granularity: 'sentence' });
  segmenters.set(language, segmenter);
  return segmenter;
}

function resolveLocale(language: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf([language])[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Context of a boundary: longer than any abbreviation with its brackets. */
const TAIL_LENGTH = 32;

/** Exceptions of a language from the sentence boundaries of Unicode. */
export interface SentenceRules {
  readonly code: string;
  /** Abbreviations that never end a sentence: "Dr", "z. B". Matched without the last full stop. */
  readonly neverFinal: RegExp;
  /** Abbreviations that end a sentence only if the next one begins with one of `firstWords`. */
  readonly rarelyFinal: RegExp;
  /** Abbreviations that end no sentence before a number: "Nr". */
  readonly beforeNumber?: RegExp;
  readonly firstWords: ReadonlySet<string>;
  /** Abbreviations of one letter that end a sentence before a capital: "w 2005 r." */
  readonly finalLetter?: RegExp;
  /** The start of a sentence that such an abbreviation does not end: "W 2005 r." */
  readonly opening?: RegExp;
  /** A closing quotation mark after a space, which Unicode assigns to the next sentence. */
  readonly closing?: RegExp;
  /** @returns whether a full stop after a number makes an ordinal, from the text before and after it */
  isOrdinal?(tail: string, head: string, startsAnew: boolean): boolean;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** Sentences of a text: UTF-16 offsets, without the whitespace between. */
export function splitSentences(text: string, rules: SentenceRules): Bounds[] {
  const sentences: { start: number; end: number }[] = [];
  for (const segment of segmentSentences(text, rules.code)) {
    const last = sentences.at(-1);
    const next = { ...segment };
    const closing = last && rules.closing?.exec(text.slice(next.start, next.end))?.[0];
    if (last && closing) {
      last.end = next.start + closing.trimEnd().length;
      next.start += closing.length;
    }
    if (next.start >= next.end) continue;
    if (last && isContinued(text, last, next, rules)) last.end = next.end;
    else sentences.push(next);
  }
  return sentences;
}

function isContinued(text: string, last: Bounds, next: Bounds, rules: SentenceRules): boolean {
  const tail = text.slice(Math.max(last.start, last.end - TAIL_LENGTH), last.end);
  const head = text.slice(next.start, Math.min(next.end, next.start + TAIL_LENGTH));
  // The number of a list item or stray punctuation is no sentence.
  if (last.end - last.start <= 5 && /^\(?(?:\d{1,3}|[a-zA-Z])[.)]+$/.test(tail)) return true;
  if (!/[\p{L}\p{N}]/u.test(head) && next.end - next.start <= TAIL_LENGTH) return /^[\p{P}\p{S}\s]+$/u.test(head);
  if (/^[&+,;)/]/.test(head)) return true;
  // The query of an address
  if (last.end === next.start && /(?:www\.|\/)\S{1,30}\?$/.test(tail)) return true;
  // "FRITZ!Box"
  if (last.end === next.start && /\p{Lu}{3}!$/u.test(tail)) return true;
  if (/[!?…,.]["'”’»“)\]\s]{1,4}$/u.test(tail) && /^\p{Ll}/u.test(head)) return true;
  if (/(?:\.\.\.|…)$/.test(tail)) return /^\p{Ll}/u.test(head);
  if (!tail.endsWith('.')) return false;
  const nextWord = /^["'„“‘«(¿¡]{0,2}\s?([\p{L}'’]+)/u.exec(head)?.[1]?.toLowerCase() ?? '';
  const startsAnew = rules.firstWords.has(nextWord.replace(/^[a-z]{1,2}['’]/u, ''));
  const words = tail.slice(0, -1);
  if (/^(?:\d|[IVXL]{1,6}(?![\p{L}\p{N}.]))/u.test(head) && rules.beforeNumber?.test(words)) return true;
  if (/\d$/.test(words)) return rules.isOrdinal?.(words, head, startsAnew) ?? false;
  if (rules.neverFinal.test(words)) return true;
  if (rules.rarelyFinal.test(words)) return !startsAnew;
  if (rules.finalLetter?.test(words))
    return (
      !/^["„“«]?\p{Lu}(?!\p{Lu}{1,5}(?!\p{L}))/u.test(head) ||
      (last.end - last.start < TAIL_LENGTH && rules.opening?.test(words) === true)
    );
  // "z. B.", "p. ex."
  if (/(?:^|[\s("„“«/-])\p{Ll}$/u.test(words)) return true;
  // "J. K. Rowling", "S. A. S."
  return /(?:^|[\s("„«-])\p{Lu}(?:\.[\s-]?\p{Lu})*$/u.test(words) && (!startsAnew || /^\p{Lu}\./u.test(head));
}
