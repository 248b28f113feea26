import { mapSymbols } from '../phonemize/symbol-map.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { phonemizeRespelling } from './respelling.ts';

export type AliasPart = { readonly words: string } | { readonly ipa: string };

/** Phonemes in the place of a word. */
export interface InlineSound {
  /** In the United States, where there is a respelling. */
  readonly ipa: string;
  /** From it the accent of the voice follows. */
  readonly respelling?: string;
  /** What a person reads in their place. */
  readonly shown: string;
}

/** Phonemes that stand in a token's spoken words by placeholders. */
export interface InlinePhonemes {
  /** In the order of the placeholders. */
  readonly sounds: readonly InlineSound[];
  /** The words as written, for a voice without one of the symbols. */
  readonly fallback: string;
}

/** A symbol of phonemes that a voice never learned. */
export interface UnknownSymbol {
  readonly symbol: string;
  /** UTF-16 offset in the phonemes. */
  readonly offset: number;
}

const INLINE_PHONEMES = /\[\[([^[\]]*)\]\]/g;
/** Silent signs of dictionaries: ties, dots between syllables, links between words. */
const SILENT_SYMBOL = /[\u035c\u0361\u203f.]/;
/** What stands in every voice's map and is no sound of a word. */
const NON_PHONEME = /[_^$#"“”(),:;!?¡¿«»{}[\]\\]/;
/** Letters that are taken for others by those who have no IPA keyboard. */
const SYMBOL_SUBSTITUTES: Readonly<Record<string, string>> = { g: 'ɡ', "'": 'ˈ', '’': 'ˈ' };

const STRESS = /[ˈˌ]/;
const VOWEL_FIRST = /^[aeiouyæøœɐ-ɒɔɘ-ɞɤɨɪɯɵɶʉʊʌʏᵻ]/;
const SIBILANT_LAST = /[szʃʒɕʑʂʐ]ʲ?$/;
const VOICELESS_LAST = /[ptkfθcqxχhħʔɸ][ʰʲ]?$/;

/**
 * A word that no language knows, to be read like the phonemes it stands for: it begins and ends as they do, so that what
 * depends on its neighbours ("the", "an", "'s") comes out right.
 */
const PLACEHOLDER = /z?azu(?:za|z|t)/gi;

export function parseAlias(alias: string): AliasPart[] {
  const parts: AliasPart[] = [];
  let read = 0;
  for (const { 0: whole, 1: ipa = '', index } of alias.matchAll(INLINE_PHONEMES)) {
    if (index > read) parts.push({ words: alias.slice(read, index) });
    parts.push({ ipa });
    read = index + whole.length;
  }
  if (read < alias.length) parts.push({ words: alias.slice(read) });
  return parts;
}

/** @returns the phonemes in an alias, and where each begins in it */
export function findInlinePhonemes(alias: string): { readonly ipa: string; readonly offset: number }[] {
  return [...alias.matchAll(INLINE_PHONEMES)].map(({ 1: ipa = '', index }) => ({
    ipa,
    offset: index + 2,
  }));
}

/** @returns the symbols of a sound in the accent of the voice */
export function toSoundSymbols(
  { ipa, respelling }: InlineSound,
  voice: Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap' | 'espeakVoice'>,
): ReturnType<typeof toVoiceSymbols> {
  const isBritish = /^en-(?:gb|029)/.test(voice.espeakVoice);
  const accented = respelling !== undefined && isBritish ? phonemizeRespelling(respelling, 'gb') : undefined;
  return toVoiceSymbols(accented ?? ipa, voice);
}

export function toVoiceSymbols(
  ipa: string,
  voice: Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap'>,
): { readonly symbols: string[]; readonly unknown: UnknownSymbol[] } {
  const symbols: string[] = [];
  const unknown: UnknownSymbol[] = [];
  const { phonemeIds: known, phonemeMap } = voice;
  const learned = (symbol: string) => !NON_PHONEME.test(symbol) && Object.hasOwn(known, symbol);
  const isSayable = (way: readonly string[]) => mapSymbols(way, phonemeMap).every(learned);
  for (const { 0: written, index } of ipa.matchAll(/[\s\S]/gu)) {
    if (SILENT_SYMBOL.test(written)) continue;
    const meant = Object.hasOwn(SYMBOL_SUBSTITUTES, written) ? (SYMBOL_SUBSTITUTES[written] ?? written) : written;
    // Decomposed first: so espeak-ng writes them, and so voices learned them.
    const said = [[...meant.normalize('NFD')], [meant], [written]].find(isSayable);
    if (said === undefined) unknown.push({ symbol: written, offset: index });
    else symbols.push(...said);
  }
  return { symbols: mapSymbols(symbols, phonemeMap), unknown };
}

/** @param capital whether it stands for a word that begins with a capital, which says something to its neighbours */
export function createPlaceholder(ipa: string, capital: boolean): string {
  const heard = ipa.replace(/[ˈˌ'’\s]/g, '');
  const last = heard.replace(/(?:ː|\p{M})+$/u, '');
  const end = SIBILANT_LAST.test(last) ? 'z' : VOICELESS_LAST.test(last) ? 't' : 'za';
  const word = `${VOWEL_FIRST.test(heard) ? '' : 'z'}azu${end}`;
  return capital ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

export function findPlaceholders(spoken: string): string[] {
  return spoken.match(PLACEHOLDER) ?? [];
}

/** @returns the words around placeholders: one run more than there are placeholders */
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
 * @param given in their order: what a placeholder sounds like by itself, and what is said instead
 * @returns undefined when it is not certain where they are
 */
export function replacePlaceholders(
  phonemes: readonly string[],
  given: readonly { readonly sound: readonly string[]; readonly symbols: readonly string[] }[],
): string[] | undefined {
  const said: string[] = [];
  let rest = 0;
  for (const { sound, symbols } of given) {
    const found = findSound(phonemes, sound, rest);
    if (found === undefined) return undefined;
    said.push(...phonemes.slice(rest, found.start), ...symbols);
    rest = found.end;
  }
  const tail = phonemes.slice(rest);
  if (given.some(({ sound }) => findSound(tail, sound, 0) !== undefined)) return undefined;
  return [...said, ...tail];
}

/** Stress may fall otherwise in a sentence than on the word alone. */
function findSound(
  phonemes: readonly string[],
  sound: readonly string[],
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const wanted = sound.filter((one) => !STRESS.test(one));
  if (wanted.length === 0) return undefined;
  for (let start = from; start < phonemes.length; start += 1) {
    let matched = 0;
    let end = start;
    for (; end < phonemes.length && matched < wanted.length; end += 1) {
      const one = phonemes[end] ?? '';
      if (one === wanted[matched]) matched += 1;
      else if (!STRESS.test(one)) break;
    }
    if (matched < wanted.length) continue;
    const isStressed = start > from && STRESS.test(phonemes[start - 1] ?? '');
    return { start: isStressed ? start - 1 : start, end };
  }
  return undefined;
}
