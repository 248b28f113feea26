import type { Block, LanguageRun } from './extract/block.ts';
import type { Language } from './normalize/language.ts';
import type { PronunciationReplacer } from './pronunciation/replacer.ts';

/** A language with a voice of its own. */
interface ForeignLanguage {
  readonly language: Language;
  readonly replacer: PronunciationReplacer;
}

/** By BCP 47 primary code. */
export type ForeignLanguages = ReadonlyMap<string, ForeignLanguage>;

/** A range of a block in one language: UTF-16 offsets, `end` exclusive. */
export interface LanguageSpan {
  readonly start: number;
  readonly end: number;
  /** Undefined: the main language. */
  readonly foreign: ForeignLanguage | undefined;
}

/** Fewer words within a sentence keep its voice: a change of voice for a name is worse than an accent. */
const MIN_WORDS = 3;
/** Scripts without spaces between words: their letters are counted. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;
const MIN_LETTERS = 5;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu;
const SPEAKABLE = /[\p{L}\p{N}]/u;
const ENDS_SENTENCE = /[.!?…。！？।؟][\p{Pe}\p{Pf}"'\s]{0,9}$/u;
/** Adjacent characters that belong to a span, such as quotation marks and the full stop. */
const OPENING = /[\p{Ps}\p{Pi}"'„¿¡]{1,9}$/u;
const CLOSING = /^[\p{Pe}\p{Pf}"'.,;:!?…。，！？]{1,9}/u;
const TOUCHING_UNITS = 9;
const AROUND_UNITS = 20;

/** Splits a block into spans that cover it, in linear time. */
export function splitByLanguage(block: Block, mainLanguage: Language, foreign: ForeignLanguages): LanguageSpan[] {
  const { text } = block;
  if (foreign.size === 0 || block.languages.length === 0) return [{ start: 0, end: text.length, foreign: undefined }];
  const spans: LanguageSpan[] = [];
  let from = 0;
  for (const run of block.languages) {
    const language = run.language === mainLanguage.code ? undefined : foreign.get(run.language);
    if (language === undefined || !isLongEnough(text, run)) continue;
    const before = text.slice(Math.max(from, run.start - TOUCHING_UNITS), run.start);
    const start = run.start - (OPENING.exec(before)?.[0].length ?? 0);
    const after = text.slice(run.end, run.end + TOUCHING_UNITS);
    const end = run.end + (CLOSING.exec(after)?.[0].length ?? 0);
    if (start > from) spans.push({ start: from, end: start, foreign: undefined });
    spans.push({ start: Math.max(start, from), end, foreign: language });
    from = end;
  }
  if (from < text.length) spans.push({ start: from, end: text.length, foreign: undefined });
  return mergeSilent(spans, text);
}

/** Whether a sentence continues after a span: then the pause is short. */
export function continuesAfter(spanText: string, next: string): boolean {
  return !ENDS_SENTENCE.test(spanText.slice(-TOUCHING_UNITS - 1)) || /^[\p{P}\s]{0,9}\p{Ll}/u.test(next);
}

function isLongEnough(text: string, { start, end }: LanguageRun): boolean {
  const run = text.slice(start, end);
  if ((run.match(WORD)?.length ?? 0) >= MIN_WORDS) return true;
  if ((run.match(SPACELESS)?.length ?? 0) >= MIN_LETTERS) return true;
  const before = text
    .slice(Math.max(0, start - AROUND_UNITS), start)
    .replace(OPENING, '')
    .trimEnd();
  const beginsSentence = before === '' || ENDS_SENTENCE.test(before);
  const after = text.slice(end, end + AROUND_UNITS);
  const isLast = end + AROUND_UNITS >= text.length && !SPEAKABLE.test(after);
  const endsSentence = isLast || ENDS_SENTENCE.test(run.slice(-AROUND_UNITS)) || /^[.!?…]/.test(after);
  return SPEAKABLE.test(run) && beginsSentence && endsSentence;
}

/** Appends spans without letters to the span before them. */
function mergeSilent(spans: readonly LanguageSpan[], text: string): LanguageSpan[] {
  const speakable: LanguageSpan[] = [];
  let from = 0;
  for (const span of spans) {
    const isSilent = !SPEAKABLE.test(text.slice(span.start, span.end));
    const last = speakable.at(-1);
    if (isSilent && last) speakable[speakable.length - 1] = { ...last, end: span.end };
    else if (!isSilent) speakable.push({ ...span, start: from });
    if (!isSilent || last) from = span.end;
  }
  return speakable;
}
