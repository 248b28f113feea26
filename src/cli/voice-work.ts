import type { Config } from '../config.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { createLog } from '../log.ts';
import type { Workers } from '../speech/workers.ts';
import { type Catalog, type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { type Compiler, createCompiler } from '../voices/compilation/compiler.ts';
import { fullVoice } from '../voices/full-voice.ts';
import { createGate } from '../voices/installation/gate.ts';
import { createInstallation, type Installation } from '../voices/installation/install.ts';
import { type CommonOptions, withDatabase, withWorkers, workerOptions } from './commands.ts';
import { compiledVoices } from './compiled-voices.ts';
import { table } from './output.ts';

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
