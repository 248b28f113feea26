import type { BlockKind, SourceSpan } from './document/block.ts';
import { pauseAfter } from './pauses.ts';
import { type Phonemizer, phonemeIds, soundingCount } from './phonemes/phonemes.ts';
import { joined, phonemizePieces, sayableBy, shown, written } from './phonemes/phonemize-pieces.ts';
import type { SaidPiece, Sentence } from './sentences.ts';
import { inSentence, type Stretch } from './stretch.ts';
import type { VoiceConfig } from './voice/voice-config.ts';
import { phonemeIdsMax } from './voice/voice-model.ts';

/** Longer runs are split before they are phonemized at all: espeak-ng is not made for them. */
const spokenLengthMax = 400;

/** The unit of work, of storage, of timing: a sentence, or a part of one that is too long. */
export interface PlannedSegment {
  /** Place of its sentence among those planned with it. */
  readonly sentenceIndex: number;
  /** Of a passage that another voice speaks than the article's. */
  readonly language?: string;
  readonly kind: BlockKind;
  /** The words as the reader sees them. */
  readonly text: string;
  readonly span: SourceSpan;
  /** The words that are said. */
  readonly spoken: string;
  readonly phonemes: string;
  readonly ids: readonly number[];
  /** Phonemes that are heard: a measure of how long it must last. */
  readonly soundingCount: number;
  readonly pauseMs: number;
  /** Where it lies in the text of its sentence. */
  readonly stretch: Stretch;
  /** Whether the voice knows every symbol of its sentence. */
  readonly isKnown: boolean;
}

/** What a batch of sentences became. */
export interface SegmentPlan {
  readonly segments: readonly PlannedSegment[];
  /** Sentences that turned out to have no sound in this voice. */
  readonly silent: readonly Sentence[];
  /** Symbols the voice never learned; the rest of their word is spoken. */
  readonly unknownSymbols: readonly string[];
}

/** A run of a sentence's pieces on its way to becoming a segment. */
interface Part {
  readonly sentence: Sentence;
  readonly pieces: readonly SaidPiece[];
  readonly phonemes: readonly string[];
  readonly ids: readonly number[];
}

/**
 * Turns sentences into segments of at most `phonemeIdsMax` ids: a longer sentence is split at a clause, then at a word,
 * and no pause is put where it was split.
 */
