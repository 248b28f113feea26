import { CsvError, type InfoRecord, parse } from 'csv-parse/sync';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type { PronunciationRow } from '../database/feature-schema.ts';
import { AppError, invalidFields } from '../errors.ts';
import { stripFormulaGuard, toCsv } from '../http/csv.ts';
import { findFieldErrors } from '../http/validation.ts';
import {
  type Entry,
  type Owner,
  type PhonemeValidator,
  parseEntryMembers,
  parseLanguage,
  toAuditSite,
  toEntry,
  toOwner,
} from './entry.ts';
import { type FileContent, type FileEntry, type FileProblem, formatPls, parsePls } from './pls.ts';
import { PronunciationBody } from './schema.ts';
import { type Author, isOwnedBy, maxEntries, toRow } from './store.ts';

export type FileFormat = 'csv' | 'pls';

export const contentTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  pls: 'application/pls+xml',
};

const columns = ['word', 'alias', 'language', 'match_case'] as const;
type Column = (typeof columns)[number];
const requiredColumns: readonly Column[] = ['word', 'alias'];

const trueValues = ['true', 'yes', '1'];
const falseValues = ['false', 'no', '0', ''];
/** Spreadsheets use them by country. */
const delimiters = [',', ';', '\t'];

/** RFC 4180 with a header row; formulas are escaped. */
function formatCsv(entries: readonly Entry[]): string {
  return toCsv([
    columns,
    ...entries.map(({ word, alias, language, match_case }) => [word, alias, language, String(match_case)]),
  ]);
}

/**
 * Reads a table with a header row; unknown columns are ignored.
 * @param rowsMax further rows are not read
 */
