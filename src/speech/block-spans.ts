import type { Block, LanguageRun } from './extract/block.ts';
import { type SpeechMark, verbalizeAs } from './extract/ssml.ts';
import type { Language } from './normalize/language.ts';
import type { GivenAlias, PronunciationReplacer } from './pronunciation/replacer.ts';

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

/** UTF-16 offsets in the text of a block, `end` exclusive. */
export interface SentenceBounds {
  readonly start: number;
  readonly end: number;
  /** A mark within the sentence ends it here: what follows continues it. */
  readonly isCut?: boolean;
  /** Speaking rate, where it is not that of the article. */
  readonly rate?: number;
}

/** Divides sentences where they change their rate, pause, or end by a mark. Text without words stays with what is before it. */
export function cutAtMarks({ text, marks }: Block, sentences: readonly SentenceBounds[]): readonly SentenceBounds[] {
  if (marks === undefined) return sentences;
  const allCuts = findCuts(marks);
  return sentences.flatMap(({ start, end }) => {
    const parts: { start: number; end: number; isCut: boolean; rate?: number }[] = [];
    const cuts = allCuts.filter((at) => at > start && at < end);
    for (const [index, from] of [start, ...cuts].entries()) {
      const to = cuts[index] ?? end;
      const last = parts.at(-1);
      const bounds = trimBounds(text, from, to);
      if (bounds === undefined) continue;
      if (last !== undefined && !SPEAKABLE.test(text.slice(from, to))) {
        last.end = bounds.end;
        continue;
      }
      const rate = findRate(marks, bounds.start);
      if (last !== undefined) last.isCut = !marks.some((mark) => mark.kind === 'sentence' && mark.start === from);
      parts.push({ ...bounds, isCut: false, ...(rate === undefined ? {} : { rate }) });
    }
    return parts;
  });
}

/** @returns the longest silence that marks ask for between two offsets, both inclusive, in ms */
export function findPauseMs({ marks = [] }: Block, from: number, to: number): number | undefined {
  const pauses = marks.flatMap((mark) =>
    mark.kind === 'pause' && mark.start >= from && mark.start <= to ? [mark.pauseMs] : [],
  );
  return pauses.length === 0 ? undefined : Math.max(...pauses);
}

/** Replacements of words by marks within a sentence, with offsets in the sentence. */
export function listGivenAliases(
  { text, marks = [] }: Block,
  { start, end }: SentenceBounds,
  language: string,
): readonly GivenAlias[] {
  let reached = start;
  return marks.flatMap((mark): GivenAlias[] => {
    if (mark.kind !== 'say' || mark.start < reached || mark.end > end) return [];
    reached = mark.end;
    const alias = verbalizeAs(text.slice(mark.start, mark.end), mark.as, language);
    const source = 'formula' in mark.as ? 'formula' : 'ssml';
    return [{ start: mark.start - start, end: mark.end - start, alias, source }];
  });
}

function findCuts(marks: readonly SpeechMark[]): number[] {
  const offsets = marks.flatMap((mark) => {
    if (mark.kind === 'say') return [];
    return mark.kind === 'rate' ? [mark.start, mark.end] : [mark.start];
  });
  return [...new Set(offsets)].sort((a, b) => a - b);
}

function findRate(marks: readonly SpeechMark[], at: number): number | undefined {
  return marks.flatMap((mark) => (mark.kind === 'rate' && mark.start <= at && at < mark.end ? [mark.rate] : [])).at(-1);
}

/** @returns undefined where nothing but white space is left */
function trimBounds(text: string, start: number, end: number): { start: number; end: number } | undefined {
  const part = text.slice(start, end);
  const from = start + part.length - part.trimStart().length;
  const to = start + part.trimEnd().length;
  return to > from ? { start: from, end: to } : undefined;
}
