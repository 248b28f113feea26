import { excludeOverlaps, getBuiltInPronunciations, type PronunciationSource, type RespelledWord } from './built-in.ts';
import { createPlaceholder, type InlineSound, parseAlias } from './inline-phonemes.ts';
import { isRespelling, phonemizeRespelling } from './respelling.ts';
import { createWordMatcher, getCharacterAt, getCharacterBefore, WORD, type WordEntry } from './word-matcher.ts';

export interface Alias extends WordEntry {
  /** Words, with phonemes in `[[…]]`. */
  readonly alias: string;
}

/** @returns the aliases for a language of a site, the more specific ones last */
export type FindAliases = (siteId: number, language: string) => Promise<readonly Alias[]>;

/** A word of the text and its place in the replaced text: UTF-16 offsets, ends exclusive. */
interface Replacement {
  /** Undefined: a pronunciation that the language brings along. */
  readonly entry?: Alias;
  readonly source: PronunciationSource;
  /** Of a name pronounced by origin rules. */
  readonly origin?: string;
  /** Phonemes of the placeholders in the alias, in order. */
  readonly sounds: readonly InlineSound[];
  readonly start: number;
  readonly end: number;
  readonly replacementStart: number;
  readonly replacementEnd: number;
}

/** A text with pronunciations in it. */
export interface ReplacedText {
  readonly text: string;
  readonly replacements: readonly Replacement[];
  /** By how many characters aliases have made it grow, phonemes included; shorter aliases take nothing off. */
  readonly growth: number;
}

/**
 * Puts pronunciations into texts.
 * @param room characters by which a text may grow; a word whose alias does not fit is read as written
 */
export type PronunciationReplacer = (text: string, room?: number, given?: readonly GivenAlias[]) => ReplacedText;

/** Pronunciations in the text itself, in order: they override all others. UTF-16 offsets, `end` exclusive. */
export interface GivenAlias extends Pick<Alias, 'alias'> {
  readonly source: 'ssml' | 'formula';
  readonly start: number;
  readonly end: number;
}

/** The spoken form of a word. */
interface Spoken {
  readonly entry?: Alias;
  readonly source: PronunciationSource;
  readonly origin?: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly sounds: readonly InlineSound[];
}

export function noReplacements(text: string): ReplacedText {
  return { text, replacements: [], growth: 0 };
}

/** @param language BCP 47 primary code: its built-in pronunciations apply where no alias does; undefined: none */
export function createReplacer(entries: readonly Alias[], language?: string): PronunciationReplacer {
  const findAliases = createWordMatcher(entries);
  const findBuiltIn = getBuiltInPronunciations(language);
  return (text, room = Number.POSITIVE_INFINITY, given = []) => {
    let growth = 0;
    const speakAlias = (
      { alias, start, end }: Omit<GivenAlias, 'source'>,
      origin: Pick<Spoken, 'entry' | 'source'>,
    ): Spoken[] => {
      const { left, right } = findMissingSpaces(text, start, end);
      const length = left.length + alias.length + right.length;
      const added = Math.max(0, length - (end - start));
      if (growth + added > room) return [];
      growth += added;
      const { text: spoken, sounds } = expandAlias(alias, text.slice(start, end), language);
      return [{ ...origin, start, end, text: left + spoken + right, sounds }];
    };
    const found = given.length === 0 ? findAliases(text) : excludeOverlaps(findAliases(text), given);
    const aliases = [
      ...given.flatMap((alias) => speakAlias(alias, { source: alias.source })),
      ...found.flatMap(({ entry, ...place }) =>
        speakAlias({ ...place, alias: entry.alias }, { entry, source: 'entry' }),
      ),
    ].sort((a, b) => a.start - b.start);
    const builtIn = excludeOverlaps(findBuiltIn(text), aliases).map((word) => speakRespelledWord(word, text));
    const spoken = [...aliases, ...builtIn].sort((a, b) => a.start - b.start);
    return { ...replaceWords(text, spoken), growth };
  };
}

function speakRespelledWord({ respelling, britishRespelling, ipa, ...found }: RespelledWord, text: string): Spoken {
  const word = text.slice(found.start, found.end);
  const phonemes = ipa ?? phonemizeRespelling(respelling ?? '', 'us') ?? '';
  const english = respelling === undefined ? {} : { respelling };
  const british = britishRespelling === undefined ? {} : { britishRespelling };
  const sounds = [{ ipa: phonemes, ...english, ...british, shown: word }];
  return { ...found, text: createPlaceholder(phonemes, isCapitalized(word)), sounds };
}

function replaceWords(text: string, spoken: readonly Spoken[]): Pick<ReplacedText, 'text' | 'replacements'> {
  const replacements: Replacement[] = [];
  let result = '';
  let copiedUntil = 0;
  for (const { text: replacement, ...word } of spoken) {
    const { start, end } = word;
    result += text.slice(copiedUntil, start);
    const replacementStart = result.length;
    result += replacement;
    replacements.push({ ...word, replacementStart, replacementEnd: result.length });
    copiedUntil = end;
  }
  return { text: result + text.slice(copiedUntil), replacements };
}

/** A sign may be adjacent to letters, with which its alias would merge. */
function findMissingSpaces(text: string, start: number, end: number): { left: string; right: string } {
  const isBeside = (edge: string, neighbour: string) => !WORD.test(edge) && WORD.test(neighbour);
  return {
    left: isBeside(text.charAt(start), getCharacterBefore(text, start)) ? ' ' : '',
    right: isBeside(text.charAt(end - 1), getCharacterAt(text, end)) ? ' ' : '',
  };
}

function expandAlias(alias: string, word: string, language?: string): { text: string; sounds: InlineSound[] } {
  const respelled = language === 'en' && isRespelling(alias) ? phonemizeRespelling(alias, 'us') : undefined;
  if (respelled !== undefined) {
    const sound = { ipa: respelled, respelling: alias, shown: alias };
    return { text: createPlaceholder(respelled, isCapitalized(word)), sounds: [sound] };
  }
  if (!alias.includes('[[')) return { text: alias, sounds: [] };
  const sounds: InlineSound[] = [];
  const runs = parseAlias(alias).map((part) => {
    if ('words' in part) return part.words;
    sounds.push({ ipa: part.ipa, shown: `[[${part.ipa}]]` });
    return createPlaceholder(part.ipa, isCapitalized(word));
  });
  return { text: runs.join(''), sounds };
}

function isCapitalized(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}
