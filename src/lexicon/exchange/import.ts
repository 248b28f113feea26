import type { PronunciationRow } from '../../database/lexicon-tables.ts';
import type { Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { problemsOf } from '../../http/validate.ts';
import { type Entry, entryOf, languageOf, readMembers } from '../entry.ts';
import { PronunciationBody } from '../schema.ts';
import { entriesMax, type Owner, stored } from '../store.ts';
import type { JudgePhonemes } from '../voices.ts';
import { readCsv } from './csv.ts';
import type { FileEntry, FileFormat, FileProblem } from './file.ts';
import { readPls } from './pls.ts';
import { allEntries, deleteEntries, insertEntries, replaceEntry } from './store.ts';

const namedMax = 50;

/** The entries of a file, each as it is stored. */
interface LexiconFile {
  readonly entries: readonly Entry[];
  /** The only language the file speaks of; undefined: it may speak of several. */
  readonly language: string | undefined;
}

/** `merge` keeps entries that the file does not name, `replace` deletes them, as far as it speaks of their language. */
export type ImportMode = 'merge' | 'replace';

/** What an import does, or would do. */
export interface Imported {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/**
 * @param judge says which phonemes the voices know
 * @throws AppError `validation_failed` naming the lines that are wrong: then nothing of it is taken
 */
export function readFile(text: string, format: FileFormat, judge: JudgePhonemes): LexiconFile {
  const { entries, problems, language } =
    format === 'csv' ? readCsv(text, entriesMax + 1) : readPls(text);
  // Before each of them is checked: a small file can name very many.
  if (entries.length + problems.length > entriesMax) {
    throw refused([{ line: 1, problem: `a lexicon has at most ${entriesMax} entries` }]);
  }
  const found = [...problems];
  const taken = new Map<string, number>();
  const read: Entry[] = [];
  for (const one of entries) {
    const checked = checkedEntry(one, judge);
    found.push(...checked.problems);
    if (checked.entry === undefined) continue;
    const key = placeOf(stored(checked.entry));
    const before = taken.get(key);
    taken.set(key, before ?? one.line);
    if (before !== undefined) {
      found.push({ line: one.line, problem: `word: stands in line ${before} already` });
    }
    read.push(checked.entry);
  }
  if (found.length > 0) throw refused(found);
  return {
    entries: read,
    language: language === undefined ? undefined : (languageOf(language) ?? language),
  };
}

/**
 * Brings a lexicon to what a file says; run it in a transaction.
 * @param isDry nothing is written
 * @throws AppError `conflict` when it would have too many entries
 */
export async function importEntries(
  db: Queries,
  owner: Owner,
  { entries, language }: LexiconFile,
  mode: ImportMode,
  isDry: boolean,
): Promise<Imported> {
  const known = new Map((await allEntries(db, owner)).map((row) => [placeOf(row), row]));
  const fresh: Entry[] = [];
  const changed: { readonly row: PronunciationRow; readonly entry: Entry }[] = [];
  const kept = new Set<number>();
  for (const entry of entries) {
    const row = known.get(placeOf(stored(entry)));
    if (row === undefined) fresh.push(entry);
    else kept.add(row.id);
    if (row !== undefined && !isSame(entryOf(row), entry)) changed.push({ row, entry });
  }
  const others = [...known.values()].filter(({ id }) => !kept.has(id));
  const replaced = others.filter((row) => language === undefined || row.language === language);
  const deleted = mode === 'replace' ? replaced.map(({ id }) => id) : [];
  if (known.size - deleted.length + fresh.length > entriesMax) {
    throw new AppError('conflict', `A lexicon has at most ${entriesMax} pronunciations`);
  }
  const now = new Date().toISOString();
  if (!isDry) {
    await deleteEntries(db, deleted);
    for (const { row, entry } of changed) await replaceEntry(db, row.id, entry, now);
    await insertEntries(db, owner, fresh, now);
  }
  return {
    ...{ created: fresh.length, changed: changed.length, deleted: deleted.length },
    unchanged: kept.size - changed.length,
  };
}

function checkedEntry(
  { line, given }: FileEntry,
  judge: JudgePhonemes,
): { readonly entry?: Entry; readonly problems: FileProblem[] } {
  const named = (fields: Readonly<Record<string, readonly string[]>>): FileProblem[] =>
    Object.entries(fields).flatMap(([field, problems]) =>
      problems.map((problem) => ({ line, problem: `${field}: ${problem}` })),
    );
  const wrong = named(problemsOf(PronunciationBody, JSON.parse(JSON.stringify(given))));
  if (wrong.length > 0) return { problems: wrong };
  const { entry, problems } = readMembers(given as Entry);
  if (Object.keys(problems).length > 0) return { problems: named(problems) };
  const unsayable = judge(entry).problems;
  return unsayable.length > 0 ? { problems: named({ alias: unsayable }) } : { entry, problems: [] };
}

/** @returns what no two entries of a lexicon share */
function placeOf({
  language,
  match_case,
  word_key,
}: Pick<PronunciationRow, 'language' | 'match_case' | 'word_key'>): string {
  return JSON.stringify([language, match_case, word_key]);
}

function isSame(one: Entry, other: Entry): boolean {
  return one.word === other.word && one.alias === other.alias;
}

function refused(problems: readonly FileProblem[]): AppError {
  return new AppError('validation_failed', 'Validation failed', fieldsOf(problems));
}

function fieldsOf(problems: readonly FileProblem[]): Record<string, string[]> {
  const named = problems.toSorted((one, other) => one.line - other.line).slice(0, namedMax);
  const lines = Map.groupBy(named, ({ line }) => `line ${line}`);
  const fields = Object.fromEntries(
    [...lines].map(([line, some]) => [line, some.map(({ problem }) => problem)]),
  );
  return problems.length <= namedMax
    ? fields
    : { file: [`has ${problems.length} problems; the first ${namedMax} are named`], ...fields };
}
