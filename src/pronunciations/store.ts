import { readFileSync } from 'node:fs';
import type { ExpressionBuilder } from 'kysely';
import { diffStates, insertAuditEntry, type NewAuditEntry } from '../auth/audit-log.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { containsText } from '../database/dialect.ts';
import type { PronunciationRow } from '../database/feature-schema.ts';
import type { Site, Tables } from '../database/schema.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { findInlinePhonemes, toVoiceSymbols } from '../speech/pronunciation/inline-phonemes.ts';
import type { Alias } from '../speech/pronunciation/replacer.ts';
import { foldWord, normalizeWord } from '../speech/pronunciation/word-matcher.ts';
import { parseVoiceConfig, type VoiceConfig } from '../speech/synthesize/voice-config.ts';
import type { InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, type DefaultVoices, selectDefaultVoice } from '../voices/store.ts';
import {
  type Entry,
  mergeScopes,
  type Owner,
  type PhonemeProblems,
  type PhonemeValidator,
  type ScopeRow,
  toAuditSite,
  toEntry,
  toOwner,
} from './entry.ts';
import type { DeletedPronunciation, PronunciationChanges } from './schema.ts';

export const maxEntries = 5_000;

interface PronunciationQuery {
  /** Part of word or alias. */
  readonly search: string | undefined;
  readonly language: string | undefined;
  /** Id of the last entry of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** @returns entries of a lexicon, oldest first */
export function listPronunciations(
  db: Queries,
  owner: Owner,
  { search: part, language, after = 0, limit: most }: PronunciationQuery,
): Promise<PronunciationRow[]> {
  let query = db
    .selectFrom('pronunciation')
    .selectAll()
    .where(isOwnedBy(owner))
    .where('id', '>', after)
    .orderBy('id')
    .limit(most);
  if (language !== undefined) query = query.where('language', '=', language);
  if (part !== undefined) {
    const searched = foldWord(part.normalize('NFC'));
    query = query.where(containsText(db, 'search_text', searched));
  }
  return query.execute();
}

/** @returns the replacements of words for a site and a language; later ones win */
export async function listAliases(db: Queries, siteId: number, language: string): Promise<Alias[]> {
  return mergeScopes(await listScopeRows(db, siteId, language));
}

/** @returns the entries of both scopes that apply to a site and a language */
export function listScopeRows(db: Queries, siteId: number, language: string): Promise<ScopeRow[]> {
  return db
    .selectFrom('pronunciation')
    .select(['id', 'site_id', 'language', 'word', 'alias', 'match_case', 'word_key', 'updated_at'])
    .where((is) => is.or([is('site_id', 'is', null), is('site_id', '=', siteId)]))
    .where('language', 'in', ['', language])
    .execute();
}

/** Who changes the entries of a site, or with null those of the installation; `userId` is null for the command line. */
export interface Author {
  readonly userId: number | null;
  readonly site: Site | null;
}

/**
 * Changes of entries, each with its entry in the audit log; run them in a transaction.
 * @throws AppError `conflict`: the word exists, or the limit is reached
 */
export async function createPronunciation(db: Queries, author: Author, entry: Entry): Promise<PronunciationRow> {
  const owner = toOwner(author.site);
  const { count } = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(isOwnedBy(owner))
    .executeTakeFirstOrThrow();
  if (count >= maxEntries) {
    throw new AppError('conflict', `Limit reached: at most ${maxEntries} pronunciations`);
  }
  const values = toRow(entry);
  await checkUnique(db, owner, values);
  const now = timestamp();
  const row = await db
    .insertInto('pronunciation')
    .values({ ...values, site_id: owner, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditEntry(db, author, 'pronunciation.created', row, { after: toEntry(row) });
  return row;
}

/** @throws AppError `not_found` */
export async function findPronunciation(db: Queries, owner: Owner, id: number): Promise<PronunciationRow> {
  const row = await db
    .selectFrom('pronunciation')
    .selectAll()
    .where('id', '=', id)
    .where(isOwnedBy(owner))
    .executeTakeFirst();
  if (row === undefined) throw notFound('Pronunciation', id);
  return row;
}

/**
 * @param changes members that are missing stay
 * @throws AppError `not_found`, `conflict`, `validation_failed`
 */
export async function changePronunciation(
  db: Queries,
  author: Author,
  id: number,
  changes: PronunciationChanges,
  validator: PhonemeValidator,
): Promise<PronunciationRow> {
  const owner = toOwner(author.site);
  const row = await findPronunciation(db, owner, id);
  const before = toEntry(row);
  const entry = { ...before, ...changes };
  if (diffStates(before, entry) === undefined) return row;
  validatePhonemes(validator, entry);
  const values = toRow(entry);
  await checkUnique(db, owner, values, id);
  const updated = await db
    .updateTable('pronunciation')
    .set({ ...values, updated_at: timestamp() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditEntry(db, author, 'pronunciation.changed', updated, { before, after: toEntry(updated) });
  return updated;
}

/** @returns the deleted entry @throws AppError `not_found` */
export async function removePronunciation(db: Queries, author: Author, id: number): Promise<PronunciationRow> {
  const row = await findPronunciation(db, toOwner(author.site), id);
  await db.deleteFrom('pronunciation').where('id', '=', id).execute();
  await auditEntry(db, author, 'pronunciation.deleted', row, { before: toEntry(row) });
  return row;
}

const maxListedDeletions = 200;

/**
 * From the audit log, which keeps deleted entries, except those that an import deleted.
 * @returns entries deleted since a time, newest first, without those that exist again
 */
export async function listDeletedPronunciations(
  db: Queries,
  owner: Owner,
  since: string,
): Promise<DeletedPronunciation[]> {
  const deletions = await db
    .selectFrom('audit_entry')
    .select(['before', 'at'])
    .where('action', '=', 'pronunciation.deleted')
    .where('site_id', owner === null ? 'is' : '=', owner)
    .where('at', '>', since)
    .orderBy('id', 'desc')
    .limit(maxListedDeletions)
    .execute();
  const present = await db
    .selectFrom('pronunciation')
    .select(['language', 'match_case', 'word_key'])
    .where(isOwnedBy(owner))
    .execute();
  const toKey = ({ language, match_case, word_key }: (typeof present)[number]) =>
    JSON.stringify([language, match_case, word_key]);
  const known = new Set(present.map(toKey));
  return deletions.flatMap(({ before, at }) => {
    const entry: Entry = JSON.parse(before ?? '{}');
    const key = toKey(toRow(entry));
    if (known.has(key)) return [];
    known.add(key);
    return [{ ...entry, deleted_at: at }];
  });
}

function auditEntry(
  db: Queries,
  { userId, site }: Author,
  action: string,
  { word: subject }: PronunciationRow,
  states: Pick<NewAuditEntry, 'before' | 'after'>,
): Promise<void> {
  return insertAuditEntry(db, { userId, action, ...toAuditSite(site), subject, ...states });
}

export function isOwnedBy(owner: Owner) {
  return (is: ExpressionBuilder<Tables, 'pronunciation'>) =>
    owner === null ? is('site_id', 'is', null) : is('site_id', '=', owner);
}

export function toRow({ language, word, alias, match_case }: Entry) {
  return {
    ...{ language, word, alias, match_case: Number(match_case) },
    word_key: match_case ? normalizeWord(word) : foldWord(word),
    search_text: `${foldWord(word)}\n${foldWord(alias)}`,
  };
}

async function checkUnique(db: Queries, owner: Owner, values: ReturnType<typeof toRow>, ownId = 0): Promise<void> {
  const other = await findEntryByKey(db, owner, values);
  if (other === undefined || other.id === ownId) return;
  throw new AppError('conflict', 'Pronunciation already exists', {
    word: [`${values.word} already exists as pronunciation ${other.id}`],
  });
}

/** @returns the entry with the same unique key */
export function findEntryByKey(
  db: Queries,
  owner: Owner,
  { language, match_case, word_key }: Pick<ScopeRow, 'language' | 'match_case' | 'word_key'>,
): Promise<PronunciationRow | undefined> {
  return db
    .selectFrom('pronunciation')
    .selectAll()
    .where(isOwnedBy(owner))
    .where('language', '=', language)
    .where('match_case', '=', match_case)
    .where('word_key', '=', word_key)
    .executeTakeFirst();
}

/** By content hash. */
const configCache = new Map<string, VoiceConfig>();
const maxCachedConfigs = 200;

/** @returns undefined when the config cannot be read */
function findPhonemeMap({ files }: InstalledVoice): Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap'> | undefined {
  const { contentHash, configPath } = files;
  const cached = configCache.get(contentHash);
  if (cached !== undefined) return cached;
  try {
    const config = parseVoiceConfig(readFileSync(configPath, 'utf8'));
    if (configCache.size >= maxCachedConfigs) configCache.clear();
    configCache.set(contentHash, config);
    return config;
  } catch {
    return undefined;
  }
}

/** Symbols, and voices per symbol. */
const maxNamed = 10;

const noProblems: PhonemeProblems = { problems: [], lacking: [] };

/**
 * Checks phonemes against the voices that may speak them.
 * @param site null: every site
 */
export function createPhonemeValidator(
  voices: readonly InstalledVoice[],
  site: DefaultVoices | null,
): PhonemeValidator {
  const allowed = site === null ? voices.filter(({ enabled }) => enabled === 1) : allowedVoices(voices, site);
  return ({ alias, language }) => {
    if (!alias.includes('[[')) return noProblems;
    const speaking = allowed.filter((voice) => language === '' || voice.language === language);
    const findings = findUnsupportedByModel(speaking, alias);
    const unsupportedFindings = findings.filter(({ unsupported }) => unsupported.length > 0);
    const first = site === null ? speaking[0] : selectDefaultVoice(allowed, site, language || undefined);
    const isRefused =
      unsupportedFindings.length === findings.length ||
      (site !== null && unsupportedFindings.some(({ speakers }) => speakers.some((speaker) => speaker === first)));
    return {
      problems:
        findings.length === 0 ? [formatNoVoiceProblem(language)] : isRefused ? formatProblems(unsupportedFindings) : [],
      lacking: unsupportedFindings.flatMap(({ speakers, unsupported }) => {
        const symbols = [...new Set(unsupported.map(({ symbol }) => symbol))];
        return speakers.map(({ id, name }) => ({ voice_id: id, name, symbols }));
      }),
    };
  };
}

/** @throws AppError `validation_failed` naming each symbol, its place and the voice */
export function validatePhonemes(judge: PhonemeValidator, entry: Pick<Entry, 'alias' | 'language'>): void {
  const problems = [...judge(entry).problems];
  if (problems.length === 0) return;
  throw invalid('alias', ...problems);
}

interface UnsupportedPhoneme {
  readonly symbol: string;
  /** Counted in characters from 1. */
  readonly position: number;
}

/** All speakers of a model support the same phonemes. */
interface ModelSupport {
  readonly speakers: readonly InstalledVoice[];
  readonly unsupported: readonly UnsupportedPhoneme[];
}

/** Checks each model once: it may have hundreds of speakers. */
function findUnsupportedByModel(voices: readonly InstalledVoice[], alias: string): ModelSupport[] {
  const models = Map.groupBy(voices, (voice) => voice.content_hash);
  return [...models.values()].map((speakers) => ({
    speakers,
    unsupported: speakers.slice(0, 1).flatMap((voice) => findUnsupportedPhonemes(alias, voice)),
  }));
}

function findUnsupportedPhonemes(alias: string, voice: InstalledVoice): UnsupportedPhoneme[] {
  const map = findPhonemeMap(voice) ?? { phonemeIds: {}, phonemeMap: {} };
  return findInlinePhonemes(alias).flatMap(({ ipa, offset: start }) =>
    toVoiceSymbols(ipa, map).unknown.map(({ symbol, offset }) => ({
      symbol,
      position: [...alias.slice(0, start + offset)].length + 1,
    })),
  );
}

function formatProblems(findings: readonly ModelSupport[]): string[] {
  const places = new Map<string, number>();
  for (const { symbol, position: place } of findings.flatMap(({ unsupported }) => unsupported)) {
    if (!places.has(symbol)) places.set(symbol, place);
  }
  return [...places].slice(0, maxNamed).map(([symbol, place]) => {
    const names = findings
      .filter(({ unsupported }) => unsupported.some((phoneme) => phoneme.symbol === symbol))
      .flatMap(({ speakers }) => speakers.map(({ name }) => name));
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    const named = names.slice(0, maxNamed).join(', ');
    return `${symbol} (character ${place}) is not supported by ${named}${more}`;
  });
}

function formatNoVoiceProblem(language: string): string {
  const speaking = language === '' ? 'is enabled' : `that is enabled speaks ${language}`;
  return `contains phonemes, but no voice ${speaking}`;
}
