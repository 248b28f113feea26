import {
  aroundPlaceholders,
  placeholdersIn,
  shownGiven,
  substituted,
  symbolsOf,
} from '../pronunciation/inline-phonemes.ts';
import type { SaidPiece } from '../sentences.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { phonemeIdsMax } from '../synthesize/voice-model.ts';
import { type Phonemizer, phonemeIds } from './phonemizer.ts';

/** @returns the words of pieces as the phonemizer is given them */
export function joined(pieces: readonly SaidPiece[]): string {
  return pieces
    .map((piece) => piece.spoken)
    .join('')
    .trim();
}

/** @returns the words of pieces as a person reads them, phonemes in `[[…]]` */
export function shown(pieces: readonly SaidPiece[]): string {
  return pieces.map(shownPiece).join('').trim();
}

/** @returns the words of a piece as a person reads them, phonemes in `[[…]]` */
export function shownPiece({ spoken, given }: SaidPiece): string {
  return given === undefined ? spoken : shownGiven(spoken, given);
}

/**
 * Says the written word wherever a voice never learned a symbol of the phonemes given for it, or those are too many for one
 * segment.
 * @returns the pieces, and those symbols
 */
export function sayableBy(
  pieces: readonly SaidPiece[],
  voice: VoiceConfig,
): { readonly pieces: readonly SaidPiece[]; readonly unknown: readonly string[] } {
  if (pieces.every(({ given }) => given === undefined)) return { pieces, unknown: [] };
  const unknown: string[] = [];
  const sayable = pieces.map((piece): SaidPiece => {
    const given = (piece.given?.ipa ?? []).map((ipa) => symbolsOf(ipa, voice));
    const lacking = given.flatMap((one) => one.unknown);
    unknown.push(...lacking.map(({ symbol }) => symbol));
    const { ids } = phonemeIds(
      given.flatMap(({ symbols }) => symbols),
      voice,
    );
    return lacking.length === 0 && ids.length <= phonemeIdsMax ? piece : written(piece);
  });
  return { pieces: sayable, unknown };
}

/** @returns the piece said as it is written */
export function written({ given, spoken, start, end }: SaidPiece): SaidPiece {
  return { spoken: given?.written ?? spoken, start, end };
}

/**
 * Phonemes of runs of pieces. Where phonemes are given, the words around them are read with a placeholder between them, as
 * a word changes with its neighbours; then they take its place.
 * @returns for each run its phonemes
 */
export async function phonemizePieces(
  runs: readonly (readonly SaidPiece[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[][]> {
  const read = await phonemizer.phonemes(runs.map(joined), voice);
  const isGiven = runs.map((pieces) => pieces.some(({ given }) => given !== undefined));
  if (!isGiven.includes(true)) return read;
  const sounds = await soundsOf(runs, voice, phonemizer);
  const said: string[][] = [];
  for (const [index, pieces] of runs.entries()) {
    const phonemes = read[index] ?? [];
    const placed = isGiven[index] === true ? inPlace(pieces, phonemes, sounds, voice) : phonemes;
    said.push(placed ?? (await sideBySide(pieces, voice, phonemizer)));
  }
  return said;
}

/** @returns what each placeholder of the runs sounds like by itself */
async function soundsOf(
  runs: readonly (readonly SaidPiece[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<Map<string, string[]>> {
  const all = runs
    .flat()
    .flatMap(({ spoken, given }) => (given === undefined ? [] : placeholdersIn(spoken)));
  const words = [...new Set(all)];
  const sounds = await phonemizer.phonemes(words, voice);
  return new Map(words.map((word, index) => [word, sounds[index] ?? []]));
}

function inPlace(
  pieces: readonly SaidPiece[],
  phonemes: readonly string[],
  sounds: ReadonlyMap<string, string[]>,
  voice: VoiceConfig,
): string[] | undefined {
  const expected = pieces.flatMap(({ spoken, given }) =>
    given === undefined ? [] : placeholdersIn(spoken),
  );
  // An article may have such a word itself.
  if (placeholdersIn(joined(pieces)).length !== expected.length) return undefined;
  const ipa = pieces.flatMap(({ given }) => given?.ipa ?? []);
  return substituted(
    phonemes,
    expected.map((word, index) => ({
      sound: sounds.get(word) ?? [],
      symbols: symbolsOf(ipa[index] ?? '', voice).symbols,
    })),
  );
}

/** Where a placeholder can't be found again, the words before and after it are read for themselves. */
async function sideBySide(
  pieces: readonly SaidPiece[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[]> {
  const { texts, ipa } = apart(pieces);
  const read = await phonemizer.phonemes(texts, voice);
  const said: string[] = [];
  const pause = (): void => {
    if (said.length > 0 && said.at(-1) !== ' ') said.push(' ');
  };
  for (const [index, text] of texts.entries()) {
    const [signs = ''] = /^[^\p{L}\p{N}]*/u.exec(text) ?? [];
    // The phonemizer passes over signs that no word stands before.
    if (index > 0) {
      said.push(...signs.replace(/[^.,;:!?]/g, ''));
      if (/\s/.test(signs)) pause();
    }
    if (signs.length < text.length) said.push(...(read[index] ?? []));
    if (index < ipa.length && /\s$/.test(text)) pause();
    said.push(...symbolsOf(ipa[index] ?? '', voice).symbols);
  }
  return said;
}

/** @returns the words around the phonemes given: one text more than there are of those */
function apart(pieces: readonly SaidPiece[]): { texts: string[]; ipa: string[] } {
  const texts = [''];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ''}${text}`);
  };
  for (const { spoken, given } of pieces) {
    if (given === undefined) {
      add(spoken);
      continue;
    }
    for (const [index, words] of aroundPlaceholders(spoken).entries()) {
      if (index > 0) texts.push('');
      add(words);
    }
  }
  return { texts, ipa: pieces.flatMap(({ given }) => given?.ipa ?? []) };
}
