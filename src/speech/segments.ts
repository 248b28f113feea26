import type { BlockKind, SourceSpan } from './extract/block.ts';
import {
  adaptToVoice,
  formatTokens,
  joinTokens,
  phonemizeTokens,
  toWrittenToken,
} from './phonemize/phonemize-tokens.ts';
import { countAudiblePhonemes, encodePhonemeIds, type Phonemizer } from './phonemize/phonemizer.ts';
import { locateWords, type WordSpan } from './phonemize/word-spans.ts';
import { getPauseAfter, type Sentence, type SpokenToken } from './sentences.ts';
import type { VoiceConfig } from './synthesize/voice-config.ts';

/** The first batch is small, so that the first segment does not wait for the others. */
const defaultBatchSizes = [3, 50];
/** Limits a batch, which is one task of a worker. */
const maxBatchUnits = 8_000;

/**
 * Batches of sentences for one call of a worker each.
 * @param counts maximum sentences of the first, the second … batch; the last one applies to all others
 */
export function* batchSentences(
  sentences: readonly Sentence[],
  counts: readonly number[] = defaultBatchSizes,
): Generator<readonly Sentence[], undefined> {
  let batch: Sentence[] = [];
  let units = 0;
  let number = 0;
  for (const sentence of sentences) {
    const maxSentences = counts[Math.min(number, counts.length - 1)] ?? 1;
    const isFull = batch.length >= maxSentences || units + sentence.text.length > maxBatchUnits;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      units = 0;
      number += 1;
    }
    batch.push(sentence);
    units += sentence.text.length;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Segments of sentences in several voices, in the order of the sentences.
 * @param voiceOf the voice of a span in another language; undefined: the main language
 */
export async function planSegmentsByVoice(
  sentences: readonly Sentence[],
  voiceOf: (language: string | undefined) => VoiceConfig,
  phonemizer: Phonemizer,
): Promise<PlannedBatch> {
  const indices = sentences.map((_, index) => index);
  const byLanguage = Map.groupBy(indices, (index) => sentences[index]?.language);
  const segments: PlannedSegment[] = [];
  const silent: Sentence[] = [];
  const unknownSymbols = new Set<string>();
  for (const [language, places] of byLanguage) {
    const languageSentences = places.flatMap((index) => sentences[index] ?? []);
    const plan = await planSegments(languageSentences, voiceOf(language), phonemizer);
    for (const segment of plan.segments) {
      const sentenceIndex = places[segment.sentenceIndex] ?? 0;
      segments.push({ ...segment, sentenceIndex, ...(language === undefined ? {} : { language }) });
    }
    silent.push(...plan.silent);
    for (const symbol of plan.unknownSymbols) unknownSymbols.add(symbol);
  }
  // Stable: the parts of a sentence keep their order.
  segments.sort((a, b) => a.sentenceIndex - b.sentenceIndex);
  return { segments, silent, unknownSymbols: [...unknownSymbols] };
}

/** A part of a sentence's text, or all of it: UTF-16 offsets, `end` exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** @returns the written words of a range, and their source range */
export function sliceSentence(
  { text, span, sources }: Pick<Sentence, 'text' | 'span' | 'sources'>,
  { start, end }: TextRange,
): { text: string; span: SourceSpan } {
  return {
    text: text.slice(start, end).trim(),
    span: {
      field: span.field,
      start: start === 0 ? span.start : (sources[start] ?? span.start),
      end: end === text.length ? span.end : (sources[end] ?? span.end),
    },
  };
}

/** Longer runs are split before they are phonemized. */
const maxSpokenLength = 400;

/** The unit of work, storage and timing: a sentence, or a part of a long one. */
export interface PlannedSegment {
  /** Index of its sentence in the batch. */
  readonly sentenceIndex: number;
  /** Of a span in another voice. */
  readonly language?: string;
  readonly kind: BlockKind;
  /** The written words. */
  readonly text: string;
  readonly span: SourceSpan;
  readonly spoken: string;
  readonly phonemes: string;
  readonly ids: readonly number[];
  /** Audible phonemes, for the duration check. */
  readonly audiblePhonemes: number;
  readonly pauseMs: number;
  /** Speaking rate relative to that of the article; undefined: 1. */
  readonly rate?: number;
  /** Its range in the text of the sentence. */
  readonly range: TextRange;
  /** The words of `text`, in order. */
  readonly words: readonly WordSpan[];
  /** Whether the voice has every symbol of the sentence. */
  readonly hasOnlyKnownSymbols: boolean;
}

export interface PlannedBatch {
  readonly segments: readonly PlannedSegment[];
  /** Sentences without audible phonemes in this voice. */
  readonly silent: readonly Sentence[];
  /** Symbols that the voice does not have; the rest of the word is spoken. */
  readonly unknownSymbols: readonly string[];
}

type TokenRun = readonly SpokenToken[];

/** A run of tokens of a sentence. */
interface SegmentPart {
  readonly sentence: Sentence;
  readonly tokens: readonly SpokenToken[];
  readonly phonemes: readonly string[];
  readonly ids: readonly number[];
}

/** A part that is heard, with its words; their offsets are in the text of the sentence. */
interface AudiblePart extends SegmentPart {
  readonly words: readonly WordSpan[];
}

/**
 * Turns sentences into segments of at most `voice.maxIds` ids. A longer sentence is split at a clause, else at a word,
 * without a pause.
 */
export async function planSegments(
  sentences: readonly Sentence[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<PlannedBatch> {
  const unknown = new Set<string>();
  const withUnknown = new Set<Sentence>();
  const noteUnknown = (sentence: Sentence, symbols: readonly string[]): void => {
    for (const symbol of symbols) unknown.add(symbol);
    if (symbols.length > 0) withUnknown.add(sentence);
  };
  const phonemized = async (runs: readonly Pick<SegmentPart, 'sentence' | 'tokens'>[]) => {
    const all = await phonemizeTokens(
      runs.map(({ tokens }) => tokens),
      voice,
      phonemizer,
    );
    return runs.map((run, index): SegmentPart => {
      const phonemes = all[index] ?? [];
      const encoded = encodePhonemeIds(phonemes, voice);
      noteUnknown(run.sentence, encoded.unknown);
      return { ...run, phonemes, ids: encoded.ids };
    });
  };

  let parts = await phonemized(
    sentences.flatMap((sentence) => {
      const adapted = adaptToVoice(sentence.tokens, voice);
      noteUnknown(sentence, adapted.unknown);
      return splitByLength(adapted.tokens).map((tokens) => ({ sentence, tokens }));
    }),
  );
  // Ends: `splitRun` reduces inline phonemes or characters each time, and an indivisible run is not too long.
  const isTooLong = (part: SegmentPart): boolean => part.ids.length > voice.maxIds && isSplittable(part.tokens);
  while (parts.some(isTooLong)) {
    const split = parts.map((part) => (isTooLong(part) ? splitToFit(part, voice.maxIds) : []));
    const shorter = await phonemized(split.flat());
    parts = parts.flatMap((part, index) => (isTooLong(part) ? shorter.splice(0, split[index]?.length) : [part]));
  }
  const audible = parts.filter(isAudible);
  const words = await locateWords(
    audible.map(({ sentence, tokens, phonemes }) => ({ text: sentence.text, tokens, phonemes })),
    voice,
    phonemizer,
  );
  const withWords = audible.map((part, index) => ({ ...part, words: words[index] ?? [] }));
  return { ...assembleSegments(sentences, withWords, withUnknown), unknownSymbols: [...unknown] };
}

function splitByLength(tokens: readonly SpokenToken[]): TokenRun[] {
  return splitWhile(tokens, (run) => measureSpokenLength(run) > maxSpokenLength);
}

/** Splits by the expected number of phonemes, so that the phonemizer is called a few times only. */
function splitToFit(
  { sentence, tokens, ids }: SegmentPart,
  maxIds: number,
): Pick<SegmentPart, 'sentence' | 'tokens'>[] {
  const fitting = (measureSpokenLength(tokens) * maxIds) / ids.length;
  const runs = splitRun(tokens);
  // Written words have other phonemes than inline phonemes.
  const parts =
    runs.length === 1 ? runs : runs.flatMap((run) => splitWhile(run, (part) => measureSpokenLength(part) > fitting));
  return parts.map((run) => ({ sentence, tokens: run }));
}

function splitWhile(tokens: TokenRun, isTooLong: (run: TokenRun) => boolean): TokenRun[] {
  const fitting: TokenRun[] = [];
  const pending = [tokens];
  // Ends: `splitRun` reduces inline phonemes or characters each time.
  for (let run = pending.pop(); run !== undefined; run = pending.pop()) {
    if (isSplittable(run) && isTooLong(run)) pending.push(...splitRun(run).toReversed());
    else fitting.push(run);
  }
  return fitting;
}

function measureSpokenLength(tokens: TokenRun): number {
  return [...joinTokens(tokens)].length;
}

function isSplittable(tokens: TokenRun): boolean {
  return measureSpokenLength(tokens) > 1 || tokens.some(({ inlinePhonemes }) => inlinePhonemes !== undefined);
}

/**
 * @returns two runs that are both shorter; or one without inline phonemes, where only a word with such is spoken
 * @throws Error if neither holds, as repeating would never end
 */
function splitRun(tokens: TokenRun): TokenRun[] {
  const spoken = tokens.filter((token) => token.spoken.trim() !== '');
  const [only] = spoken;
  if (spoken.length > 1 || only === undefined) return checkShorter(tokens, splitBetweenTokens(tokens));
  if (only.inlinePhonemes !== undefined)
    return [tokens.map((token) => (token === only ? toWrittenToken(token) : token))];
  return checkShorter(tokens, splitToken(tokens, only));
}

function checkShorter(tokens: TokenRun, halves: TokenRun[]): TokenRun[] {
  const length = measureSpokenLength(tokens);
  if (halves.every((half) => measureSpokenLength(half) < length)) return halves;
  throw new Error(`Splitting a sentence of ${length} characters failed: a part is not shorter`);
}

/** Cuts near the middle: after a clause or else a word that ends in the middle half, else after any token. */
function splitBetweenTokens(tokens: TokenRun): TokenRun[] {
  const lengths = tokens.map(({ spoken }) => spoken.length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let reached = 0;
  const cuts = lengths.slice(0, -1).map((length, index) => {
    reached += length;
    return { after: index + 1, distance: Math.abs(reached - total / 2) };
  });
  const isSpoken = ({ spoken }: SpokenToken): boolean => spoken.trim() !== '';
  const first = tokens.findIndex(isSpoken) + 1;
  const last = tokens.findLastIndex(isSpoken);
  // Both sides have spoken words.
  const possible = cuts.filter(({ after }) => after >= first && after <= last).sort((a, b) => a.distance - b.distance);
  const central = possible.filter(({ distance }) => distance <= total / 4);
  const endsWith = (cut: number, sign: RegExp) =>
    sign.test(tokens[cut - 1]?.spoken ?? '') ||
    (/^\s/.test(tokens[cut]?.spoken ?? '') && sign.test(`${tokens[cut - 1]?.spoken ?? ''} `));
  const best =
    central.find(({ after }) => endsWith(after, /[,;:.!?–—)][\s"”’]*$/)) ??
    central.find(({ after }) => endsWith(after, /\s$/)) ??
    possible[0];
  const cut = best?.after ?? first;
  return [tokens.slice(0, cut), tokens.slice(cut)];
}

/** Cuts the only spoken token at a space near the middle, else between two characters. */
function splitToken(tokens: TokenRun, token: SpokenToken): TokenRun[] {
  const characters = [...token.spoken.trim()];
  const half = Math.ceil(characters.length / 2);
  const space = characters.indexOf(' ', half);
  const isNear = space > 0 && space < characters.length * 0.75;
  const cut = isNear ? space : half;
  const middle = token.start + Math.ceil((token.end - token.start) / 2);
  const start = tokens[0]?.start ?? token.start;
  const end = tokens.at(-1)?.end ?? token.end;
  return [
    [{ spoken: characters.slice(0, cut).join(''), start, end: middle }],
    [{ spoken: characters.slice(cut).join(''), start: middle, end }],
  ];
}

function assembleSegments(
  sentences: readonly Sentence[],
  parts: readonly AudiblePart[],
  withUnknown: ReadonlySet<Sentence>,
): Pick<PlannedBatch, 'segments' | 'silent'> {
  const bySentence = Map.groupBy(parts, ({ sentence }) => sentence);
  const segments: PlannedSegment[] = [];
  const silent: Sentence[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const audible = bySentence.get(sentence) ?? [];
    if (audible.length === 0) silent.push(sentence);
    else segments.push(...toSegments(sentence, index, audible, !withUnknown.has(sentence)));
  }
  return { segments, silent };
}

/** espeak-ng would spell out combining marks that are cut off from their letter. */
function isAudible({ sentence, tokens, phonemes }: SegmentPart): boolean {
  const source = sentence.text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
  return countAudiblePhonemes(phonemes) > 0 && !/^[\p{M}\s]+$/u.test(source);
}

/** The text of each part extends to the next part, so that every character of the sentence has a segment. */
function toSegments(
  sentence: Sentence,
  sentenceIndex: number,
  audible: readonly AudiblePart[],
  isKnown: boolean,
): PlannedSegment[] {
  const startOf = (part: AudiblePart) => alignToCharacter(sentence.text, part.tokens[0]?.start ?? 0);
  return audible.map((part, index) => {
    const next = audible[index + 1];
    const range = {
      start: index === 0 ? 0 : startOf(part),
      end: next === undefined ? sentence.text.length : startOf(next),
    };
    const slice = sliceSentence(sentence, range);
    const textStart = sentence.text.indexOf(slice.text, range.start);
    return {
      sentenceIndex,
      kind: sentence.kind,
      ...slice,
      spoken: formatTokens(part.tokens),
      phonemes: part.phonemes.join(''),
      ids: part.ids,
      audiblePhonemes: countAudiblePhonemes(part.phonemes),
      pauseMs: next === undefined ? getPauseAfter(sentence) : 0,
      ...(sentence.rate === undefined ? {} : { rate: sentence.rate }),
      range,
      words: part.words.map((word) => ({ ...word, start: word.start - textStart, end: word.end - textStart })),
      hasOnlyKnownSymbols: isKnown,
    };
  });
}

/** @returns the offset, or the one before it if it would split a surrogate pair */
function alignToCharacter(text: string, offset: number): number {
  const isInPair = offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  return isInPair ? offset - 1 : offset;
}
