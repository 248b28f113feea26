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

export function formatTokens(tokens: readonly SpokenToken[]): string {
  return tokens.map(formatToken).join('').trim();
}

/** @returns the spoken words with phonemes in `[[…]]` */
export function formatToken({ spoken, inlinePhonemes }: SpokenToken): string {
  return inlinePhonemes === undefined ? spoken : formatInlinePhonemes(spoken, inlinePhonemes);
}

/**
 * Falls back to the written word if the voice does not support a symbol of its inline phonemes, or if they are too long for
 * a segment.
 */
export function adaptToVoice(
  tokens: readonly SpokenToken[],
  voice: VoiceConfig,
): { readonly tokens: readonly SpokenToken[]; readonly unknown: readonly string[] } {
  if (tokens.every(({ inlinePhonemes }) => inlinePhonemes === undefined)) return { tokens, unknown: [] };
  const unknown: string[] = [];
  const adapted = tokens.map((token): SpokenToken => {
    const converted = (token.inlinePhonemes?.sounds ?? []).map((sound) => toSoundSymbols(sound, voice));
    const unsupported = converted.flatMap((part) => part.unknown);
    unknown.push(...unsupported.map(({ symbol }) => symbol));
    const { ids } = encodePhonemeIds(
      converted.flatMap(({ symbols }) => symbols),
      voice,
    );
    return unsupported.length === 0 && ids.length <= voice.maxIds ? token : toWrittenToken(token);
  });
  return { tokens: adapted, unknown };
}

export function toWrittenToken({ inlinePhonemes, spoken, start, end }: SpokenToken): SpokenToken {
  return { spoken: inlinePhonemes?.fallback ?? spoken, start, end };
}

/**
 * Phonemes of each run of tokens. Inline phonemes replace those of a placeholder, which is phonemized with the words around
 * it, as adjacent words affect each other.
 */
export async function phonemizeTokens(
  runs: readonly (readonly SpokenToken[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[][]> {
  const phonemized = await phonemizer.phonemize(runs.map(joinTokens), voice);
  const isGiven = runs.map((tokens) => tokens.some(({ inlinePhonemes }) => inlinePhonemes !== undefined));
  if (!isGiven.includes(true)) return phonemized;
  const sounds = await phonemizePlaceholders(runs, voice, phonemizer);
  const results: string[][] = [];
  for (const [index, tokens] of runs.entries()) {
    const phonemes = phonemized[index] ?? [];
    const withInlinePhonemes = isGiven[index] === true ? insertPhonemes(tokens, phonemes, sounds, voice) : phonemes;
    results.push(withInlinePhonemes ?? (await phonemizeParts(tokens, voice, phonemizer)));
  }
  return results;
}

/** @returns the phonemes of each placeholder alone */
async function phonemizePlaceholders(
  runs: readonly (readonly SpokenToken[])[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<Map<string, string[]>> {
  const all = runs
    .flat()
    .flatMap(({ spoken, inlinePhonemes }) => (inlinePhonemes === undefined ? [] : findPlaceholders(spoken)));
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
  const expected = tokens.flatMap(({ spoken, inlinePhonemes }) =>
    inlinePhonemes === undefined ? [] : findPlaceholders(spoken),
  );
  // An article may contain such a word.
  if (findPlaceholders(joinTokens(tokens)).length !== expected.length) return undefined;
  const symbols = collectSymbols(tokens, voice);
  return replacePlaceholders(
    phonemes,
    expected.map((word, index) => ({ sound: sounds.get(word) ?? [], symbols: symbols[index] ?? [] })),
  );
}

/** Phonemizes the words before and after inline phonemes separately, if a placeholder is ambiguous. */
async function phonemizeParts(
  tokens: readonly SpokenToken[],
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<string[]> {
  const texts = splitAround(tokens);
  const symbols = collectSymbols(tokens, voice);
  const phonemized = await phonemizer.phonemize(texts, voice);
  const result: string[] = [];
  const pause = (): void => {
    if (result.length > 0 && result.at(-1) !== ' ') result.push(' ');
  };
  for (const [index, text] of texts.entries()) {
    const [signs = ''] = /^[^\p{L}\p{N}]*/u.exec(text) ?? [];
    // The phonemizer ignores signs without a preceding word.
    if (index > 0) {
      result.push(...signs.replace(/[^.,;:!?]/g, ''));
      if (/\s/.test(signs)) pause();
    }
    if (signs.length < text.length) result.push(...(phonemized[index] ?? []));
    if (index < symbols.length && /\s$/.test(text)) pause();
    result.push(...(symbols[index] ?? []));
  }
  return result;
}

/** @returns the phonemes of tokens that say nothing but phonemes given for them; undefined: they have other words, too */
export function getInlinePhonemeSymbols(tokens: readonly SpokenToken[], voice: VoiceConfig): string[] | undefined {
  const isGiven = ({ inlinePhonemes, spoken }: SpokenToken) =>
    inlinePhonemes !== undefined && splitAroundPlaceholders(spoken).every((words) => words.trim() === '');
  return tokens.every(isGiven) ? collectSymbols(tokens, voice).flat() : undefined;
}

/** @returns the symbols of each sound given in the tokens */
function collectSymbols(tokens: readonly SpokenToken[], voice: VoiceConfig): string[][] {
  const sounds = tokens.flatMap(({ inlinePhonemes }) => inlinePhonemes?.sounds ?? []);
  return sounds.map((sound) => toSoundSymbols(sound, voice).symbols);
}

/** @returns the text around inline phonemes, one part more than phonemes */
function splitAround(tokens: readonly SpokenToken[]): string[] {
  const texts = [''];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ''}${text}`);
  };
  for (const { spoken, inlinePhonemes } of tokens) {
    if (inlinePhonemes === undefined) {
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
