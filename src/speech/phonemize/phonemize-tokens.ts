import {
  findPlaceholders,
  formatInlinePhonemes,
  replacePlaceholders,
  splitAroundPlaceholders,
  toSoundSymbols,
} from '../pronunciation/inline-phonemes.ts';
import type { SpokenToken } from '../sentences.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { encodePhonemeIds, type Phonemizer } from './phonemizer.ts';

export function joinTokens(tokens: readonly SpokenToken[]): string {
  return tokens
    .map((token) => token.spoken)
    .join('')
    .trim();
}

/** @returns the words of tokens as a person reads them, phonemes in `[[…]]` */
export function formatTokens(tokens: readonly SpokenToken[]): string {
  return tokens.map(formatToken).join('').trim();
}

/** @returns the words of a token as a person reads them, phonemes in `[[…]]` */
export function formatToken({ spoken, inlinePhonemes: given }: SpokenToken): string {
  return given === undefined ? spoken : formatInlinePhonemes(spoken, given);
}

/**
 * Says the written word wherever a voice never learned a symbol of the phonemes given for it, or those are too many for one
 * segment.
 * @returns the tokens, and those symbols
 */
export function adaptToVoice(
  tokens: readonly SpokenToken[],
  voice: VoiceConfig,
): { readonly tokens: readonly SpokenToken[]; readonly unknown: readonly string[] } {
  if (tokens.every(({ inlinePhonemes: given }) => given === undefined)) return { tokens, unknown: [] };
  const unknown: string[] = [];
  const sayable = tokens.map((token): SpokenToken => {
    const given = (token.inlinePhonemes?.sounds ?? []).map((sound) => toSoundSymbols(sound, voice));
    const lacking = given.flatMap((one) => one.unknown);
    unknown.push(...lacking.map(({ symbol }) => symbol));
    const { ids } = encodePhonemeIds(
      given.flatMap(({ symbols }) => symbols),
      voice,
    );
    return lacking.length === 0 && ids.length <= voice.maxIds ? token : toWrittenToken(token);
  });
  return { tokens: sayable, unknown };
}

export function toWrittenToken({ inlinePhonemes: given, spoken, start, end }: SpokenToken): SpokenToken {
  return { spoken: given?.fallback ?? spoken, start, end };
}

/**
 * Phonemes of runs of tokens. Where phonemes are given, the words around them are read with a placeholder between them, as
 * a word changes with its neighbours; then they take its place.
 * @returns for each run its phonemes
 */
export async function phonemizeTokens(
  runs: readonly (readonly SpokenToken[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[][]> {
  const read = await phonemizer.phonemize(runs.map(joinTokens), voice);
  const isGiven = runs.map((tokens) => tokens.some(({ inlinePhonemes: given }) => given !== undefined));
  if (!isGiven.includes(true)) return read;
  const sounds = await phonemizePlaceholders(runs, voice, phonemizer);
  const said: string[][] = [];
  for (const [index, tokens] of runs.entries()) {
    const phonemes = read[index] ?? [];
    const placed = isGiven[index] === true ? insertPhonemes(tokens, phonemes, sounds, voice) : phonemes;
    said.push(placed ?? (await phonemizeParts(tokens, voice, phonemizer)));
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
  tokens: readonly SpokenToken[],
  phonemes: readonly string[],
  sounds: ReadonlyMap<string, string[]>,
  voice: VoiceConfig,
): string[] | undefined {
  const expected = tokens.flatMap(({ spoken, inlinePhonemes: given }) =>
    given === undefined ? [] : findPlaceholders(spoken),
  );
  // An article may have such a word itself.
  if (findPlaceholders(joinTokens(tokens)).length !== expected.length) return undefined;
  const symbols = collectSymbols(tokens, voice);
  return replacePlaceholders(
    phonemes,
    expected.map((word, index) => ({ sound: sounds.get(word) ?? [], symbols: symbols[index] ?? [] })),
  );
}

/** Where a placeholder can't be found again, the words before and after it are read for themselves. */
async function phonemizeParts(
  tokens: readonly SpokenToken[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[]> {
  const texts = splitAround(tokens);
  const symbols = collectSymbols(tokens, voice);
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
    if (index < symbols.length && /\s$/.test(text)) pause();
    said.push(...(symbols[index] ?? []));
  }
  return said;
}

/** @returns the phonemes of tokens that say nothing but phonemes given for them; undefined: they have other words, too */
export function findGivenPhonemes(tokens: readonly SpokenToken[], voice: VoiceConfig): string[] | undefined {
  const isGiven = ({ inlinePhonemes, spoken }: SpokenToken) =>
    inlinePhonemes !== undefined && splitAroundPlaceholders(spoken).every((words) => words.trim() === '');
  return tokens.every(isGiven) ? collectSymbols(tokens, voice).flat() : undefined;
}

/** @returns the symbols of each sound given in the tokens */
function collectSymbols(tokens: readonly SpokenToken[], voice: VoiceConfig): string[][] {
  const sounds = tokens.flatMap(({ inlinePhonemes }) => inlinePhonemes?.sounds ?? []);
  return sounds.map((sound) => toSoundSymbols(sound, voice).symbols);
}

/** @returns the words around the phonemes given: one text more than there are of those */
function splitAround(tokens: readonly SpokenToken[]): string[] {
  const texts = [''];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ''}${text}`);
  };
  for (const { spoken, inlinePhonemes: given } of tokens) {
    if (given === undefined) {
      add(spoken);
      continue;
    }
    for (const [index, words] of splitAroundPlaceholders(spoken).entries()) {
      if (index > 0) texts.push('');
      add(words);
    }
  }
  return texts;
}
