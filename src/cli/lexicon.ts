import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { audit } from '../auth/audit-log.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { validate } from '../http/validation.ts';
import {
  auditedSite,
  type Entry,
  entryOf,
  languageOf,
  ownerOf,
  readEntry,
} from '../pronunciations/entry.ts';
import type { FileFormat } from '../pronunciations/import-export.ts';
import {
  allEntries,
  type ImportMode,
  importEntries,
  readFile,
  writeFile,
} from '../pronunciations/import-export.ts';
import { PronunciationBody } from '../pronunciations/schema.ts';
import {
  deletePronunciation,
  findPronunciation,
  insertPronunciation,
} from '../pronunciations/store.ts';
import { checkPhonemes, type JudgePhonemes, judgePhonemes } from '../pronunciations/voices.ts';
import { findSite } from '../sites/store.ts';
import { openCatalog } from '../voices/catalog.ts';
import {
  type CommonOptions,
  command,
  configOf,
  group,
  withDatabase,
  withWorkers,
} from './commands.ts';
import { print, table } from './output.ts';

interface SiteOptions extends CommonOptions {
  readonly site?: string;
}

interface LanguageOptions extends SiteOptions {
  readonly language?: string;
}

interface AddOptions extends LanguageOptions {
  readonly matchCase?: boolean;
}

interface ImportOptions extends SiteOptions {
  readonly mode: ImportMode;
  readonly dryRun?: boolean;
}

interface ExportOptions extends LanguageOptions {
  readonly format: FileFormat;
  readonly output?: string;
}

/** `lectern lexicon list|add|remove|import|export` */
export function lexiconCommand(): Command {
  const lexicon = group('lexicon', 'words that are said otherwise, of a site or of all');
  const of = (name: string, description: string) =>
    command(name, description).option('--site <site>', 'id or slug; without: of every site');
  const language = [
    '--language <code>',
    'that it holds for, like en; every one unless named',
  ] as const;
  lexicon.addCommand(
    of('list', 'the entries')
      .option(...language)
      .action(list),
  );
  lexicon.addCommand(
    of('add', 'say a word otherwise')
      .argument('<word>', 'as it is written; found only whole')
      .argument('<alias>', 'what is said; phonemes in [[…]]')
      .option(...language)
      .option('--match-case', 'only with the same capitals')
      .action(add),
  );
  lexicon.addCommand(of('remove', 'take an entry out').argument('<id>', 'its id').action(remove));
  lexicon.addCommand(
    of('import', 'take entries from a file: CSV, or W3C PLS (.pls, .xml)')
      .argument('<file>')
      .addOption(
        new Option('--mode <mode>', 'keep what the file does not name, or delete it')
          .choices(['merge', 'replace'])
          .default('merge'),
      )
      .option('--dry-run', 'only say what would come of it')
      .action(importFile),
  );
  lexicon.addCommand(
    of('export', 'print the entries as a file')
      .addOption(new Option('--format <format>').choices(['csv', 'pls']).default('csv'))
      .option(
        '--language <code>',
        'only those of it; needed for pls, "" for those of every language',
      )
      .option('-o, --output <file>', 'write them there')
      .action(exportFile),
  );
  return lexicon;
}

async function list(options: LanguageOptions): Promise<void> {
  const rows = await withDatabase(options, async ({ read }) =>
    allEntries(read, ownerOf(await siteOf(read, options)), askedLanguage(options)),
  );
  const entries = rows.map((row) => ({ id: row.id, ...entryOf(row) }));
  print(options.json, entries, () =>
    table(entries, 'no entry yet: lectern lexicon add WORD ALIAS [--site SITE]'),
  );
}

async function add(word: string, alias: string, options: AddOptions): Promise<void> {
  const given = validate(PronunciationBody, { word, alias });
  const entry = readEntry({
    ...given,
    language: options.language ?? '',
    match_case: options.matchCase === true,
  });
  const row = await withDatabase(options, async (database) => {
    const site = await siteOf(database.read, options);
    const judge = await judgeFor(database, options, site, [entry]);
    checkPhonemes(judge, entry);
    return database.write(async (db) => {
      const made = await insertPronunciation(db, ownerOf(site), entry);
      await audit(db, {
        ...{ userId: null, action: 'pronunciation.created', ...auditedSite(site) },
        ...{ subject: made.word, after: entryOf(made) },
      });
      return made;
    });
  });
  const made = { id: row.id, ...entryOf(row) };
  print(options.json, made, () => `${made.word} is said as ${made.alias} (entry ${made.id})`);
}