function parseCsv(text: string, rowsMax: number): FileContent {
  const records = parseCsvRecords(text, rowsMax + 1);
  if ('problem' in records) return { entries: [], problems: [records] };
  const [head, ...rows] = records.rows;
  const names = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
  const missing = requiredColumns.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const problem = `the header row has no column ${missing.join(', ')}`;
    return { entries: [], problems: [{ line: 1, problem }] };
  }
  const parsedRows = rows.map(({ line, cells }) => parseRow(line, names, cells));
  return {
    entries: parsedRows.filter((row) => 'fields' in row),
    problems: parsedRows.filter((row) => 'problem' in row),
  };
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function parseCsvRecords(text: string, to: number): { readonly rows: Row[] } | FileProblem {
  const [first = ''] = text.split(/[\r\n]/, 1);
  const delimiter = delimiters.find((sign) => first.includes(sign)) ?? ',';
  try {
    const records = parse(text, {
      ...{ delimiter, to, info: true, skip_empty_lines: true, relax_column_count: true },
    }) as unknown as { record: string[]; info: InfoRecord }[];
    return { rows: records.map(({ record, info }) => ({ line: info.lines, cells: record })) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { line: Number(error['lines'] ?? 1), problem: 'has an unclosed or invalid quote' };
  }
}

function parseRow(line: number, names: readonly string[], cells: readonly string[]): FileEntry | FileProblem {
  if (cells.length > names.length) return { line, problem: 'has more cells than the header row' };
  const cell = (name: Column): string | undefined => {
    const written = cells[names.indexOf(name)];
    return written === undefined ? undefined : stripFormulaGuard(written);
  };
  const matchCase = (cell('match_case') ?? '').trim().toLowerCase();
  if (![...trueValues, ...falseValues].includes(matchCase)) {
    return { line, problem: 'match_case: must be true or false' };
  }
  return {
    line,
    fields: {
      ...{ word: cell('word'), alias: cell('alias'), language: (cell('language') ?? '').trim() },
      match_case: trueValues.includes(matchCase),
    },
  };
}

/** @param language of all entries; undefined: they have several */
export function formatFile(entries: readonly Entry[], format: FileFormat, language: string | undefined): string {
  return format === 'csv' ? formatCsv(entries) : formatPls(entries, language ?? '');
}

const maxReportedProblems = 50;

interface PronunciationFile {
  readonly entries: readonly Entry[];
  /** The only language of the file; undefined: entries have their own. */
  readonly language: string | undefined;
}

/** `merge` keeps entries missing from the file, `replace` deletes them, in the language of the file if it has one. */
export type ImportMode = 'merge' | 'replace';

/** Counts of entries. */
export interface ImportResult {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/**
 * @throws AppError `validation_failed` with the problems by line
 */
export function parseFile(text: string, format: FileFormat, judge: PhonemeValidator): PronunciationFile {
  const { entries, problems, language } = format === 'csv' ? parseCsv(text, maxEntries + 1) : parsePls(text);
  // Before the validation: a small file can contain very many entries.
  if (entries.length + problems.length > maxEntries) {
    throw createFileError([{ line: 1, problem: `limit exceeded: at most ${maxEntries} entries` }]);
  }
  const allProblems = [...problems];
  const lineByKey = new Map<string, number>();
  const validEntries: Entry[] = [];
  for (const entry of entries) {
    const checked = validateFileEntry(entry, judge);
    allProblems.push(...checked.problems);
    if (checked.entry === undefined) continue;
    const key = buildEntryKey(toRow(checked.entry));
    const before = lineByKey.get(key);
    lineByKey.set(key, before ?? entry.line);
    if (before !== undefined) {
      allProblems.push({ line: entry.line, problem: `word: duplicate of line ${before}` });
    }
    validEntries.push(checked.entry);
  }
  if (allProblems.length > 0) throw createFileError(allProblems);
  return {
    entries: validEntries,
    language: language === undefined ? undefined : (parseLanguage(language) ?? language),
  };
}

/**
 * Applies a file to a lexicon, with an entry in the audit log; run it in a transaction.
 * @param isDry nothing is written
 * @throws AppError `conflict` for too many entries
 */
export async function importEntries(
  db: Queries,
  { userId, site }: Author,
  { entries, language }: PronunciationFile,
  mode: ImportMode,
  isDry: boolean,
): Promise<ImportResult> {
  const owner = toOwner(site);
  const existing = new Map((await listAllEntries(db, owner)).map((row) => [buildEntryKey(row), row]));
  const fresh: Entry[] = [];
  const changed: { readonly row: PronunciationRow; readonly entry: Entry }[] = [];
  const unchangedIds = new Set<number>();
  for (const entry of entries) {
    const row = existing.get(buildEntryKey(toRow(entry)));
    if (row === undefined) fresh.push(entry);
    else unchangedIds.add(row.id);
    if (row !== undefined && !isSameEntry(toEntry(row), entry)) changed.push({ row, entry });
  }
  const others = [...existing.values()].filter(({ id }) => !unchangedIds.has(id));
  const replaced = others.filter((row) => language === undefined || row.language === language);
  const deleted = mode === 'replace' ? replaced.map(({ id }) => id) : [];
  if (existing.size - deleted.length + fresh.length > maxEntries) {
    throw new AppError('conflict', `Limit exceeded: at most ${maxEntries} pronunciations`);
  }
  const counts = {
    ...{ created: fresh.length, changed: changed.length, deleted: deleted.length },
    unchanged: unchangedIds.size - changed.length,
  };
  if (isDry) return counts;
  const now = timestamp();
  await deleteEntries(db, deleted);
  for (const { row, entry } of changed) await updateEntry(db, row.id, entry, now);
  await insertEntries(db, owner, fresh, now);
  const action = { userId, action: 'pronunciations.imported', ...toAuditSite(site) };
  await insertAuditEntry(db, { ...action, after: { mode, ...counts } });
  return counts;
}

function validateFileEntry(
  { line, fields }: FileEntry,
  judge: PhonemeValidator,
): { readonly entry?: Entry; readonly problems: FileProblem[] } {
  const named = (fields: Readonly<Record<string, readonly string[]>>): FileProblem[] =>
    Object.entries(fields).flatMap(([field, problems]) =>
      problems.map((problem) => ({ line, problem: `${field}: ${problem}` })),
    );
  const errors = named(findFieldErrors(PronunciationBody, JSON.parse(JSON.stringify(fields))));
  if (errors.length > 0) return { problems: errors };
  const { entry, problems } = parseEntryMembers(fields as Entry);
  if (Object.keys(problems).length > 0) return { problems: named(problems) };
  const unsayable = judge(entry).problems;
  return unsayable.length > 0 ? { problems: named({ alias: unsayable }) } : { entry, problems: [] };
}

/** Unique in a lexicon. */
function buildEntryKey({
  language,
  match_case,
  word_key,
}: Pick<PronunciationRow, 'language' | 'match_case' | 'word_key'>): string {
  return JSON.stringify([language, match_case, word_key]);
}

function isSameEntry(a: Entry, b: Entry): boolean {
  return a.word === b.word && a.alias === b.alias;
}

function createFileError(problems: readonly FileProblem[]): AppError {
  return invalidFields(toFieldErrors(problems));
}

function toFieldErrors(problems: readonly FileProblem[]): Record<string, string[]> {
  const named = problems.toSorted((a, b) => a.line - b.line).slice(0, maxReportedProblems);
  const lines = Map.groupBy(named, ({ line }) => `line ${line}`);
  const fields = Object.fromEntries(
    [...lines].map(([line, lineProblems]) => [line, lineProblems.map(({ problem }) => problem)]),
  );
  return problems.length <= maxReportedProblems
    ? fields
    : {
        file: [`has ${problems.length} problems; the first ${maxReportedProblems} are listed`],
        ...fields,
      };
}

const rowsPerBatch = 500;

/** By language and word. */
export function listAllEntries(db: Queries, owner: Owner, language?: string): Promise<PronunciationRow[]> {
  return db
    .selectFrom('pronunciation')
    .selectAll()
    .where(isOwnedBy(owner))
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('language')
    .orderBy('word_key')
    .orderBy('match_case')
    .execute();
}

async function insertEntries(db: Queries, owner: Owner, entries: readonly Entry[], now: string): Promise<void> {
  for (let start = 0; start < entries.length; start += rowsPerBatch) {
    const rows = entries.slice(start, start + rowsPerBatch).map((entry) => ({
      ...toRow(entry),
      ...{ site_id: owner, created_at: now, updated_at: now },
    }));
    await db.insertInto('pronunciation').values(rows).execute();
  }
}

async function updateEntry(db: Queries, id: number, entry: Entry, now: string): Promise<void> {
  await db
    .updateTable('pronunciation')
    .set({ ...toRow(entry), updated_at: now })
    .where('id', '=', id)
    .execute();
}

async function deleteEntries(db: Queries, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += rowsPerBatch) {
    const batch = ids.slice(start, start + rowsPerBatch);
    await db.deleteFrom('pronunciation').where('id', 'in', batch).execute();
  }
}
