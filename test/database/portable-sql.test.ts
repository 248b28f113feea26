import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';

const src = join(import.meta.dir, '../../src');
/** Files that may contain SQL of SQLite only: the dialect, the driver, the schema and its translation. */
const dialectFiles = /^database\/(dialect\.ts|(sqlite|migrate|postgres-migrate)\.ts|migrations\/)/;
/** No SQL. */
const otherFiles = /^(speech|player\/browser|dashboard\/browser|build)\//;

/** SQL that PostgreSQL rejects or interprets differently, with an example for each rule. */
const rules: readonly [what: string, pattern: RegExp, example: string][] = [
  ['JSON functions', /\bjson_[a-z]+\(/i, "sql`json_extract(reading, '$.a')`"],
  ['JSON operators', / ->>? ?(?:'|\d|\$\{sql)/, "sql`reading ->> 'a'`"],
  ['date functions', /\b(strftime|julianday|unixepoch|datetime|date|time)\('/i, "sql`datetime('now')`"],
  [
    'insert or replace',
    /\b(insert or (replace|ignore|abort|fail|rollback)|replace into)\b/i,
    'sql`insert or replace into a`',
  ],
  ['orReplace', /\.(orReplace|orIgnore|orAbort|orFail|orRollback)\(|\breplaceInto\(/, "db.replaceInto('a')"],
  ['rowid of other tables than the search index', /(?<!post_search\.)\browid\b(?!: number)/, "eb.ref('audio.rowid')"],
  [
    'glob, match and regexp',
    /'(glob|match|regexp)', |sql[^;]* (glob|match|regexp) (?:'|\$\{)/i,
    "where('a', 'glob', b)",
  ],
  ['collations', /\bcollate\b/i, 'sql`a collate nocase`'],
  [
    'functions',
    /\b(instr|ifnull|iif|group_concat|printf|hex|unhex|randomblob|zeroblob|total|changes|last_insert_rowid|likely)(\(|', \[)/i,
    "eb.fn('instr', [a, b])",
  ],
  ['scalar min and max', /[` ,(](min|max)\((?:[^()`]|\([^()`]*\))*,(?:[^()`]|\([^()`]*\))*\)[^`]*`/, 'sql`max(a, 0)`'],
  ['is with a value', /'is(?: not)?', (?!null\b)/, "eb('a', 'is not', value)"],
  ['pragmas and the SQLite schema', /\bpragma(\(|_| \w+)|\bsqlite_\w+/, 'sql`pragma data_version`'],
  ['cross join with a condition', /\bcross join \w+(?: as \w+)? on\b/i, 'sql`cross join site on site.id = 1`'],
  [
    'on conflict without columns',
    /\bon conflict do update\b|\.onConflict\(\((\w+)\) =>\s*\1\s*\.doUpdateSet/i,
    '.onConflict((row) => row.doUpdateSet(a))',
  ],
  ['virtual tables', /\bfts5\b|\bcreate (virtual|trigger)\b/i, 'sql`select * from fts5`'],
];

/** @returns code without comments and addresses */
function stripComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:])\/\/.*$/gm, '$1');
}

function findOffences(code: string): string[] {
  const stripped = stripComments(code);
  const found = rules.filter(([, pattern]) => pattern.test(stripped));
  return found.map(([what]) => what);
}

test.each(rules)('the rule about %s finds its example', (what, _, example) => {
  expect(findOffences(example)).toContain(what);
  expect(findOffences(`// ${example}`)).toEqual([]);
});

test('stores use no SQL of SQLite only', async () => {
  const offences: Record<string, string[]> = {};
  let readCount = 0;
  for await (const path of new Glob('**/*.ts').scan(src)) {
    if (dialectFiles.test(path) || otherFiles.test(path)) continue;
    readCount += 1;
    const found = findOffences(await Bun.file(join(src, path)).text());
    if (found.length > 0) offences[path] = found;
  }
  expect(offences).toEqual({});
  expect(readCount).toBeGreaterThan(100);
});

test('times that are stored, or compared with stored ones, are from one clock', async () => {
  const ownClock = /\bDate\.now\(\)|\bnew Date\(\)/;
  expect('created_at: new Date().toISOString()').toMatch(ownClock);
  // It compares times of files.
  const exempt = ['audio/media/media-files.ts', 'voices/voice-files.ts'];
  const found: string[] = [];
  for await (const path of new Glob('**/*.ts').scan(src)) {
    if (otherFiles.test(path) || exempt.includes(path)) continue;
    const code = stripComments(await Bun.file(join(src, path)).text());
    if (/from '[./]+database\//.test(code) && ownClock.test(code)) found.push(path);
  }
  expect(found).toEqual([]);
});
