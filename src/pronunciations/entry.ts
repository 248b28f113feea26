import type { PronunciationRow } from '../database/feature-schema.ts';
import type { Site } from '../database/schema.ts';
import { type FieldErrors, invalid, throwIfInvalid } from '../errors.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';
import { validateAlias } from '../speech/pronunciation/inline-phonemes.ts';
import type { Alias } from '../speech/pronunciation/replacer.ts';
import { foldWord } from '../speech/pronunciation/word-matcher.ts';
import type { LackingVoice, Pronunciation, PronunciationChanges } from './schema.ts';

/** Id of a site; null: the installation, whose entries apply to every site. */
export type Owner = number | null;

export interface Entry {
  readonly language: string;
  readonly word: string;
  /** Words, with phonemes in `[[…]]`. */
  readonly alias: string;
  readonly match_case: boolean;
}

export type PhonemeValidator = (entry: Pick<Entry, 'alias' | 'language'>) => PhonemeProblems;

export interface PhonemeProblems {
  /** Why the entry is rejected: no voice supports it, or not the default voice. */
  readonly problems: readonly string[];
  /** Voices that read the word as written. */
  readonly lacking: readonly LackingVoice[];
}

/** Control characters, lone surrogates and invisible direction marks. */
const FORBIDDEN_CHARACTER = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Normalizes members for storage: NFC, trimmed, primary language code.
 * @throws AppError `validation_failed` naming every wrong field
 */
export function parseEntry<Values extends PronunciationChanges>(values: Values): Values {
  const { entry, problems } = parseEntryMembers(values);
  throwIfInvalid(problems);
  return entry;
}

/** Like `parseEntry`, but returns the problems. */
export function parseEntryMembers<Values extends PronunciationChanges>(
  values: Values,
): { readonly entry: Values; readonly problems: FieldErrors } {
  const problems: FieldErrors = {};
  const text = (value: string | undefined, problemOf: (text: string) => string | undefined, field: string) => {
    if (value === undefined) return undefined;
    const written = value.trim().replace(/ +/g, ' ').normalize('NFC');
    const problem = FORBIDDEN_CHARACTER.test(value) ? 'must not contain control characters' : problemOf(written);
    if (problem !== undefined) problems[field] = [problem];
    return written;
  };
  const word = text(values.word, validateWord, 'word');
  const alias = text(values.alias, validateAlias, 'alias');
  const language = values.language === undefined ? undefined : parseLanguage(values.language);
  if (values.language !== undefined && language === undefined) {
    problems['language'] = ['must be a language code such as en, or empty for all languages'];
  }
  const entry = {
    ...values,
    ...(word !== undefined && { word }),
    ...(alias !== undefined && { alias }),
    ...(language !== undefined && { language }),
  };
  return { entry, problems };
}

/** @returns the primary code, empty for all languages; undefined for an invalid code */
export function parseLanguage(code: string): string | undefined {
  return code === '' ? '' : parsePrimaryLanguage(code);
}

/** @throws AppError `validation_failed` for an invalid code */
export function parseRequestedLanguage(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  const language = parseLanguage(code);
  if (language !== undefined) return language;
  throw invalid('language', 'must be a language code such as en, or empty for entries for all languages');
}

export function toPronunciationRecord(row: PronunciationRow, validator: PhonemeValidator): Pronunciation {
  const { id, created_at, updated_at } = row;
  return { id, ...toEntry(row), lacking: [...validator(row).lacking], created_at, updated_at };
}

export function toEntry({ language, word, alias, match_case }: PronunciationRow): Entry {
  return { language, word, alias, match_case: match_case === 1 };
}

function validateWord(word: string): string | undefined {
  if (word === '') return 'must not be blank';
  if (/^[\p{M}\u200c\u200d]/u.test(word)) return 'must not start with a combining mark';
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(word) ? undefined : 'must contain a visible character';
}

/** The columns that decide about the precedence of entries. */
export type ScopeRow = Pick<
  PronunciationRow,
  'id' | 'site_id' | 'language' | 'word' | 'alias' | 'match_case' | 'word_key' | 'updated_at'
>;

export interface EntryAlias extends Alias {
  readonly id: number;
  readonly changedAt: string;
}

/**
 * Merges the entries that apply to a site and a language. Later entries win: those of the site come after those of the
 * installation, those of the language after those of all languages.
 */
export function mergeScopes(rows: readonly ScopeRow[]): EntryAlias[] {
  const siteWords = new Set(
    rows.filter((row) => row.site_id !== null && row.match_case === 0).map((row) => row.word_key),
  );
  return (
    rows
      // A case-insensitive entry of the site overrides case-sensitive ones of the installation.
      .filter((row) => row.site_id !== null || !siteWords.has(foldWord(row.word)))
      .toSorted(
        (a, b) =>
          Number(a.site_id !== null) - Number(b.site_id !== null) ||
          a.language.length - b.language.length ||
          a.id - b.id,
      )
      .map((row) => ({
        ...{ id: row.id, word: row.word, alias: row.alias, matchCase: row.match_case === 1 },
        changedAt: row.updated_at,
      }))
  );
}

/** The pronunciations of the installation, which apply to every site, or those of one site. */
export interface PronunciationScope<Prefix extends string = string> {
  readonly name: 'installation' | 'site';
  readonly prefix: Prefix;
}

export const installationScope: PronunciationScope<'/v1/pronunciations'> = {
  name: 'installation',
  prefix: '/v1/pronunciations',
};

export const siteScope: PronunciationScope<'/v1/sites/:site/pronunciations'> = {
  name: 'site',
  prefix: '/v1/sites/:site/pronunciations',
};

export function toOwner(site: Site | null): Owner {
  return site?.id ?? null;
}

export function toAuditSite(site: Site | null): { readonly siteId?: number } {
  return site === null ? {} : { siteId: site.id };
}
