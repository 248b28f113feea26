import type { SpokenToken } from '../sentences.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { formatTokens, getInlinePhonemeSymbols, phonemizeTokens } from './phonemize-tokens.ts';
import { encodePhonemeIds, isAudiblePhoneme, type Phonemizer } from './phonemizer.ts';

/** A word of a text with the phoneme ids that say it. Several words that are spoken as one, such as a date, are one. */
export interface WordSpan {
  /** UTF-16 offsets in the text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Indices of its ids, `endId` exclusive. */
  readonly firstId: number;
  readonly endId: number;
}

/** Tokens that are phonemized together. */
export interface TokenRunPhonemes {
  /** The text that the offsets of the tokens refer to. */
  readonly text: string;
  readonly tokens: readonly SpokenToken[];
  readonly phonemes: readonly string[];
}

/**
 * Finds the words of each run in its phonemes. espeak-ng joins words ("of the") and divides them ("B.B.C."), so the phonemes of a
 * run are aligned with those of each word spoken by itself.
 */
export async function locateWords(
  runs: readonly TokenRunPhonemes[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<WordSpan[][]> {
  const words = runs.map(({ text, tokens }) => findSpokenWords(text, tokens));
  const alone = await phonemizeWords(words.flat(), voice, phonemizer);
  return runs.map(({ phonemes }, index) => {
    const wordsOfSpan = words[index] ?? [];
    const ranges = alignWords(
      phonemes,
      wordsOfSpan.map(({ tokens }) => alone.get(createKey(tokens)) ?? []),
    );
    const { positions } = encodePhonemeIds(phonemes, voice);
    return wordsOfSpan.flatMap(({ start, end }, place) => {
      const range = ranges[place];
      const firstId = positions[range?.start ?? 0] ?? 0;
      const endId = positions[range?.end ?? 0] ?? 0;
      return firstId < endId ? [{ start, end, firstId, endId }] : [];
    });
  });
}

interface SpokenWord {
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly SpokenToken[];
}

/** What is written without a space or dash is one word. */
const writtenWord = /[^\s–—…/]+/gu;
const speakable = /[\p{L}\p{N}]/u;

/** @returns the words of a text, without punctuation around them; words that share a token are one */
function findSpokenWords(text: string, tokens: readonly SpokenToken[]): SpokenWord[] {
  const written = Array.from(text.matchAll(writtenWord), ({ 0: word, index }) => index + word.length);
  const words: { first: number; last: number; lastWritten: number }[] = [];
  let at = 0;
  for (const [index, { spoken, start, end }] of tokens.entries()) {
    if (!speakable.test(spoken)) continue;
    while (at < written.length - 1 && (written[at] ?? 0) <= start) at += 1;
    const word = words.at(-1);
    const isSameWord = word !== undefined && at <= word.lastWritten;
    while (at < written.length - 1 && (written[at] ?? 0) < end) at += 1;
    if (isSameWord) Object.assign(word, { last: index, lastWritten: at });
    else words.push({ first: index, last: index, lastWritten: at });
  }
  return words.map(({ first, last }) => ({
    start: tokens[first]?.start ?? 0,
    end: tokens[last]?.end ?? 0,
    tokens: tokens.slice(first, last + 1),
  }));
}

/** Of words in one text: a text costs as much as 20 of them. */
const wordsPerText = 40;
/** It ends a clause, so that espeak-ng joins no words. */
const separator = ';';

/** One word may be pronounced in several ways: "read". */
function createKey(tokens: readonly SpokenToken[]): string {
  const ipa = tokens.flatMap(({ inlinePhonemes }) => inlinePhonemes?.sounds ?? []).map((sound) => sound.ipa);
  return [formatTokens(tokens), ...ipa].join('\n');
}

/** Phonemes of words by themselves; most words of an article occur in others, too. */
const wordPhonemes = new WeakMap<VoiceConfig, Map<string, string[]>>();
const maxCachedWords = 2_000;

/** @returns the phonemes of each word spoken by itself, by its key */
async function phonemizeWords(
  words: readonly SpokenWord[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<Map<string, string[]>> {
  let alone = wordPhonemes.get(voice) ?? new Map<string, string[]>();
  if (alone.size > maxCachedWords) alone = new Map();
  wordPhonemes.set(voice, alone);
  const keyed = words.map(({ tokens }) => [createKey(tokens), tokens] as const);
  const distinct = new Map(keyed.filter(([key]) => !alone.has(key)));
  const isPlain = ([spoken, tokens]: [string, readonly SpokenToken[]]) =>
    !spoken.includes(separator) && tokens.every(({ inlinePhonemes }) => inlinePhonemes === undefined);
  for (const [key, tokens] of distinct) {
    const given = getInlinePhonemeSymbols(tokens, voice);
    if (given === undefined) continue;
    alone.set(key, given);
    distinct.delete(key);
  }
  const { plain = [], other = [] } = Object.groupBy(distinct, (word) => (isPlain(word) ? 'plain' : 'other'));
  const groups: (typeof plain)[] = [];
  for (let start = 0; start < plain.length; start += wordsPerText) {
    groups.push(plain.slice(start, start + wordsPerText));
  }
  const texts = groups.map((group) => group.map(([spoken]) => `${spoken}${separator}`).join(' '));
  const phonemized = await phonemizer.phonemize(texts, voice);
  for (const [index, group] of groups.entries()) {
    const parts = splitAt(phonemized[index] ?? [], separator);
    if (parts.length !== group.length + 1) other.push(...group);
    else for (const [place, [spoken]] of group.entries()) alone.set(spoken, parts[place] ?? []);
  }
  const others = await phonemizeTokens(
    other.map(([, tokens]) => tokens),
    voice,
    phonemizer,
  );
  for (const [index, [spoken]] of other.entries()) alone.set(spoken, others[index] ?? []);
  return alone;
}

/** @returns the phonemes between the symbols, without spaces in front */
function splitAt(phonemes: readonly string[], symbol: string): string[][] {
  const parts: string[][] = [[]];
  for (const phoneme of phonemes) {
    const part = parts.at(-1);
    if (phoneme === symbol) parts.push([]);
    else if (phoneme !== space || part?.length !== 0) part?.push(phoneme);
  }
  return parts;
}

interface PhonemeRange {
  readonly start: number;
  readonly end: number;
}

/** A symbol of the words one after another. */
interface WordSymbol {
  readonly symbol: string;
  /** Index of the word; of the second one for the boundary between two. */
  readonly word: number;
}

const space = ' ';
const stressMark = /[ˈˌ]/;
const modifier = /^[\p{Lm}\p{M}]/u;

/**
 * @param alone phonemes of each word spoken by itself
 * @returns the range of each word in the phonemes; empty for a word that is not heard
 */
function alignWords(phonemes: readonly string[], alone: readonly (readonly string[])[]): PhonemeRange[] {
  const isCompared = (symbol: string) => symbol === space || isAudiblePhoneme(symbol);
  const indices = [...phonemes.keys()].filter((index) => isCompared(phonemes[index] ?? ''));
  const symbols = alone.flatMap((word, index): WordSymbol[] => [
    ...(index === 0 ? [] : [{ symbol: space, word: index }]),
    ...word.filter(isCompared).map((symbol) => ({ symbol, word: index })),
  ]);
  const found = assignWords(
    indices.map((index) => phonemes[index] ?? ''),
    symbols,
  );
  const ranges = alone.map(() => ({ start: 0, end: 0 }));
  for (const [place, index] of indices.entries()) {
    const range = ranges[found[place] ?? 0];
    if (range === undefined || phonemes[index] === space) continue;
    if (range.end === 0) range.start = stressMark.test(phonemes[index - 1] ?? '') ? index - 1 : index;
    range.end = index + 1;
  }
  for (const range of ranges) {
    if (range.end === 0) continue;
    for (let next = phonemes[range.end] ?? ''; modifier.test(next) && !stressMark.test(next); ) {
      range.end += 1;
      next = phonemes[range.end] ?? '';
    }
  }
  return ranges;
}

const moves = { match: 0, skipHeard: 1, skipWord: 2 } as const;
const vowel = /[aeiouyæøœɐɑɒɔəɘɛɜɞɤɨɪɯɵɶʉʊʌʏᵻɚɝ]/;
const kinds = { space: 0, vowel: 1, consonant: 2 } as const;
const kindCount = 3;
const never = -1_000_000;
/** Scores by kind: of an equal symbol, of a symbol without a partner, and of two different ones by both kinds. */
const matchScores = Int32Array.of(3, 4, 4);
const gapScores = Int32Array.of(-1, -2, -2);
const mismatchScores = Int32Array.of(...[never, never, never], ...[never, 1, -3], ...[never, -3, -1]);

/** Symbols as numbers, as every pair of a sentence is compared. */
interface ComparedSymbols {
  readonly codes: Int32Array;
  readonly kinds: Uint8Array;
}

/** @param codes of the symbols so far */
function toCompared(symbols: readonly string[], codes: Map<string, number>): ComparedSymbols {
  return {
    codes: Int32Array.from(symbols, (symbol) => codes.getOrInsert(symbol, codes.size)),
    kinds: Uint8Array.from(symbols, (symbol) => {
      if (symbol === space) return kinds.space;
      return vowel.test(symbol) ? kinds.vowel : kinds.consonant;
    }),
  };
}

/** Aligns two sequences by Needleman and Wunsch. @returns the word of each symbol that is heard */
function assignWords(phonemes: readonly string[], symbols: readonly WordSymbol[]): number[] {
  const codes = new Map<string, number>();
  const rows = toCompared(phonemes, codes);
  const columns = toCompared(
    symbols.map(({ symbol }) => symbol),
    codes,
  );
  const width = symbols.length + 1;
  const steps = new Uint8Array((phonemes.length + 1) * width).fill(moves.skipWord, 0, width);
  let above = new Int32Array(width);
  let scores = new Int32Array(width);
  const wordGaps = Int32Array.from(columns.kinds, (kind) => gapScores[kind] ?? 0);
  for (let column = 1; column < width; column += 1) {
    above[column] = (above[column - 1] ?? 0) + (wordGaps[column - 1] ?? 0);
  }
  for (let row = 1; row <= phonemes.length; row += 1) {
    const code = rows.codes[row - 1];
    const kind = rows.kinds[row - 1] ?? 0;
    const matchScore = matchScores[kind] ?? 0;
    const heardGap = gapScores[kind] ?? 0;
    let left = (above[0] ?? 0) + heardGap;
    scores[0] = left;
    steps[row * width] = moves.skipHeard;
    for (let column = 1; column < width; column += 1) {
      const isEqual = columns.codes[column - 1] === code;
      const pairScore = isEqual
        ? matchScore
        : (mismatchScores[kind * kindCount + (columns.kinds[column - 1] ?? 0)] ?? 0);
      let best = (above[column - 1] ?? 0) + pairScore;
      let move: number = moves.match;
      const skippedHeard = (above[column] ?? 0) + heardGap;
      if (skippedHeard > best) {
        best = skippedHeard;
        move = moves.skipHeard;
      }
      const skippedWord = left + (wordGaps[column - 1] ?? 0);
      if (skippedWord > best) {
        best = skippedWord;
        move = moves.skipWord;
      }
      scores[column] = best;
      steps[row * width + column] = move;
      left = best;
    }
    [above, scores] = [scores, above];
  }
  return traceWords(steps, width, phonemes.length, symbols);
}

/** Goes back from the end: each step goes up or left. */
function traceWords(steps: Uint8Array, width: number, height: number, symbols: readonly WordSymbol[]): number[] {
  const words = new Array<number>(height).fill(0);
  let column = width - 1;
  for (let row = height; row > 0; ) {
    const move = steps[row * width + column];
    if (move !== moves.skipWord) {
      words[row - 1] = symbols[column - 1]?.word ?? 0;
      row -= 1;
    }
    if (move !== moves.skipHeard) column -= 1;
  }
  return words;
}

/** A word of a segment: offsets in its text, and its times in ms from the start of the segment. */
export interface WordTime {
  readonly start: number;
  readonly end: number;
  readonly startMs: number;
  readonly endMs: number;
}

const numbersPerWord = 4;
const maxUint16 = 0xffff;

/** @returns the numbers of each word one after another; a word beyond their range is left out */
export function packWords(words: readonly WordSpan[]): Uint8Array {
  const numbers = words.flatMap(({ start, end, firstId, endId }) =>
    end <= maxUint16 ? [start, end, firstId, endId] : [],
  );
  return toBytes(Uint16Array.from(numbers));
}

export function packIdStarts(idStartsMs: Uint16Array | undefined): Uint8Array | null {
  return idStartsMs === undefined ? null : toBytes(idStartsMs);
}

/**
 * @param words of `packWords`
 * @param idStarts of `packIdStarts`
 * @returns undefined if the times are unknown
 */
export function computeWordTimes(words: Uint8Array | null, idStarts: Uint8Array | null): WordTime[] | undefined {
  if (words === null || idStarts === null) return undefined;
  const numbers = toNumbers(words);
  const starts = toNumbers(idStarts);
  return Array.from({ length: numbers.length / numbersPerWord }, (_, index) => {
    const [start = 0, end = 0, firstId = 0, endId = 0] = numbers.subarray(index * numbersPerWord);
    return { start, end, startMs: starts[firstId] ?? 0, endMs: starts[endId] ?? 0 };
  });
}

function toBytes({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy: the bytes of a row may begin at an odd address. */
function toNumbers(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(new Uint8Array(bytes).buffer);
}