export async function planSegments(
  sentences: readonly Sentence[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<SegmentPlan> {
  const unknown = new Set<string>();
  const withUnknown = new Set<Sentence>();
  const noteUnknown = (sentence: Sentence, symbols: readonly string[]): void => {
    for (const symbol of symbols) unknown.add(symbol);
    if (symbols.length > 0) withUnknown.add(sentence);
  };
  const phonemized = async (runs: readonly Pick<Part, 'sentence' | 'pieces'>[]) => {
    const all = await phonemizePieces(
      runs.map(({ pieces }) => pieces),
      voice,
      phonemizer,
    );
    return runs.map((run, index): Part => {
      const phonemes = all[index] ?? [];
      const encoded = phonemeIds(phonemes, voice);
      noteUnknown(run.sentence, encoded.unknown);
      return { ...run, phonemes, ids: encoded.ids };
    });
  };

  let parts = await phonemized(
    sentences.flatMap((sentence) => {
      const sayable = sayableBy(sentence.pieces, voice);
      noteUnknown(sentence, sayable.unknown);
      return splitByLength(sayable.pieces).map((pieces) => ({ sentence, pieces }));
    }),
  );
  while (parts.some(isTooLong)) {
    const halves = parts.flatMap((part) =>
      isTooLong(part) ? splitInHalf(part.pieces).map((pieces) => ({ ...part, pieces })) : [],
    );
    const shorter = await phonemized(halves);
    parts = parts.flatMap((part) => (isTooLong(part) ? shorter.splice(0, 2) : [part]));
  }
  return { ...assemble(sentences, parts, withUnknown), unknownSymbols: [...unknown] };
}

function isTooLong(part: Part): boolean {
  return part.ids.length > phonemeIdsMax && joined(part.pieces).length > 1;
}

function splitByLength(pieces: readonly SaidPiece[]): (readonly SaidPiece[])[] {
  const done: (readonly SaidPiece[])[] = [];
  const waiting = [pieces];
  for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
    if (joined(run).length <= spokenLengthMax) done.push(run);
    else waiting.push(...splitInHalf(run).reverse());
  }
  return done;
}

/** Cuts near the middle: behind a clause if one ends in the middle half, else behind a word, else anywhere. */
function splitInHalf(pieces: readonly SaidPiece[]): [readonly SaidPiece[], readonly SaidPiece[]] {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return splitPiece(written(only));
  const middle = pieces.length / 2;
  const cuts = pieces.slice(0, -1).map((_, index) => index + 1);
  const nearest = (good: (cut: number) => boolean): number | undefined =>
    cuts
      .filter(good)
      .reduce<number | undefined>(
        (best, cut) =>
          best === undefined || Math.abs(cut - middle) < Math.abs(best - middle) ? cut : best,
        undefined,
      );
  const endsWith = (cut: number, sign: RegExp) =>
    sign.test(pieces[cut - 1]?.spoken ?? '') ||
    (/^\s/.test(pieces[cut]?.spoken ?? '') && sign.test(`${pieces[cut - 1]?.spoken ?? ''} `));
  const cut =
    nearest(
      (one) => Math.abs(one - middle) <= middle / 2 && endsWith(one, /[,;:.!?–—)][\s"”’]*$/),
    ) ??
    nearest((one) => endsWith(one, /\s$/)) ??
    Math.ceil(middle);
  return [pieces.slice(0, cut), pieces.slice(cut)];
}

/** One piece alone is too long: its words, or in the end its letters, are shared out. */
function splitPiece(piece: SaidPiece): [readonly SaidPiece[], readonly SaidPiece[]] {
  const half = Math.ceil(piece.spoken.length / 2);
  const space = piece.spoken.indexOf(' ', half);
  const cut = space > 0 ? space + 1 : half;
  const middle = piece.start + Math.ceil((piece.end - piece.start) / 2);
  return [
    [{ spoken: piece.spoken.slice(0, cut), start: piece.start, end: middle }],
    [{ spoken: piece.spoken.slice(cut), start: middle, end: piece.end }],
  ];
}

function assemble(
  sentences: readonly Sentence[],
  parts: readonly Part[],
  withUnknown: ReadonlySet<Sentence>,
): Pick<SegmentPlan, 'segments' | 'silent'> {
  const bySentence = new Map<Sentence, Part[]>();
  for (const part of parts) {
    const known = bySentence.get(part.sentence);
    if (known === undefined) bySentence.set(part.sentence, [part]);
    else known.push(part);
  }
  const segments: PlannedSegment[] = [];
  const silent: Sentence[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const heard = (bySentence.get(sentence) ?? []).filter(isHeard);
    if (heard.length === 0) silent.push(sentence);
    else segments.push(...toSegments(sentence, index, heard, !withUnknown.has(sentence)));
  }
  return { segments, silent };
}

/** A run of combining marks cut off from its letter has a name in espeak-ng, but none that a voice could say. */
function isHeard({ sentence, pieces, phonemes }: Part): boolean {
  const source = sentence.text.slice(pieces[0]?.start ?? 0, pieces.at(-1)?.end ?? 0);
  return soundingCount(phonemes) > 0 && !/^[\p{M}\s]+$/u.test(source);
}

/** Each part's text runs up to the next part, so that no character of the sentence is left without a segment. */
function toSegments(
  sentence: Sentence,
  sentenceIndex: number,
  heard: readonly Part[],
  isKnown: boolean,
): PlannedSegment[] {
  const startOf = (part: Part) => wholeCharacter(sentence.text, part.pieces[0]?.start ?? 0);
  return heard.map((part, index) => {
    const next = heard[index + 1];
    const stretch = {
      start: index === 0 ? 0 : startOf(part),
      end: next === undefined ? sentence.text.length : startOf(next),
    };
    return {
      sentenceIndex,
      kind: sentence.kind,
      ...inSentence(sentence, stretch),
      spoken: shown(part.pieces),
      phonemes: part.phonemes.join(''),
      ids: part.ids,
      soundingCount: soundingCount(part.phonemes),
      pauseMs: next === undefined ? pauseAfter(sentence) : 0,
      stretch,
      isKnown,
    };
  });
}

/** @returns the offset, or the one before it where it would part the two halves of a character */
function wholeCharacter(text: string, offset: number): number {
  const isInPair = offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  return isInPair ? offset - 1 : offset;
}
