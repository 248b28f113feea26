import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { createLog } from '../log.ts';
import { sayText } from '../speech/synthesize-text.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { WorkerDied } from '../speech/worker-process.ts';
import { writeBundle } from '../voices/bundle.ts';
import { type Catalog, type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { fullVoice } from '../voices/full-voice.ts';
import { createGate, sampleSentence } from '../voices/inspect.ts';
import { createInstallation, type Installation } from '../voices/installer.ts';
import { type Compiler, createCompiler } from '../voices/optimizer-job.ts';
import { changeVoice, findLicenseText, namedVoices, setMeasured, usesOf } from '../voices/store.ts';
import {
  type CommonOptions,
  command,
  withDatabase,
  withWorkers,
  workerOptions,
} from './commands.ts';
import { compiledVoices } from './compiled-voices.ts';
import { print, table } from './output.ts';

/** What a command about voices works with. */
export interface VoiceTools {
  readonly database: Database;
  readonly config: Config;
  readonly workers: Workers;
  readonly catalog: Catalog;
  readonly installation: Installation;
  /** Undefined where the settings say that voices are used as they came. */
  readonly compiler: Compiler | undefined;
}

/** Opens the voices of a data folder for one command, a server running on it or not. */
export function withVoices<T>(
  options: CommonOptions,
  work: (tools: VoiceTools) => Promise<T>,
): Promise<T> {
  return withDatabase(options, (database, config) =>
    withWorkers(config, 1, async (workers) => {
      const compiled = compiledVoices(config, (problem) => {
        process.stderr.write(`lectern: ${problem}\n`);
      });
      const catalog = await openCatalog(database, config.voices, workers, compiled);
      await catalog.settled();
      const child = { ...workerOptions(config), log: createLog('silent') };
      const gate = createGate(child);
      const folder = config.voices;
      const installation = createInstallation({ database, catalog, gate, folder, compiled });
      const compiler = compiled && createCompiler(compiled, child);
      try {
        return await work({ database, config, workers, catalog, installation, compiler });
      } catch (error) {
        throw inPlainWords(error);
      }
    }),
  );
}

/** A voice as commands print it. */
export function shownVoice(voice: InstalledVoice) {
  const { type, sample_url, ...shown } = fullVoice(voice, '');
  return { ...shown, file: voice.stem };
}

/** @returns voices as lines for people */
export function voiceTable(voices: readonly InstalledVoice[]): string {
  const rows = voices.map(shownVoice).map((voice) => ({
    id: voice.id,
    name: voice.name,
    file: voice.file,
    locale: voice.locale,
    gender: voice.gender,
    quality: voice.quality,
    sample_rate: voice.sample_rate,
    plan: voice.plan_required,
    enabled: voice.enabled,
    compiled: compilationInWords(voice),
    license: licenseInWords(voice),
  }));
  return table(rows, 'no voice is installed');
}

function compilationInWords({ compilation }: ReturnType<typeof shownVoice>): string {
  if (compilation === null) return '-';
  const { outcome, reason, speed_ratio } = compilation;
  if (outcome === 'compiled') return `${speed_ratio?.toFixed(2)} ×`;
  const words = {
    unknown_architecture: 'unknown architecture',
    other_sound: 'would sound otherwise',
    not_faster: 'not faster here',
    failed: 'failed',
  };
  return `original: ${reason === null ? 'failed' : words[reason]}`;
}

function licenseInWords(voice: ReturnType<typeof shownVoice>): string {
  const { license, license_status, license_accepted } = voice;
  if (license_status === 'free') return license ?? '-';
  const kind = license_status.replace('_', '-');
  const accepted =
    license_accepted === null ? 'accepted by nobody' : `accepted by ${license_accepted.by}`;
  return `${license ?? '-'} (${kind}, ${accepted})`;
}

/** What the API says of the fields of a request, said of the options of a command. */
function inPlainWords(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation_failed') return error;
  const [license] = error.fields?.['accept_license'] ?? [];
  if (license !== undefined) {
    return new AppError('operation_failed', `${license} (--accept-license)`);
  }
  const [model] = error.fields?.['model'] ?? [];
  return model === undefined
    ? error
    : new AppError('operation_failed', `No usable voice: ${model}`);
}

interface EnableOptions extends CommonOptions {
  readonly acceptLicense?: boolean;
}

interface TestOptions extends CommonOptions {
  readonly text?: string;
  readonly output?: string;
}

interface BundleOptions extends CommonOptions {
  readonly sign?: string;
}

/** `lectern voice remove` */
export function removeCommand(): Command {
  return of('remove', 'delete a voice with all its speakers; one in use stays').action(remove);
}

/** `lectern voice enable` */
export function enableCommand(): Command {
  return of('enable', 'let sites use a voice')
    .option('--accept-license', 'accept its licence, too')
    .action((name: string, options: EnableOptions) => change(name, options, true));
}

/** `lectern voice disable` */
export function disableCommand(): Command {
  return of('disable', 'let nobody choose a voice any more; what was made with it stays').action(
    (name: string, options: CommonOptions) => change(name, options, false),
  );
}

/** `lectern voice test` */
export function testCommand(): Command {
  return of('test', 'let a voice speak, and measure it')
    .option('--text <text>', 'what it says (default: a sentence of its language)')
    .option('-o, --output <file.mp3>', 'where the MP3 goes')
    .action(test);
}

/** `lectern voice compile` */
export function compileCommand(): Command {
  return command('compile', 'make voices faster for this machine, as a server does when it is idle')
    .argument(
      '[voice]',
      'file name without .onnx, name or id; again (default: all not compiled yet)',
    )
    .action(compile);
}

/** `lectern voice bundle` */
export function bundleCommand(): Command {
  return command('bundle', 'write voices into one file, for `voice import` elsewhere')
    .argument('<file.tar>', 'file to make')
    .argument('<voices...>', 'file names without .onnx, names or ids')
    .option('--sign <private-key>', 'PEM file of an Ed25519 key to sign it with')
    .action(bundle);
}

function of(name: string, description: string): Command {
  return command(name, description).argument('<voice>', 'file name without .onnx, name or id');
}

async function remove(name: string, options: CommonOptions): Promise<void> {
  await withVoices(options, async ({ catalog, installation }) => {
    const voices = await catalog.voices();
    const [named] = namedVoices(voices, name);
    if (named === undefined) return;
    const speakers = voices.filter((voice) => voice.content_hash === named.content_hash);
    await installation.remove(named, null);
    const ids = speakers.map(({ id }) => id);
    print(
      options.json,
      { file: named.stem, removed: ids },
      () => `${named.stem} is removed (${ids.join(', ')})`,
    );
  });
}

async function change(name: string, options: EnableOptions, enabled: boolean): Promise<void> {
  await withVoices(options, async ({ database, catalog }) => {
    const voices = namedVoices(await catalog.voices(), name);
    const { acceptLicense } = options;
    await database.write(async (db) => {
      for (const { id } of voices) await changeVoice(db, id, { enabled, acceptLicense }, null);
    });
    const ids = new Set(voices.map(({ id }) => id));
    const changed = (await catalog.voices()).filter(({ id }) => ids.has(id));
    const [first] = changed;
    print(options.json, { voices: changed.map(shownVoice) }, () => voiceTable(changed));
    if (enabled || first === undefined || options.json === true) return;
    const { sites, posts } = await usesOf(database.read, first.content_hash);
    if (sites.count + posts.count === 0) return;
    const named = sites.count === 0 ? '' : ` (${sites.names.join(', ')})`;
    process.stderr.write(
      `In use by ${sites.count} sites${named} and ${posts.count} posts: they keep what was made, and get another voice for what is made from now on.\n`,
    );
  });
}

async function test(name: string, options: TestOptions): Promise<void> {
  await withVoices(options, async (tools) => {
    const [voice] = namedVoices(await tools.catalog.voices(), name);
    if (voice === undefined) return;
    const { gainDb, realTimeFactor, said } = await heard(tools, voice, options.text);
    const { output } = options;
    if (output !== undefined) await writeFileAtomically(resolve(output), [said.mp3]);
    const seconds = said.durationMs / 1000;
    const file = options.output ?? null;
    print(
      options.json,
      {
        ...{ id: voice.id, name: voice.name, file, duration_seconds: seconds },
        ...{ gain_db: gainDb, real_time_factor: realTimeFactor },
      },
      () =>
        [
          `${voice.name} speaks ${(1 / realTimeFactor).toFixed(0)} times faster than real time, gain ${gainDb.toFixed(1)} dB`,
          `said ${seconds.toFixed(1)} s${file === null ? '' : ` into ${file}`}`,
        ].join('\n'),
    );
  });
}

async function compile(name: string | undefined, options: CommonOptions): Promise<void> {
  await withVoices(options, async ({ catalog, compiler }) => {
    if (compiler === undefined) {
      throw new AppError(
        'operation_failed',
        'Voices are not compiled: LECTERN_COMPILE_VOICES is off',
      );
    }
    const voices = await catalog.voices();
    const asked =
      name === undefined
        ? voices.filter(({ compilation }) => compilation === undefined)
        : namedVoices(voices, name);
    const models = Map.groupBy(asked, ({ content_hash }) => content_hash);
    for (const [first] of models.values()) {
      if (first === undefined) continue;
      if ((await compiler.compile(first.files)) === undefined) {
        throw new AppError('conflict', `Another process compiles ${first.stem} just now`);
      }
    }
    const shown = (await catalog.voices()).filter(({ content_hash }) => models.has(content_hash));
    print(options.json, { voices: shown.map(shownVoice) }, () =>
      shown.length === 0 ? 'every voice was compiled already' : voiceTable(shown),
    );
  });
}

async function heard({ database, workers }: VoiceTools, voice: InstalledVoice, text?: string) {
  const { files, speaker, language, sample_rate_hz: sampleRateHz } = voice;
  try {
    const measured = await workers.ask('measure', { voice: files, speaker });
    // The gain stays as it was: what is made from now on has to be as loud as what was made before.
    const gainDb = voice.gain_db ?? measured.gainDb;
    const { realTimeFactor } = measured;
    await database.write((db) =>
      setMeasured(db, voice.id, { gain_db: gainDb, real_time_factor: realTimeFactor }),
    );
    const content = text ?? sampleSentence(language);
    const speaking = { files, speaker, gainDb, language, sampleRateHz };
    const said = await sayText(workers, speaking, { content, title: null });
    if (said === undefined) {
      throw new AppError('operation_failed', 'The text has nothing that can be spoken');
    }
    return { gainDb, realTimeFactor, said };
  } catch (error) {
    const isVoice = error instanceof WorkerDied || error instanceof AppError;
    if (!isVoice) throw error;
    throw new AppError('operation_failed', `${voice.name} cannot speak: ${error.message}`);
  }
}

async function bundle(
  file: string,
  names: readonly string[],
  options: BundleOptions,
): Promise<void> {
  const target = resolve(file);
  const manifest = await withVoices(options, async ({ database, catalog }) => {
    const voices = await catalog.voices();
    const hashes = new Set(
      names.flatMap((name) => namedVoices(voices, name).map((voice) => voice.content_hash)),
    );
    const models = await Promise.all(
      [...hashes].map(async (hash) => ({
        speakers: voices.filter((voice) => voice.content_hash === hash),
        licenseText: (await findLicenseText(database.read, hash)) ?? null,
      })),
    );
    const builtin = models
      .flatMap(({ speakers }) => speakers)
      .find((voice) => shownVoice(voice).builtin);
    if (builtin !== undefined) {
      throw new AppError('operation_failed', `${builtin.stem} is in every Lectern already`);
    }
    const key = options.sign === undefined ? undefined : resolve(options.sign);
    return writeBundle(target, models, key);
  });
  const signed = options.sign !== undefined;
  print(options.json, { file: target, signed, voices: manifest.voices }, () =>
    [
      `${target}${signed ? ', signed' : ''}`,
      ...manifest.voices.map(
        ({ stem, model, license }) =>
          `  ${stem}  ${(model.byte_count / 1_000_000).toFixed(1)} MB  ${license ?? '-'}`,
      ),
    ].join('\n'),
  );
}
