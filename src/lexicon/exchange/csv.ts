import { CsvError, type InfoRecord, parse } from 'csv-parse/sync';
import { csv, withoutGuard } from '../../http/csv.ts';
import type { Entry } from '../entry.ts';
import type { FileContent, FileEntry, FileProblem } from './file.ts';

const columns = ['word', 'alias', 'language', 'match_case'] as const;
type Column = (typeof columns)[number];
const needed: readonly Column[] = ['word', 'alias'];

const yes = ['true', 'yes', '1'];
const no = ['false', 'no', '0', ''];
/** What spreadsheets write between cells, by country. */
const delimiters = [',', ';', '\t'];

/** @returns entries as a table with a head (RFC 4180); nothing in it is calculated by a spreadsheet */
export function writeCsv(entries: readonly Entry[]): string {
  return csv([
    columns,
    ...entries.map(({ word, alias, language, match_case }) => [
      ...[word, alias, language, String(match_case)],
    ]),
  ]);
}

/**
 * Reads a table whose head names its columns; those of other names are passed over.
 * @param rowsMax no more rows than these are read
 */
export function readCsv(text: string, rowsMax: number): FileContent {
  const records = recordsOf(text, rowsMax + 1);
  if ('problem' in records) return { entries: [], problems: [records] };
  const [head, ...rows] = records.rows;
  const names = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
  const missing = needed.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const problem = `the head has no column ${missing.join(', ')}`;
    return { entries: [], problems: [{ line: 1, problem }] };
  }
  const read = rows.map(({ line, cells }) => readRow(line, names, cells));
  return {
    entries: read.filter((one) => 'given' in one),
    problems: read.filter((one) => 'problem' in one),
  };
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function recordsOf(text: string, to: number): { readonly rows: Row[] } | FileProblem {
  const [first = ''] = text.split(/[\r\n]/, 1);
  const delimiter = delimiters.find((sign) => first.includes(sign)) ?? ',';
  try {
    const records = parse(text, {
      ...{ delimiter, to, info: true, skip_empty_lines: true, relax_column_count: true },
    }) as unknown as { record: string[]; info: InfoRecord }[];
    return { rows: records.map(({ record, info }) => ({ line: info.lines, cells: record })) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { line: Number(error['lines'] ?? 1), problem: 'is not closed or not quoted rightly' };
  }
}

function readRow(
  line: number,
  names: readonly string[],
  cells: readonly string[],
): FileEntry | FileProblem {
  if (cells.length > names.length) return { line, problem: 'has more cells than the head' };
  const cell = (name: Column): string | undefined => {
    const written = cells[names.indexOf(name)];
    return written === undefined ? undefined : withoutGuard(written);
  };
  const matchCase = (cell('match_case') ?? '').trim().toLowerCase();
  if (![...yes, ...no].includes(matchCase)) {
    return { line, problem: 'match_case: must be true or false' };
  }
  return {
    line,
    given: {
      ...{ word: cell('word'), alias: cell('alias'), language: (cell('language') ?? '').trim() },
      match_case: yes.includes(matchCase),
    },
  };
}
