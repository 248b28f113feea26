import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { synthesizeText } from '../speech/synthesize-text.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { openCatalog } from '../voices/catalog.ts';
import { findVoiceById, findVoiceFile, openGainCache, type ResolvedVoice } from '../voices/find-voice-file.ts';
import { openConfiguredOptimizerCache } from '../voices/optimizer-cache.ts';
import { findGain } from '../voices/store.ts';
import {
  addNativeFolders,
  type CommonOptions,
  createCommand,
  loadConfig,
  withDatabase,
  withWorkers,
} from './command.ts';
import { createProgressBar, printResult } from './output.ts';

/** A text like this is a mistyped file name. */
const FILE_NAME = /^\S+\.(?:html?|xhtml|txt|md)$/i;

interface SayOptions extends CommonOptions {
  readonly voice?: string;
  readonly output: string;
  readonly title?: string;
}

/** `lectern say` */
export function sayCommand(): Command {
  return createCommand('say', 'synthesize text or a file to MP3; no server needed')
    .argument('<text|file>', 'plain text, HTML, or a file name')
    .requiredOption('-o, --output <file.mp3>', 'output MP3 file')
    .option('--voice <name|id>', 'voice name or id (default: first built-in voice)')
    .option('--title <title>', 'title, spoken first')
    .action(say);
}

async function say(textOrFile: string, options: SayOptions): Promise<void> {
  const config = loadConfig(options);
  addNativeFolders(config);
  const content = readContent(textOrFile);
  await withWorkers(config, config.workers, async (workers) => {
    const voice = await resolveVoice(options, config, workers);
    const started = performance.now();
    const { mp3, durationMs } = await synthesizeContent(content, options.title, voice, workers);
    await writeFileAtomically(options.output, [mp3]);
    const tookMs = performance.now() - started;
    printResult(
      options.json,
      { file: options.output, duration_seconds: durationMs / 1000, took_seconds: tookMs / 1000 },
      () => `${options.output}: ${(durationMs / 1000).toFixed(1)} s of speech in ${(tookMs / 1000).toFixed(1)} s`,
    );
  });
}

/** An id belongs to the list of a data folder; names and the built-in voices need none. */
async function resolveVoice({ voice, data }: SayOptions, config: Config, workers: WorkerPool): Promise<ResolvedVoice> {
  const isId = voice !== undefined && /^\d+$/.test(voice);
  const hasDatabase = existsSync(join(config.data, 'lectern.db'));
  const optimizerCache = openConfiguredOptimizerCache(config);
  const inDatabase = <T>(work: (database: Database) => Promise<T>) =>
    withDatabase(data === undefined ? {} : { data }, work);
  if (isId && hasDatabase) {
    return inDatabase(async (database) =>
      findVoiceById(await openCatalog(database, config.voices, workers, optimizerCache), Number(voice)),
    );
  }
  const gains = openGainCache(config.data);
  const findKnownGain = async (contentHash: string) =>
    gains.find(contentHash) ?? (hasDatabase ? inDatabase(({ read }) => findGain(read, contentHash)) : undefined);
  const search = {
    ...{ folder: config.voices, workers, optimizerCache },
    ...{ findGain: findKnownGain, saveGain: gains.set },
  };
  return findVoiceFile(search, voice);
}

function readContent(textOrFile: string): string {
  const isFile = textOrFile.length < 4_000 && existsSync(textOrFile);
  if (!isFile) {
    if (FILE_NAME.test(textOrFile)) {
      throw new AppError('operation_failed', `File ${textOrFile} not found`);
    }
    return textOrFile;
  }
  if (!statSync(textOrFile).isFile()) {
    throw new AppError('operation_failed', `${textOrFile} is not a file`);
  }
  return readFileSync(textOrFile, 'utf8');
}

async function synthesizeContent(
  content: string,
  title: string | undefined,
  { files, speaker, gainDb, config }: ResolvedVoice,
  workers: WorkerPool,
) {
  const { language, sampleRateHz } = config;
  const voice = { files, speaker, gainDb, language, sampleRateHz };
  const bar = createProgressBar();
  const synthesized = await synthesizeText(workers, voice, { content, title: title ?? null }, (done, planned, share) =>
    bar.show(share, `sentence ${done} of ${planned}`),
  );
  if (synthesized === undefined) {
    throw new AppError('operation_failed', 'The content has no speakable text');
  }
  bar.finish();
  return synthesized;
}
