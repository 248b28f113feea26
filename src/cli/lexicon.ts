import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import type { Database, Queries } from '../database/database.ts';
import type { Site } from '../database/schema.ts';
import { AppError, operationFailed } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { validate } from '../http/validation.ts';
import {
  type Entry,
  type PhonemeValidator,
  parseEntry,
  parseLanguage,
  toEntry,
  toOwner,
} from '../pronunciations/entry.ts';
import {
  type FileFormat,
  formatFile,
  type ImportMode,
  importEntries,
  listAllEntries,
  parseFile,
} from '../pronunciations/import-export.ts';
import { PronunciationBody } from '../pronunciations/schema.ts';
import {
  createPhonemeValidator,
  createPronunciation,
  removePronunciation,
  validatePhonemes,
} from '../pronunciations/store.ts';
import { findSite } from '../sites/store.ts';
import { openCatalog } from '../voices/catalog.ts';
import {
  type CommonOptions,
  createCommand,
  createGroup,
  idArgument,
  listAction,
  loadConfig,
  openVoiceStore,
  withDatabase,
  withExistingDatabase,
  withWorkers,
  writeDatabase,
} from './command.ts';
import { getIo, printResult } from './output.ts';

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
  readonly format?: FileFormat;
  readonly output?: string;
}

export function lexiconCommand(): Command {
  const of = (name: string, description: string) =>
    createCommand(name, description).option('--site <site>', 'id or slug (default: all sites)');
  const language = ['--language <code>', 'language code, for example en (default: all languages)'] as const;
  const mode = new Option('--mode <mode>', 'merge: keep entries missing from the file; replace: delete them');
  return createGroup('lexicon', 'manage the pronunciations of a site or of the installation', [
    of('list', 'list entries')
      .option(...language)
      .action(list),
    of('add', 'add a pronunciation')
      .argument('<word>', 'word as written; matches whole words only')
      .argument('<alias>', 'replacement text; phonemes in [[…]]')
      .option(...language)
      .option('--match-case', 'match case')
      .action(add),
    of('remove', 'remove an entry').addArgument(idArgument('entry')).action(remove),
    of('import', 'import entries from CSV or W3C PLS (.pls, .xml)')
      .argument('<file>')
      .addOption(mode.choices(['merge', 'replace']).default('merge'))
      .option('--dry-run', 'validate and report changes without writing')
      .action(importFile),
    of('export', 'export entries')
      .addOption(
        new Option('--format <format>', 'default: pls for a file .pls or .xml, else csv').choices(['csv', 'pls']),
      )
      .option('--language <code>', 'only this language; required for pls; "" selects entries for all languages')
      .option('-o, --output <file>', 'output file (default: standard output)')
      .action(exportFile),
  ]);
}

const list = listAction(
  async (db, options: LanguageOptions) => {
    const rows = await listAllEntries(db, toOwner(await findSiteOption(db, options)), parseLanguageOption(options));
    return rows.map((row) => ({ id: row.id, ...toEntry(row) }));
  },
  (entry) => entry,
  'No entries. Add one: lectern lexicon add WORD ALIAS [--site SITE]',
);

async function add(word: string, alias: string, options: AddOptions): Promise<void> {
  const body = validate(PronunciationBody, { word, alias });
  const { language = '', matchCase: match_case = false } = options;
  const entry = parseEntry({ ...body, language, match_case });
  const row = await withDatabase(options, async (database) => {
    const site = await findSiteOption(database.read, options);
    const validator = await createValidator(database, options, site, [entry]);
    validatePhonemes(validator, entry);
    return database.write(site?.id ?? 'server', (db) => createPronunciation(db, { userId: null, site }, entry));
  });
  const added = { id: row.id, ...toEntry(row) };
  printResult(options.json, added, () => `${added.word} is pronounced as ${added.alias} (entry ${added.id})`);
}

async function remove(id: number, options: SiteOptions): Promise<void> {
  const removed = await writeDatabase(options, async (db) =>
    removePronunciation(db, { userId: null, site: await findSiteOption(db, options) }, id),
  );
  printResult(options.json, { id: removed.id }, () => `Pronunciation of ${removed.word} removed`);
}

async function importFile(path: string, options: ImportOptions): Promise<void> {
  const text = readTextFile(path);
  const isDry = options.dryRun === true;
  const imported = await withDatabase(options, async (database) => {
    const site = await findSiteOption(database.read, options);
    const format = getFileFormat(path);
    const validator = await createValidator(database, options, site, [{ alias: text }]);
    const file = parseFile(text, format, validator);
    return database.write(site?.id ?? 'server', (db) =>
      importEntries(db, { userId: null, site }, file, options.mode, isDry),
    );
  });
  const { created, changed, unchanged, deleted } = imported;
  printResult(options.json, { ...imported, dry_run: isDry }, () =>
    [
      `${created} created, ${changed} changed, ${unchanged} unchanged, ${deleted} deleted`,
      ...(isDry ? ['Dry run: nothing was written'] : []),
    ].join('\n'),
  );
}

async function exportFile(options: ExportOptions): Promise<void> {
  const language = parseLanguageOption(options);
  const { output, format = getFileFormat(output) } = options;
  if (format === 'pls' && language === undefined) {
    throw new AppError('bad_usage', 'A PLS document holds one language. Set --language.');
  }
  const rows = await withExistingDatabase(options, async ({ read }) =>
    listAllEntries(read, toOwner(await findSiteOption(read, options)), language),
  );
  const file = formatFile(rows.map(toEntry), format, language);
  if (output === undefined) {
    getIo().stdout.write(file);
    return;
  }
  await writeFileAtomically(output, [Buffer.from(file)], { mode: 'umask' });
  printResult(options.json, { file: output, entries: rows.length }, () => `${output}: ${rows.length} entries`);
}

function getFileFormat(path = ''): FileFormat {
  return ['.pls', '.xml'].includes(extname(path).toLowerCase()) ? 'pls' : 'csv';
}

function findSiteOption(db: Queries, { site }: SiteOptions): Promise<Site | null> {
  return site === undefined ? Promise.resolve(null) : findSite(db, site);
}

/** Voices are loaded only for entries with phonemes. */
async function createValidator(
  database: Database,
  options: CommonOptions,
  site: Site | null,
  entries: readonly Pick<Entry, 'alias'>[],
): Promise<PhonemeValidator> {
  if (!entries.some(({ alias }) => /\[\[|phoneme/.test(alias))) return createPhonemeValidator([], site);
  const config = loadConfig(options);
  return withWorkers(config, 1, async (workers) => {
    const catalog = await openCatalog(database, config.voices, workers, undefined, openVoiceStore(config, database));
    await catalog.waitUntilInspected();
    return createPhonemeValidator(await catalog.voices(), site);
  });
}

function parseLanguageOption({ language }: LanguageOptions): string | undefined {
  if (language === undefined) return undefined;
  const code = parseLanguage(language);
  if (code === undefined) throw new AppError('bad_usage', `expected a language code, got ${language}`);
  return code;
}

function readTextFile(path: string): string {
  if (!existsSync(path)) throw operationFailed(`File ${path} not found`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch {
    throw operationFailed(`Reading ${path} failed: not UTF-8 text`);
  }
}
