import {
  findPlaceholders,
  formatInlinePhonemes,
  replacePlaceholders,
  splitAroundPlaceholders,
  toVoiceSymbols,
} from '../pronunciation/inline-phonemes.ts';
import type { SpokenToken } from '../sentences.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { maxPhonemeIds } from '../synthesize/voice-model.ts';
import { encodePhonemeIds, type Phonemizer } from './phonemizer.ts';

/** @returns the words of pieces as the phonemizer is given them */
export function joinTokens(pieces: readonly SpokenToken[]): string {
  return pieces
    .map((piece) => piece.spoken)
    .join('')
    .trim();
}

/** @returns the words of pieces as a person reads them, phonemes in `[[…]]` */
export function formatTokens(pieces: readonly SpokenToken[]): string {
  return pieces.map(formatToken).join('').trim();
}

/** @returns the words of a piece as a person reads them, phonemes in `[[…]]` */
export function formatToken({ spoken, inlinePhonemes: given }: SpokenToken): string {
  return given === undefined ? spoken : formatInlinePhonemes(spoken, given);
}

/**
 * Says the written word wherever a voice never learned a symbol of the phonemes given for it, or those are too many for one
 * segment.
 * @returns the pieces, and those symbols
 */
export function adaptToVoice(
  pieces: readonly SpokenToken[],
  voice: VoiceConfig,
): { readonly pieces: readonly SpokenToken[]; readonly unknown: readonly string[] } {
  if (pieces.every(({ inlinePhonemes: given }) => given === undefined)) return { pieces, unknown: [] };
  const unknown: string[] = [];
  const sayable = pieces.map((piece): SpokenToken => {
    const given = (piece.inlinePhonemes?.ipa ?? []).map((ipa) => toVoiceSymbols(ipa, voice));
    const lacking = given.flatMap((one) => one.unknown);
    unknown.push(...lacking.map(({ symbol }) => symbol));
    const { ids } = encodePhonemeIds(
      given.flatMap(({ symbols }) => symbols),
      voice,
    );
    return lacking.length === 0 && ids.length <= maxPhonemeIds ? piece : toWrittenToken(piece);
  });
  return { pieces: sayable, unknown };
}

/** @returns the piece said as it is written */
export function toWrittenToken({ inlinePhonemes: given, spoken, start, end }: SpokenToken): SpokenToken {
  return { spoken: given?.fallback ?? spoken, start, end };
}

/**
 * Phonemes of runs of pieces. Where phonemes are given, the words around them are read with a placeholder between them, as
 * a word changes with its neighbours; then they take its place.
 * @returns for each run its phonemes
 */
export async function phonemizeTokens(
  runs: readonly (readonly SpokenToken[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[][]> {
  const read = await phonemizer.phonemize(runs.map(joinTokens), voice);
  const isGiven = runs.map((pieces) => pieces.some(({ inlinePhonemes: given }) => given !== undefined));
  if (!isGiven.includes(true)) return read;
  const sounds = await phonemizePlaceholders(runs, voice, phonemizer);
  const said: string[][] = [];
  for (const [index, pieces] of runs.entries()) {
    const phonemes = read[index] ?? [];
    const placed = isGiven[index] === true ? insertPhonemes(pieces, phonemes, sounds, voice) : phonemes;
    said.push(placed ?? (await phonemizeParts(pieces, voice, phonemizer)));
  }
  return said;
}

/** @returns what each placeholder of the runs sounds like by itself */
async function phonemizePlaceholders(
  runs: readonly (readonly SpokenToken[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<Map<string, string[]>> {
  const all = runs
    .flat()
    .flatMap(({ spoken, inlinePhonemes: given }) => (given === undefined ? [] : findPlaceholders(spoken)));
  const words = [...new Set(all)];
  const sounds = await phonemizer.phonemize(words, voice);
  return new Map(words.map((word, index) => [word, sounds[index] ?? []]));
}

function insertPhonemes(
  pieces: readonly SpokenToken[],
  phonemes: readonly string[],
  sounds: ReadonlyMap<string, string[]>,
  voice: VoiceConfig,
): string[] | undefined {
  const expected = pieces.flatMap(({ spoken, inlinePhonemes: given }) =>
    given === undefined ? [] : findPlaceholders(spoken),
  );
  // An article may have such a word itself.
  if (findPlaceholders(joinTokens(pieces)).length !== expected.length) return undefined;
  const ipa = pieces.flatMap(({ inlinePhonemes: given }) => given?.ipa ?? []);
  return replacePlaceholders(
    phonemes,
    expected.map((word, index) => ({
      sound: sounds.get(word) ?? [],
      symbols: toVoiceSymbols(ipa[index] ?? '', voice).symbols,
    })),
  );
}

/** Where a placeholder can't be found again, the words before and after it are read for themselves. */
async function phonemizeParts(
  pieces: readonly SpokenToken[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[]> {
  const { texts, ipa } = splitAround(pieces);
  const read = await phonemizer.phonemize(texts, voice);
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
    said.push(...toVoiceSymbols(ipa[index] ?? '', voice).symbols);
  }
  return said;
}

/** @returns the words around the phonemes given: one text more than there are of those */
function splitAround(pieces: readonly SpokenToken[]): { texts: string[]; ipa: string[] } {
  const texts = [''];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ''}${text}`);
  };
  for (const { spoken, inlinePhonemes: given } of pieces) {
    if (given === undefined) {
      add(spoken);
      continue;
    }
    for (const [index, words] of splitAroundPlaceholders(spoken).entries()) {
      if (index > 0) texts.push('');
      add(words);
    }
  }
  return { texts, ipa: pieces.flatMap(({ inlinePhonemes: given }) => given?.ipa ?? []) };
}
