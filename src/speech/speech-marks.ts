import type { Block } from './extract/block.ts';
import { type SpeechMark, verbalizeAs } from './extract/ssml.ts';
import type { GivenAlias } from './pronunciation/replacer.ts';

/** UTF-16 offsets in the text of a block, `end` exclusive. */
export interface SentenceBounds {
  readonly start: number;
  readonly end: number;
  /** A mark within the sentence ends it here: what follows continues it. */
  readonly isCut?: boolean;
  /** Speaking rate, where it is not that of the article. */
  readonly rate?: number;
}

const SPEAKABLE = /[\p{L}\p{N}]/u;

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
