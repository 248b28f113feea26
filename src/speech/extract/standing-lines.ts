import type { Block, LeftOutReason } from './block.ts';
import { standingLines } from './standing-line-patterns.ts';

const MAX_LINE_UNITS = 300;
const MAX_LINE_WORDS = 40;
const EDGES = /^[^\p{L}\p{N}©@¿]+|[^\p{L}\p{N})]+$/gu;

const compiled = standingLines.map(({ reason, isNoSentence = false, patterns }) => ({
  reason,
  isNoSentence,
  pattern: new RegExp(`^(?:${Object.values(patterns).flat().map(toPattern).join('|')})\\)?$`, 'u'),
}));

function toPattern(line: string): string {
  return line.replaceAll('……', '.{0,200}').replaceAll('…', '(?:\\S+(?: \\S+){0,3})');
}

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u;
/** A quotation, as in "“Please donate now.”", is text of the article. */
const QUOTATION = /^["“„«‚‘].*["”“»’]$/s;
/** "Listen." and "“No comment”" are said by someone. */
const SPEECH = /^["“„«‚‘]|[.!?…]["”’»)]*$/;
const MAX_LABEL_WORDS = 2;

/** @returns why a whole line is no text of the article; undefined if it is */
export function findStandingLine({ kind, text: line }: Pick<Block, 'kind' | 'text'>): LeftOutReason | undefined {
  if (line.length > MAX_LINE_UNITS) return undefined;
  if (QUOTATION.test(line)) return undefined;
  const text = line.toLowerCase().replace(/[’‘]/g, "'").replace(EDGES, '');
  const wordCount = text.split(' ').length;
  if (wordCount > MAX_LINE_WORDS || (wordCount <= MAX_LABEL_WORDS && SPEECH.test(line))) return undefined;
  // A heading or an item of one word may be a topic of the article: "Comments".
  if (wordCount === 1 && kind !== 'paragraph') return undefined;
  const isSentence = SENTENCE_END.test(line);
  return compiled.find(
    ({ isNoSentence, pattern }) => !(isNoSentence && (isSentence || kind === 'heading')) && pattern.test(text),
  )?.reason;
}

export function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text.slice(-6));
}