async function remove(id: string, options: SiteOptions): Promise<void> {
  if (!/^\d{1,15}$/.test(id)) throw new AppError('bad_usage', `expected an id, got ${id}`);
  const removed = await withDatabase(options, async (database) => {
    const site = await siteOf(database.read, options);
    return database.write(async (db) => {
      const row = await findPronunciation(db, ownerOf(site), Number(id));
      await deletePronunciation(db, row.id);
      await audit(db, {
        ...{ userId: null, action: 'pronunciation.deleted', ...auditedSite(site) },
        ...{ subject: row.word, before: entryOf(row) },
      });
      return row;
    });
  });
  print(options.json, { id: removed.id }, () => `${removed.word} is said as it is written again`);
}

async function importFile(path: string, options: ImportOptions): Promise<void> {
  const text = textOf(path);
  const isDry = options.dryRun === true;
  const imported = await withDatabase(options, async (database) => {
    const site = await siteOf(database.read, options);
    const format = ['.pls', '.xml'].includes(extname(path).toLowerCase()) ? 'pls' : 'csv';
    const judge = await judgeFor(database, options, site, [{ alias: text }]);
    const file = readFile(text, format, judge);
    return database.write(async (db) => {
      const done = await importEntries(db, ownerOf(site), file, options.mode, isDry);
      if (!isDry) {
        await audit(db, {
          ...{ userId: null, action: 'pronunciations.imported', ...auditedSite(site) },
          after: { mode: options.mode, ...done },
        });
      }
      return done;
    });
  });
  const { created, changed, unchanged, deleted } = imported;
  print(options.json, { ...imported, dry_run: isDry }, () =>
    [
      `${created} created, ${changed} changed, ${unchanged} as they were, ${deleted} deleted`,
      ...(isDry ? ['nothing was written: it was a dry run'] : []),
    ].join('\n'),
  );
}

async function exportFile(options: ExportOptions): Promise<void> {
  const language = askedLanguage(options);
  if (options.format === 'pls' && language === undefined) {
    throw new AppError('bad_usage', 'a PLS document holds one language: name it with --language');
  }
  const rows = await withDatabase(options, async ({ read }) =>
    allEntries(read, ownerOf(await siteOf(read, options)), language),
  );
  const file = writeFile(rows.map(entryOf), options.format, language);
  const { output } = options;
  if (output === undefined) {
    process.stdout.write(file);
    return;
  }
  await writeFileAtomically(output, [Buffer.from(file)]);
  print(
    options.json,
    { file: output, entries: rows.length },
    () => `${output}: ${rows.length} entries`,
  );
}

function siteOf(db: Queries, { site }: SiteOptions): Promise<Site | null> {
  return site === undefined ? Promise.resolve(null) : findSite(db, site);
}

/** Voices are asked only where there are phonemes. */
async function judgeFor(
  database: Database,
  options: CommonOptions,
  site: Site | null,
  entries: readonly Pick<Entry, 'alias'>[],
): Promise<JudgePhonemes> {
  if (!entries.some(({ alias }) => /\[\[|phoneme/.test(alias))) return judgePhonemes([], site);
  const config = configOf(options);
  return withWorkers(config, 1, async (workers) => {
    const catalog = await openCatalog(database, config.voices, workers);
    await catalog.settled();
    return judgePhonemes(await catalog.voices(), site);
  });
}

function askedLanguage({ language }: LanguageOptions): string | undefined {
  if (language === undefined) return undefined;
  const code = languageOf(language);
  if (code === undefined) throw new AppError('bad_usage', `expected a language, got ${language}`);
  return code;
}

function textOf(path: string): string {
  if (!existsSync(path)) throw new AppError('operation_failed', `There is no file ${path}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch {
    throw new AppError('operation_failed', `Cannot read ${path} as text in UTF-8`);
  }
}
