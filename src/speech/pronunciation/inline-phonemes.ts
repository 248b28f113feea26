import { capitalize } from '../../capitalize.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { mapSymbols } from '../synthesize/voice-config.ts';
import { phonemizeRespelling } from './respelling.ts';

export type AliasPart = { readonly words: string } | { readonly ipa: string };

/** Phonemes in the place of a word. */
export interface InlineSound {
  /** In the United States, where there is a respelling. */
  readonly ipa: string;
  /** From it the accent of the voice follows. */
  readonly respelling?: string;
  /** In Britain, where more than the accent differs. */
  readonly britishRespelling?: string;
  /** What a person reads in their place. */
  readonly shown: string;
}

/** Phonemes that stand in a token's spoken words by placeholders. */
export interface InlinePhonemes {
  /** In the order of the placeholders. */
  readonly sounds: readonly InlineSound[];
  /** The written words, for a voice without one of the symbols. */
  readonly fallback: string;
}

/** A symbol that a voice does not support. */
export interface UnknownSymbol {
  readonly symbol: string;
  /** UTF-16 offset in the phonemes. */
  readonly offset: number;
}

const INLINE_PHONEMES = /\[\[([^[\]]*)\]\]/g;
/** Silent signs of dictionaries: ties, syllable breaks, linking marks. */
const SILENT_SYMBOL = /[\u035c\u0361\u203f.]/;
/** Symbols of every phoneme map that are no sounds. */
const NON_PHONEME = /[_^$#"“”(),:;!?¡¿«»{}[\]\\]/;
/** Common substitutes for IPA symbols. */
const SYMBOL_SUBSTITUTES: Readonly<Record<string, string>> = { g: 'ɡ', "'": 'ˈ', '’': 'ˈ' };

const STRESS = /[ˈˌ]/;
const VOWEL_FIRST = /^[aeiouyæøœɐ-ɒɔɘ-ɞɤɨɪɯɵɶʉʊʌʏᵻ]/;
const SIBILANT_LAST = /[szʃʒɕʑʂʐ]ʲ?$/;
const VOICELESS_LAST = /[ptkfθcqxχhħʔɸ][ʰʲ]?$/;

/**
 * A word that exists in no language. It begins and ends like the phonemes it stands for, so that adjacent words ("the",
 * "an", "'s") get the right phonemes.
 */
const PLACEHOLDER = /z?azu(?:za|z|t)/gi;

export function parseAlias(alias: string): AliasPart[] {
  const parts: AliasPart[] = [];
  let position = 0;
  for (const { 0: whole, 1: ipa = '', index } of alias.matchAll(INLINE_PHONEMES)) {
    if (index > position) parts.push({ words: alias.slice(position, index) });
    parts.push({ ipa });
    position = index + whole.length;
  }
  if (position < alias.length) parts.push({ words: alias.slice(position) });
  return parts;
}

/** A letter, except signs of stress and length. */
const SOUND_LETTER = /(?!\p{Lm})\p{L}/u;

/** @returns what is wrong with an alias; undefined if nothing is */
export function validateAlias(alias: string): string | undefined {
  const parts = parseAlias(alias);
  if (parts.some((part) => 'words' in part && /\[\[|\]\]/.test(part.words))) {
    return 'must have balanced [[ and ]] around phonemes';
  }
  if (parts.some((part) => 'ipa' in part && !SOUND_LETTER.test(part.ipa))) {
    return 'must contain a phoneme between [[ and ]]';
  }
  return /[\p{L}\p{N}]/u.test(alias) ? undefined : 'must contain a letter or a digit';
}

/** @returns the phonemes in an alias with their offsets */
export function findInlinePhonemes(alias: string): { readonly ipa: string; readonly offset: number }[] {
  return [...alias.matchAll(INLINE_PHONEMES)].map(({ 1: ipa = '', index }) => ({
    ipa,
    offset: index + 2,
  }));
}

/** @returns the symbols of a sound in the accent of the voice */
export function toSoundSymbols(
  { ipa, respelling, britishRespelling = respelling }: InlineSound,
  voice: Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap' | 'espeakVoice'>,
): ReturnType<typeof toVoiceSymbols> {
  const isBritish = /^en-(?:gb|029)/.test(voice.espeakVoice);
  const accented = britishRespelling && isBritish ? phonemizeRespelling(britishRespelling, 'gb') : undefined;
  // Of espeak-ng's British voices only RP writes the vowel of "cat" so.
  const isPlainA = isBritish && !voice.espeakVoice.endsWith('-rp');
  return toVoiceSymbols(isPlainA ? (accented?.replaceAll('æ', 'a') ?? ipa) : (accented ?? ipa), voice);
}

export function toVoiceSymbols(
  ipa: string,
  voice: Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap'>,
): { readonly symbols: string[]; readonly unknown: UnknownSymbol[] } {
  const symbols: string[] = [];
  const unknown: UnknownSymbol[] = [];
  const { phonemeIds, phonemeMap } = voice;
  const isSupported = (symbol: string) => !NON_PHONEME.test(symbol) && Object.hasOwn(phonemeIds, symbol);
  const hasSymbols = (letters: readonly string[]) => mapSymbols(letters, phonemeMap).every(isSupported);
  for (const { 0: written, index } of ipa.matchAll(/[\s\S]/gu)) {
    if (SILENT_SYMBOL.test(written)) continue;
    const intended = Object.hasOwn(SYMBOL_SUBSTITUTES, written) ? (SYMBOL_SUBSTITUTES[written] ?? written) : written;
    // Decomposed first, as espeak-ng outputs them.
    const supported = [[...intended.normalize('NFD')], [intended], [written]].find(hasSymbols);
    if (supported === undefined) unknown.push({ symbol: written, offset: index });
    else symbols.push(...supported);
  }
  return { symbols: mapSymbols(symbols, phonemeMap), unknown };
}

/** @param capital whether the word begins with a capital, which may affect adjacent words */
export function createPlaceholder(ipa: string, capital: boolean): string {
  const audible = ipa.replace(/[ˈˌ'’\s]/g, '');
  const last = audible.replace(/(?:ː|\p{M})+$/u, '');
  const end = SIBILANT_LAST.test(last) ? 'z' : VOICELESS_LAST.test(last) ? 't' : 'za';
  const word = `${VOWEL_FIRST.test(audible) ? '' : 'z'}azu${end}`;
  return capital ? capitalize(word) : word;
}

export function findPlaceholders(spoken: string): string[] {
  return spoken.match(PLACEHOLDER) ?? [];
}

/** @returns the text around placeholders, one part more than placeholders */
export function splitAroundPlaceholders(spoken: string): string[] {
  return spoken.split(PLACEHOLDER);
}

/** @returns spoken words as a person reads them */
export function formatInlinePhonemes(spoken: string, { sounds }: InlinePhonemes): string {
  let next = 0;
  return spoken.replace(PLACEHOLDER, (word) => {
    const sound = sounds[next];
    next += 1;
    return sound?.shown ?? word;
  });
}

/**
 * Puts given symbols in the place of placeholders.
 * @param phonemes of a text with placeholders
 * @param replacements in their order: what a placeholder sounds like by itself, and what is said instead
 * @returns undefined when it is not certain where they are
 */
export function replacePlaceholders(
  phonemes: readonly string[],
  replacements: readonly { readonly sound: readonly string[]; readonly symbols: readonly string[] }[],
): string[] | undefined {
  const result: string[] = [];
  let position = 0;
  for (const { sound, symbols } of replacements) {
    const match = findSound(phonemes, sound, position);
    if (match === undefined) return undefined;
    result.push(...phonemes.slice(position, match.start), ...symbols);
    position = match.end;
  }
  const tail = phonemes.slice(position);
  if (replacements.some(({ sound }) => findSound(tail, sound, 0) !== undefined)) return undefined;
  return [...result, ...tail];
}

/** Ignores stress, which depends on the sentence. */
function findSound(
  phonemes: readonly string[],
  sound: readonly string[],
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const audible = sound.filter((symbol) => !STRESS.test(symbol));
  if (audible.length === 0) return undefined;
  for (let start = from; start < phonemes.length; start += 1) {
    let matched = 0;
    let end = start;
    for (; end < phonemes.length && matched < audible.length; end += 1) {
      const phoneme = phonemes[end] ?? '';
      if (phoneme === audible[matched]) matched += 1;
      else if (!STRESS.test(phoneme)) break;
    }
    if (matched < audible.length) continue;
    const isStressed = start > from && STRESS.test(phonemes[start - 1] ?? '');
    return { start: isStressed ? start - 1 : start, end };
  }
  return undefined;
}
