import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { AppError, operationFailed } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { createLog } from '../log.ts';
import { synthesizeText } from '../speech/synthesize-text.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import { getSampleSentence } from '../texts.ts';
import { writeBundle } from '../voices/bundle.ts';
import { type Catalog, type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { createVoiceValidator } from '../voices/inspect.ts';
import { createVoiceInstaller, type VoiceInstaller } from '../voices/installer.ts';
import { openConfiguredOptimizerCache } from '../voices/optimizer-cache.ts';
import { createOptimizer, type Optimizer } from '../voices/optimizer-job.ts';
import { toFullVoice } from '../voices/schema.ts';
import { findLicenseText, findVoiceUses, updateMeasurements, updateVoiceAudited } from '../voices/store.ts';
import { getOptimizerKey } from '../voices/voice-files.ts';
import {
  buildWorkerOptions,
  type CommonOptions,
  createCommand,
  openVoiceStore,
  withDatabase,
  withWorkers,
} from './command.ts';
import { formatSpeed, formatTable, getIo, printResult } from './output.ts';

const maxShownNames = 20;

/** Everything that commands about voices use. */
export interface VoiceServices {
  readonly database: Database;
  readonly config: Config;
  readonly workers: WorkerPool;
  readonly catalog: Catalog;
  readonly installer: VoiceInstaller;
  /** Undefined where the settings switch optimization off. */
  readonly optimizer: Optimizer | undefined;
}

/** Opens the voices of a data folder for one command, also beside a running server. */
export function withVoiceServices<T>(
  options: CommonOptions,
  work: (services: VoiceServices) => Promise<T>,
): Promise<T> {
  return withDatabase(options, (database, config) =>
    withWorkers(config, 1, async (workers) => {
      const optimizerCache = openConfiguredOptimizerCache(config, (problem) => {
        getIo().stderr.write(`lectern: ${problem}\n`);
      });
      const stored = openVoiceStore(config, database);
      const catalog = await openCatalog(database, config.voices, workers, optimizerCache, stored);
      await catalog.waitUntilInspected();
      const child = { ...buildWorkerOptions(config), log: createLog('silent') };
      const validator = createVoiceValidator(child);
      const folder = config.voices;
      const installer = createVoiceInstaller({ database, catalog, validator, stored, folder, optimizerCache });
      const optimizer = optimizerCache && createOptimizer(optimizerCache, child);
      return work({ database, config, workers, catalog, installer, optimizer }).catch((error: unknown) => {
        throw toOptionError(error);
      });
    }),
  );
}

export function createListCommand(): Command {
  return createCommand('list', 'list installed voices and unusable files').action(list);
}

export function createManageCommands(): Command[] {
  const ofVoice = (name: string, description: string) =>
    createCommand(name, description).argument('<voice>', 'file name without .onnx, name or id');
  return [
    createCommand('bundle', 'export voices to one file for `voice import`')
      .argument('<file.tar>', 'output file')
      .argument('<voices...>', 'file names without .onnx, names or ids')
      .option('--sign <private-key>', 'Ed25519 private key (PEM) to sign the bundle')
      .action(bundle),
    ofVoice('test', 'test a voice and measure its speed and gain')
      .option('--text <text>', 'text to synthesize (default: a sample sentence)')
      .option('-o, --output <file.mp3>', 'output MP3 file')
      .action(test),
    createCommand('optimize', 'optimize voices for the CPU of this machine; a server does this when idle')
      .argument(
        '[voice]',
        'file name without .onnx, name or id; optimizes it again (default: all voices not optimized yet)',
      )
      .action(optimize),
    ofVoice('enable', 'enable a voice')
      .option('--accept-license', 'also accept its license')
      .action((name: string, options: EnableOptions) => setEnabled(name, options, true)),
    ofVoice('disable', 'disable a voice; existing audio is kept').action((name: string, options: CommonOptions) =>
      setEnabled(name, options, false),
    ),
    ofVoice('remove', 'remove a voice with all speakers; fails while it is in use').action(remove),
  ];
}

async function list(options: CommonOptions): Promise<void> {
  await withVoiceServices(options, async ({ catalog }) => {
    const voices = await catalog.voices();
    const broken = catalog.broken();
    printResult(options.json, { voices: voices.map(toVoiceOutput), not_usable: broken }, () =>
      [formatVoiceTable(voices), ...broken.map(({ file, problem }) => `unusable: ${file}: ${problem}`)].join('\n'),
    );
  });
}

export function toVoiceOutput(voice: InstalledVoice) {
  const { type, sample_url, ...shown } = toFullVoice(voice, '');
  return { ...shown, file: voice.stem };
}

export function formatVoiceTable(voices: readonly InstalledVoice[]): string {
  const rows = voices.map(toVoiceOutput).map((voice) => {
    const { id, name, file, locale, gender, quality, sample_rate, plan_required: plan, enabled } = voice;
    const optimized = formatOptimization(voice);
    return {
      id,
      name,
      file,
      locale,
      gender,
      quality,
      sample_rate,
      plan,
      enabled,
      optimized,
      license: formatLicense(voice),
    };
  });
  return formatTable(rows, 'No voices installed');
}

function formatOptimization({ optimization }: ReturnType<typeof toVoiceOutput>): string {
  if (optimization === null) return '-';
  const { outcome, reason, speed_ratio } = optimization;
  if (outcome === 'optimized') return `${speed_ratio?.toFixed(2)} ×`;
  const words = {
    unknown_architecture: 'unknown architecture',
    other_sound: 'output differs',
    not_faster: 'not faster',
    failed: 'failed',
  };
  return `original: ${reason === null ? 'failed' : words[reason]}`;
}

function formatLicense(voice: ReturnType<typeof toVoiceOutput>): string {
  const { license, license_status, license_accepted } = voice;
  if (license_status === 'free') return license ?? '-';
  const kind = license_status.replace('_', '-');
  const accepted = license_accepted === null ? 'not accepted' : `accepted by ${license_accepted.by}`;
  return `${license ?? '-'} (${kind}, ${accepted})`;
}

/** Renames the field errors of the API to the options of a command. */
function toOptionError(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation_failed') return error;
  const [license] = error.fields?.['accept_license'] ?? [];
  if (license !== undefined) {
    return operationFailed(`${license} (--accept-license)`);
  }
  const [model] = error.fields?.['model'] ?? [];
  return model === undefined ? error : operationFailed(`Voice validation failed: ${model}`);
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

async function remove(name: string, options: CommonOptions): Promise<void> {
  await withVoiceServices(options, async ({ catalog, installer }) => {
    const voices = await catalog.voices();
    const [named] = selectVoicesByName(voices, name);
    if (named === undefined) return;
    const speakers = voices.filter((voice) => voice.content_hash === named.content_hash);
    await installer.remove(named, null);
    await installer.deleteFiles(named);
    const ids = speakers.map(({ id }) => id);
    printResult(options.json, { file: named.stem, removed: ids }, () => `${named.stem} removed (${ids.join(', ')})`);
  });
}

async function setEnabled(name: string, options: EnableOptions, enabled: boolean): Promise<void> {
  await withVoiceServices(options, async ({ database, catalog }) => {
    const voices = selectVoicesByName(await catalog.voices(), name);
    const { acceptLicense } = options;
    await database.write('server', async (db) => {
      for (const { id } of voices) await updateVoiceAudited(db, id, { enabled, acceptLicense }, null);
    });
    const ids = new Set(voices.map(({ id }) => id));
    const changed = (await catalog.voices()).filter(({ id }) => ids.has(id));
    const [first] = changed;
    printResult(options.json, { voices: changed.map(toVoiceOutput) }, () => formatVoiceTable(changed));
    if (enabled || first === undefined || options.json === true) return;
    const { sites, posts } = await findVoiceUses(database.read, first.content_hash);
    if (sites.count + posts.count === 0) return;
    const named = sites.count === 0 ? '' : ` (${sites.names.join(', ')})`;
    getIo().stderr.write(
      `In use by ${sites.count} sites${named} and ${posts.count} posts. Existing audio is kept; new audio uses another voice.\n`,
    );
  });
}

async function test(name: string, options: TestOptions): Promise<void> {
  await withVoiceServices(options, async (services) => {
    const [voice] = selectVoicesByName(await services.catalog.voices(), name);
    if (voice === undefined) return;
    const { gainDb, realTimeFactor, speech } = await testVoice(services, voice, options.text);
    const { output } = options;
    if (output !== undefined) await writeFileAtomically(resolve(output), [speech.mp3], { mode: 'umask' });
    const seconds = speech.durationMs / 1000;
    const file = options.output ?? null;
    printResult(
      options.json,
      {
        ...{ id: voice.id, name: voice.name, file, duration_seconds: seconds },
        ...{ gain_db: gainDb, real_time_factor: realTimeFactor },
      },
      () =>
        [
          `${voice.name}: ${formatSpeed(realTimeFactor)}, gain ${gainDb.toFixed(1)} dB`,
          `synthesized ${seconds.toFixed(1)} s${file === null ? '' : ` into ${file}`}`,
        ].join('\n'),
    );
  });
}

async function optimize(name: string | undefined, options: CommonOptions): Promise<void> {
  await withVoiceServices(options, async ({ catalog, optimizer }) => {
    if (optimizer === undefined) {
      throw operationFailed('Optimizing voices is disabled. Set LECTERN_OPTIMIZE_VOICES to enable it.');
    }
    const voices = await catalog.voices();
    const selected =
      name === undefined
        ? voices.filter(({ optimization }) => optimization === undefined)
        : selectVoicesByName(voices, name);
    const models = Map.groupBy(selected, ({ files }) => getOptimizerKey(files));
    for (const [first] of models.values()) {
      if (first === undefined) continue;
      if ((await optimizer.optimize(first.files)) === undefined) {
        throw new AppError(
          'conflict',
          `Optimizing ${first.stem} failed: another process is optimizing it. Try again later.`,
        );
      }
    }
    const shown = (await catalog.voices()).filter(({ files }) => models.has(getOptimizerKey(files)));
    printResult(options.json, { voices: shown.map(toVoiceOutput) }, () =>
      shown.length === 0 ? 'All voices are optimized' : formatVoiceTable(shown),
    );
  });
}

async function testVoice({ database, catalog, workers }: VoiceServices, voice: InstalledVoice, text?: string) {
  const { files, speaker, language, sample_rate_hz: sampleRateHz } = voice;
  try {
    await catalog.fetch(voice);
    const measured = await workers.call('measure', { voice: files, speaker });
    // The gain stays as it was: new audio has to be as loud as existing audio.
    const gainDb = voice.gain_db ?? measured.gainDb;
    const { realTimeFactor } = measured;
    await database.write('server', (db) =>
      updateMeasurements(db, voice.id, { gain_db: gainDb, real_time_factor: realTimeFactor }),
    );
    const content = text ?? getSampleSentence(language);
    const speaking = { files, speaker, gainDb, language, sampleRateHz };
    const speech = await synthesizeText(workers, speaking, { content, title: null });
    if (speech === undefined) {
      throw operationFailed('The text has no speakable content');
    }
    return { gainDb, realTimeFactor, speech };
  } catch (error) {
    const isVoice = error instanceof WorkerCrashedError || error instanceof AppError;
    if (!isVoice) throw error;
    throw operationFailed(`Synthesis with ${voice.name} failed: ${error.message}`);
  }
}

async function bundle(file: string, names: readonly string[], options: BundleOptions): Promise<void> {
  const target = resolve(file);
  const manifest = await withVoiceServices(options, async ({ database, catalog }) => {
    const voices = await catalog.voices();
    const hashes = new Set(
      names.flatMap((name) => selectVoicesByName(voices, name).map((voice) => voice.content_hash)),
    );
    const models = await Promise.all(
      [...hashes].map(async (hash) => ({
        speakers: voices.filter((voice) => voice.content_hash === hash),
        licenseText: (await findLicenseText(database.read, hash)) ?? null,
      })),
    );
    const builtin = models.flatMap(({ speakers }) => speakers).find((voice) => toVoiceOutput(voice).builtin);
    if (builtin !== undefined) {
      throw operationFailed(`${builtin.stem} is a built-in voice and cannot be bundled`);
    }
    for (const { speakers } of models) for (const voice of speakers.slice(0, 1)) await catalog.fetch(voice);
    const key = options.sign === undefined ? undefined : resolve(options.sign);
    return writeBundle(target, models, key);
  });
  const signed = options.sign !== undefined;
  printResult(options.json, { file: target, signed, voices: manifest.voices }, () =>
    [
      `${target}${signed ? ', signed' : ''}`,
      ...manifest.voices.map(
        ({ stem, model, license }) => `  ${stem}  ${(model.byte_count / 1_000_000).toFixed(1)} MB  ${license ?? '-'}`,
      ),
    ].join('\n'),
  );
}

/**
 * @param name id: one speaker; file name without `.onnx`: all speakers; or display name; any case
 * @returns at least one voice
 * @throws AppError `not_found`; `conflict`: several voices match
 */
function selectVoicesByName(voices: readonly InstalledVoice[], name: string): InstalledVoice[] {
  const lowerCaseName = name.toLowerCase();
  const byId = voices.filter(({ id }) => String(id) === name);
  if (byId.length > 0) return byId;
  const byFile = voices.filter(({ stem }) => stem.toLowerCase() === lowerCaseName);
  if (byFile.length > 0) return byFile;
  const byName = voices.filter((voice) => voice.name.toLowerCase() === lowerCaseName);
  if (byName.length > 1) {
    const ids = byName.map(({ id, stem }) => `${id} (${stem})`).join(', ');
    throw new AppError('conflict', `Several voices match ${name}: ${ids}. Use an id.`);
  }
  if (byName.length === 1) return byName;
  const names = [...new Set(voices.map(({ stem }) => stem))].slice(0, maxShownNames).join(', ');
  throw new AppError('not_found', `Voice ${name} not found. Available: ${names}`);
}
