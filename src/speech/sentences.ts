import { createHash } from 'node:crypto';
import {
  continuesAfter,
  cutAtMarks,
  type ForeignLanguages,
  findPauseMs,
  type LanguageSpan,
  listGivenAliases,
  type SentenceBounds,
  splitByLanguage,
} from './block-spans.ts';
import {
  type ArticleDocument,
  type Block,
  type BlockKind,
  createLeftOut,
  type LeftOut,
  type SourceSpan,
} from './extract/block.ts';
import type { Language, NormalizedToken } from './normalize/language.ts';
import type { PronunciationSource } from './pronunciation/built-in.ts';
import { type InlinePhonemes, type InlineSound, splitAroundPlaceholders } from './pronunciation/inline-phonemes.ts';
import { noReplacements, type PronunciationReplacer, type ReplacedText } from './pronunciation/replacer.ts';

/**
 * A digest of a text without its white space, which changes between sentences and at line breaks.
 */
export interface TextDigest {
  /** UTF-16 units without white space. */
  readonly characters: number;
  /** SHA-256 of these units, little-endian; hex. */
  readonly sha256: string;
}

/** Digests a text in parts of any size. */
export class TextDigester {
  readonly #hash = createHash('sha256');
  #characters = 0;

  add(text: string): void {
    const visible = text.replace(/\s+/g, '');
    this.#characters += visible.length;
    this.#hash.update(visible, 'utf16le');
  }

