import type { PronunciationRow } from '../database/lexicon-tables.ts';
import { AppError, type FieldErrors } from '../errors.ts';
import { primaryLanguage } from '../http/language-code.ts';
import { aliasParts } from '../speech/phonemes/given-phonemes.ts';
import type { LackingVoice, Pronunciation, PronunciationChanges } from './schema.ts';

/** A letter that is no sign of stress or length. */
const SOUND = /(?!\p{Lm})\p{L}/u;

/** What an editor decides about an entry. */
export interface Entry {
  readonly language: string;
  readonly word: string;
  /** Words, with phonemes in `[[…]]`. */
  readonly alias: string;
  readonly match_case: boolean;
}

/** Control characters, halves of characters, and signs that turn the direction unseen. */
const UNFIT = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Members as they are stored: NFC, without spaces around them, the language as its primary code.
 * @throws AppError `validation_failed` naming every field that is wrong
 */
export function readEntry<Given extends PronunciationChanges>(given: Given): Given {
  const { entry, problems } = readMembers(given);
  if (Object.keys(problems).length === 0) return entry;
  throw new AppError('validation_failed', 'Validation failed', problems);
}

/** As `readEntry`. @returns what is wrong beside the members */
export function readMembers<Given extends PronunciationChanges>(
  given: Given,
): { readonly entry: Given; readonly problems: FieldErrors } {
  const problems: FieldErrors = {};
  const text = (
    value: string | undefined,
    problemOf: (text: string) => string | undefined,
    field: string,
  ) => {
    if (value === undefined) return undefined;
    const written = value.trim().replace(/ +/g, ' ').normalize('NFC');
    const problem = UNFIT.test(value) ? 'must have no control characters' : problemOf(written);
    if (problem !== undefined) problems[field] = [problem];
    return written;
  };
  const word = text(given.word, wordProblem, 'word');
  const alias = text(given.alias, aliasProblem, 'alias');
  const language = given.language === undefined ? undefined : languageOf(given.language);
  if (given.language !== undefined && language === undefined) {
    problems['language'] = ['must be a language code like en, or empty for every language'];
  }
  const entry = {
    ...given,
    ...(word !== undefined && { word }),
    ...(alias !== undefined && { alias }),
    ...(language !== undefined && { language }),
  };
  return { entry, problems };
}

/** @returns the primary code, empty for every language; undefined when it is no code */
export function languageOf(given: string): string | undefined {
  return given === '' ? '' : primaryLanguage(given);
}

/**
 * The language a list is asked for.
 * @throws AppError `validation_failed` when it is no code
 */
export function askedLanguage(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const language = languageOf(given);
  if (language !== undefined) return language;
  throw new AppError('validation_failed', 'Validation failed', {
    language: ['must be a language code like en, or empty for those of every language'],
  });
}

/** An entry as an editor sees it. */
export function pronunciationRecord(
  row: PronunciationRow,
  lacking: readonly LackingVoice[],
): Pronunciation {
  const { id, created_at, updated_at } = row;
  return { id, ...entryOf(row), lacking: [...lacking], created_at, updated_at };
}

/** @returns what an editor decided about it */
export function entryOf({ language, word, alias, match_case }: PronunciationRow): Entry {
  return { language, word, alias, match_case: match_case === 1 };
}

function wordProblem(word: string): string | undefined {
  if (word === '') return 'must not be blank';
  if (/^[\p{M}\u200c\u200d]/u.test(word)) return 'must not begin with a combining mark';
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(word) ? undefined : 'must have something to be seen';
}

function aliasProblem(alias: string): string | undefined {
  const parts = aliasParts(alias);
  if (parts.some((part) => 'words' in part && /\[\[|\]\]/.test(part.words))) {
    return 'must have phonemes between [[ and ]]';
  }
  if (parts.some((part) => 'ipa' in part && !SOUND.test(part.ipa))) {
    return 'must have a phoneme between [[ and ]]';
  }
  return /[\p{L}\p{N}]/u.test(alias) ? undefined : 'must have a letter or a digit';
}