  /** Nothing can be added after it. */
  digest(): TextDigest {
    return { characters: this.#characters, sha256: this.#hash.digest('hex') };
  }
}

export function digestText(tokens: Iterable<string>): TextDigest {
  const digester = new TextDigester();
  for (const token of tokens) digester.add(token);
  return digester.digest();
}

/** Silence after the last sentence of a block, in ms, as newsreaders pause. */
const pauseAfterBlockMs: Record<BlockKind, number> = {
  title: 900,
  heading: 700,
  paragraph: 600,
  quote: 650,
  list: 450,
};
const pauseBetweenSentencesMs = 320;
/** After a question, which the listener answers, and after one that trails off. */
const pauseAfterQuestionMs = 420;
const QUESTION = /[?…？؟]["'”’»)\]\s]{0,9}$/u;
/** Between two voices in one sentence. */
const pauseBetweenVoicesMs = 120;

export function getPauseAfter(
  sentence: Pick<Sentence, 'kind' | 'text' | 'endsBlock' | 'continues' | 'continuesInOtherVoice' | 'pauseMs'>,
): number {
  if (sentence.continues) return 0;
  if (sentence.pauseMs !== undefined) return sentence.pauseMs;
  if (sentence.continuesInOtherVoice) return pauseBetweenVoicesMs;
  if (sentence.endsBlock) return pauseAfterBlockMs[sentence.kind];
  return QUESTION.test(sentence.text) ? pauseAfterQuestionMs : pauseBetweenSentencesMs;
}

export interface Sentence {
  readonly kind: BlockKind;
  readonly text: string;
  readonly span: SourceSpan;
  /** Offset in the source field of each UTF-16 unit of `text`, and of its end. */
  readonly sources: Uint32Array;
  /** Last of its block: a longer pause follows. */
  readonly endsBlock: boolean;
  /** Split for its length: the next one continues it without a pause. */
  readonly continues: boolean;
  /** Another voice continues it after a short pause. */
  readonly continuesInOtherVoice?: boolean;
  /** Pause after it that the text requests, in ms. */
  readonly pauseMs?: number;
  /** Speaking rate relative to that of the article; undefined: 1. */
  readonly rate?: number;
  /** BCP 47 primary code, if a voice of another language speaks it. */
  readonly language?: string;
  readonly tokens: readonly SpokenToken[];
}

export interface SpokenToken extends NormalizedToken {
  /** Inline phonemes, which the spoken words contain as placeholders. */
  readonly inlinePhonemes?: InlinePhonemes;
  /** Where the pronunciation of the word comes from; undefined: from the phonemizer. */
  readonly pronouncedBy?: PronunciationSource;
  /** Of a name pronounced by origin rules. */
  readonly origin?: string;
}

export interface Coverage {
  /** Extracted characters without white space. */
  readonly extractedChars: number;
  /** Those of them that the sentences must contain. */
  readonly expectedText: TextDigest;
}

const noSpeakableText = 'no speakable text';
const SPEAKABLE = /[\p{L}\p{N}]/u;
/** After these no full stop is added. */
const ENDS_WITH_PUNCTUATION = /[.!?…:;,。！？।؟][\s\p{Pe}\p{Pf}\p{Pi}"'”’]{0,20}$/u;
/** Longer sentences are split, which bounds the tasks of workers. */
const MAX_SENTENCE_UNITS = 2_000;
/** Characters that aliases may add to a sentence and to an article; a longer article may double. */
const MAX_GROWTH_PER_SENTENCE = 1_000;
const MAX_GROWTH_PER_ARTICLE = 20_000;
const CLAUSE_END = /[,;:–—)]["'”’\s]*$/;

/**
 * The sentences of a document in order. Sentences without words, such as "***", are excluded with that reason, as are words
 * that no voice of the language can pronounce.
 * @param lexicon replaces words; text and offsets of a sentence stay those of the article
 * @param foreign languages of spans with voices of their own
 */
export function buildSentences(
  document: ArticleDocument,
  language: Language,
  lexicon: PronunciationReplacer = noReplacements,
  foreign: ForeignLanguages = new Map(),
): { sentences: Sentence[]; leftOut: LeftOut[]; coverage: Coverage } {
  const sentences: Sentence[] = [];
  const leftOut: LeftOut[] = [];
  const expectedText = new TextDigester();
  const length = document.blocks.reduce((sum, { text }) => sum + text.length, 0);
  let room = Math.max(MAX_GROWTH_PER_ARTICLE, length);
  for (const block of document.blocks) {
    const spoken: NormalizedSentence[] = [];
    const silent: SentenceBounds[] = [];
    for (const languageSpan of splitByLanguage(block, language, foreign)) {
      const voice = languageSpan.foreign ?? { language, replacer: lexicon };
      for (const bounds of cutAtMarks(block, findSentenceBounds(block.text, languageSpan, voice.language))) {
        const text = block.text.slice(bounds.start, bounds.end);
        const inlineAliases = listGivenAliases(block, bounds, voice.language.code);
        const replaced = voice.replacer(text, Math.min(room, MAX_GROWTH_PER_SENTENCE), inlineAliases);
        room -= replaced.growth;
        const tokens = SPEAKABLE.test(replaced.text)
          ? mapToSource(voice.language.normalize(replaced.text), replaced, text)
          : [];
        const words = createLeftOutWords(block, bounds, tokens);
        if (tokens.some(isSpeakable)) {
          spoken.push({ bounds, replaced, tokens, languageSpan });
          leftOut.push(...words);
        } else {
          silent.push(bounds);
          const reason = words[0]?.reason ?? noSpeakableText;
          leftOut.push(createLeftOut(text, reason, createSpan(block, bounds)));
        }
      }
    }
    // Of the block, not of its sentences, to detect text lost between two sentences.
    expectedText.add(removeRanges(silent, block.text));
    lengthenLastPause(sentences, findPauseMs(block, 0, spoken[0]?.bounds.start ?? 0));
    for (const [index, part] of spoken.entries()) {
      const sentence = buildSentence(block, part, spoken[index + 1]);
      sentences.push(...splitLongSentence(sentence, part.replaced.replacements.length > 0));
    }
  }
  const extractedChars = digestText(document.blocks.map(({ text }) => text)).characters;
  return { sentences, leftOut, coverage: { extractedChars, expectedText: expectedText.digest() } };
}

/** A silence at the start of a block belongs to the sentence before it. */
function lengthenLastPause(sentences: Sentence[], pauseMs: number | undefined): void {
  const last = sentences.at(-1);
  if (last === undefined || pauseMs === undefined) return;
  sentences[sentences.length - 1] = { ...last, pauseMs: Math.max(getPauseAfter(last), pauseMs) };
}

function removeRanges(bounds: readonly SentenceBounds[], text: string): string {
  const starts = [0, ...bounds.map(({ end }) => end)];
  return starts.map((start, index) => text.slice(start, bounds[index]?.start)).join('');
}

interface NormalizedSentence {
  readonly bounds: SentenceBounds;
  readonly replaced: ReplacedText;
  readonly tokens: readonly SpokenToken[];
  readonly languageSpan: LanguageSpan;
}

function findSentenceBounds(text: string, { start, end }: LanguageSpan, language: Language): SentenceBounds[] {
  if (start === 0 && end === text.length) return language.splitSentences(text);
  return language
    .splitSentences(text.slice(start, end))
    .map((bounds) => ({ start: start + bounds.start, end: start + bounds.end }));
}

/** @param next the one after it in the block; none: it is the last */
function buildSentence(
  block: Block,
  { bounds, replaced, tokens, languageSpan }: NormalizedSentence,
  next: NormalizedSentence | undefined,
): Sentence {
  const text = block.text.slice(bounds.start, bounds.end);
  const continuesInOtherVoice =
    next !== undefined &&
    next.languageSpan !== languageSpan &&
    continuesAfter(text, block.text.slice(next.bounds.start, next.bounds.end));
  // Without a full stop the intonation of a headline or list item stays open.
  const isOpen = continuesInOtherVoice || bounds.isCut === true;
  const markedMs = findPauseMs(block, bounds.end, next?.bounds.start ?? block.text.length);
  const naturalMs = next === undefined ? pauseAfterBlockMs[block.kind] : pauseBetweenSentencesMs;
  const closing = { spoken: isOpen ? ',' : '.', start: text.length, end: text.length };
  const closed = ENDS_WITH_PUNCTUATION.test(replaced.text.slice(-30)) ? tokens : [...tokens, closing];
  const sources = block.sources.slice(bounds.start, bounds.end + 1);
  return {
    kind: block.kind,
    text,
    span: createSpan(block, bounds),
    sources,
    endsBlock: next === undefined,
    continues: bounds.isCut === true && markedMs === undefined,
    ...(markedMs === undefined ? {} : { pauseMs: bounds.isCut ? markedMs : Math.max(markedMs, naturalMs) }),
    ...(bounds.rate === undefined ? {} : { rate: bounds.rate }),
    ...(continuesInOtherVoice ? { continuesInOtherVoice } : {}),
    ...(languageSpan.foreign ? { language: languageSpan.foreign.language.code } : {}),
    tokens: closed,
  };
}

/** Tokens of a text with aliases at the offsets of the replaced words. An alias is never divided. */
function mapToSource(
  tokens: readonly NormalizedToken[],
  { replacements }: ReplacedText,
  source: string,
): SpokenToken[] {
  if (replacements.length === 0) return [...tokens];
  const mapped: SpokenToken[] = [];
  let next = 0;
  let shift = 0;
  let index = 0;
  while (index < tokens.length) {
    const start = (tokens[index]?.start ?? 0) + shift;
    let end = tokens[index]?.end ?? 0;
    const spoken: string[] = [];
    const sounds: InlineSound[] = [];
    let pronouncedBy: PronunciationSource | undefined;
    let origin: string | undefined;
    // Adjacent text belongs to the alias.
    const first = index;
    while (index < tokens.length && (index === first || (tokens[index]?.start ?? 0) < end)) {
      spoken.push(tokens[index]?.spoken ?? '');
      end = Math.max(end, tokens[index]?.end ?? 0);
      for (let word = replacements[next]; word && word.replacementStart < end; word = replacements[next]) {
        end = Math.max(end, word.replacementEnd);
        shift = word.end - word.replacementEnd;
        sounds.push(...word.sounds);
        pronouncedBy = word.source;
        origin = word.origin;
        next += 1;
      }
      index += 1;
    }
    const excluded = tokens[first]?.leftOutReason;
    const isExcluded = excluded !== undefined && index === first + 1 && sounds.length === 0;
    const token: SpokenToken = {
      ...{ spoken: spoken.join(''), start, end: end + shift },
      ...(isExcluded ? { leftOutReason: excluded } : {}),
      ...(pronouncedBy === undefined ? {} : { pronouncedBy }),
      ...(origin === undefined ? {} : { origin }),
    };
    mapped.push(
      sounds.length === 0 ? token : addInlinePhonemes(token, { sounds, fallback: source.slice(start, token.end) }),
    );
  }
  return mapped;
}

/** Normalization may have changed a placeholder, which then has no place for its phonemes. */
function addInlinePhonemes(token: NormalizedToken, inlinePhonemes: InlinePhonemes): SpokenToken {
  return splitAroundPlaceholders(token.spoken).length === inlinePhonemes.sounds.length + 1
    ? { ...token, inlinePhonemes }
    : { ...token, spoken: inlinePhonemes.fallback };
}

/**
 * Splits a long sentence after a clause that ends in the second half of what fits, else after a token.
 * @param hasAliases then the spoken words count, too, as they may be much longer
 */
function splitLongSentence(sentence: Sentence, hasAliases: boolean): Sentence[] {
  const reaches = computeReaches(sentence.tokens, hasAliases);
  const length = hasAliases ? (reaches.at(-1) ?? 0) : sentence.text.length;
  if (length <= MAX_SENTENCE_UNITS) return [sentence];
  const parts: Sentence[] = [];
  let first = 0;
  // Ends: `findSplitIndex` goes beyond `first`.
  while (first < sentence.tokens.length) {
    const end = findSplitIndex(sentence.tokens, reaches, first);
    parts.push(sliceSentenceTokens(sentence, first, end));
    first = end;
  }
  return parts;
}

function computeReaches(tokens: readonly NormalizedToken[], hasAliases: boolean): number[] {
  if (!hasAliases) return tokens.map(({ end }) => end);
  let reach = 0;
  return tokens.map(({ spoken, start, end }) => {
    reach += Math.max(spoken.length, end - start);
    return reach;
  });
}

/** @returns the index of the first token that doesn't belong to the part beginning with token `first` */
function findSplitIndex(tokens: readonly NormalizedToken[], reaches: readonly number[], first: number): number {
  const start = reaches[first - 1] ?? 0;
  let clause: number | undefined;
  let index = first;
  for (; index < tokens.length; index += 1) {
    const token = tokens[index];
    const length = (reaches[index] ?? 0) - start;
    if (token === undefined || (index > first && length > MAX_SENTENCE_UNITS)) break;
    const inSecondHalf = length > MAX_SENTENCE_UNITS / 2;
    if (inSecondHalf && CLAUSE_END.test(token.spoken.slice(-10))) clause = index + 1;
  }
  return index === tokens.length ? index : (clause ?? index);
}

function sliceSentenceTokens(sentence: Sentence, first: number, end: number): Sentence {
  const from = sentence.tokens[first]?.start ?? 0;
  const isLast = end === sentence.tokens.length;
  const to = isLast ? sentence.text.length : (sentence.tokens[end]?.start ?? 0);
  const { field } = sentence.span;
  return {
    kind: sentence.kind,
    text: sentence.text.slice(from, to),
    span: {
      field,
      start: sentence.sources[from] ?? sentence.span.start,
      end: isLast ? sentence.span.end : (sentence.sources[to] ?? sentence.span.end),
    },
    sources: sentence.sources.slice(from, to + 1),
    endsBlock: isLast && sentence.endsBlock,
    continues: !isLast || sentence.continues,
    ...(isLast && sentence.pauseMs !== undefined ? { pauseMs: sentence.pauseMs } : {}),
    ...(sentence.rate === undefined ? {} : { rate: sentence.rate }),
    ...(isLast && sentence.continuesInOtherVoice ? { continuesInOtherVoice: true } : {}),
    ...(sentence.language === undefined ? {} : { language: sentence.language }),
    tokens: sentence.tokens.slice(first, end).map((token) => ({
      ...token,
      start: token.start - from,
      end: token.end - from,
    })),
  };
}

export function createSilentLeftOut({ text, span }: Pick<Sentence, 'text' | 'span'>): LeftOut {
  return createLeftOut(text, noSpeakableText, span);
}

function isSpeakable({ spoken }: SpokenToken): boolean {
  return SPEAKABLE.test(spoken);
}

function createLeftOutWords(block: Block, bounds: SentenceBounds, tokens: readonly SpokenToken[]): LeftOut[] {
  return tokens.flatMap(({ leftOutReason: excluded, start, end }) => {
    if (excluded === undefined) return [];
    const word = { start: bounds.start + start, end: bounds.start + end };
    const text = block.text.slice(word.start, word.end);
    return [createLeftOut(text, excluded, createSpan(block, word))];
  });
}

function createSpan(block: Block, bounds: SentenceBounds): SourceSpan {
  const start = block.sources[bounds.start] ?? 0;
  const end = block.sources[bounds.end] ?? start;
  return { field: block.field, start, end };
}
