import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { useNativeFolder } from '../build/native.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { sayText } from '../speech/synthesize-text.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { openCatalog } from '../voices/catalog.ts';
import {
  type LooseVoice,
  listedVoice,
  looseVoice,
  openMeasuredGains,
} from '../voices/find-voice-file.ts';
import { findGain } from '../voices/store.ts';
import { type CommonOptions, command, configOf, withDatabase, withWorkers } from './commands.ts';
import { compiledVoices } from './compiled-voices.ts';
import { nativeFolders } from './native-folders.ts';
import { print, progressBar } from './output.ts';

/** Nobody means the text of one. */
const FILE_NAME = /^\S+\.(?:html?|xhtml|txt|md)$/i;

interface SayOptions extends CommonOptions {
  readonly voice?: string;
  readonly output: string;
  readonly title?: string;
}

/** `lectern say`: an MP3 without a server and without a database. */
export function sayCommand(): Command {
  return command('say', 'speak a text or a file into an MP3; no server needed')
    .argument('<text|file>', 'plain text or HTML, or the name of a file with it')
    .requiredOption('-o, --output <file.mp3>', 'where the MP3 goes')
    .option('--voice <name|id>', 'a voice (default: the first built-in one)')
    .option('--title <title>', 'spoken first')
    .action(say);
}

async function say(textOrFile: string, options: SayOptions): Promise<void> {
  const config = configOf(options);
  for (const folder of nativeFolders(config)) useNativeFolder(folder);
  const content = readContent(textOrFile);
  await withWorkers(config, config.workers, async (workers) => {
    const voice = await chosenVoice(options, config, workers);
    const started = performance.now();
    const { mp3, durationMs } = await speakAll(content, options.title, voice, workers);
    await writeFileAtomically(options.output, [mp3]);
    const tookMs = performance.now() - started;
    print(
      options.json,
      { file: options.output, duration_seconds: durationMs / 1000, took_seconds: tookMs / 1000 },
      () =>
        `${options.output}: ${(durationMs / 1000).toFixed(1)} s of speech in ${(tookMs / 1000).toFixed(1)} s`,
    );
  });
}

/** An id belongs to the list of a data folder; names and the built-in voices need none. */
async function chosenVoice(
  { voice, data }: SayOptions,
  config: Config,
  workers: Workers,
): Promise<LooseVoice> {
  const isId = voice !== undefined && /^\d+$/.test(voice);
  const hasDatabase = existsSync(join(config.data, 'lectern.db'));
  const optimized = compiledVoices(config);
  const inDatabase = <T>(work: (database: Database) => Promise<T>) =>
    withDatabase(data === undefined ? {} : { data }, work);
  if (isId && hasDatabase) {
    return inDatabase(async (database) =>
      listedVoice(await openCatalog(database, config.voices, workers, optimized), Number(voice)),
    );
  }
  const gains = openMeasuredGains(config.data);
  const knownGain = async (contentHash: string) =>
    gains.find(contentHash) ??
    (hasDatabase ? inDatabase(({ read }) => findGain(read, contentHash)) : undefined);
  const search = { folder: config.voices, workers, optimized, knownGain, keepGain: gains.keep };
  return looseVoice(search, voice);
}

function readContent(textOrFile: string): string {
  const isFile = textOrFile.length < 4_000 && existsSync(textOrFile);
  if (!isFile) {
    if (FILE_NAME.test(textOrFile)) {
      throw new AppError('operation_failed', `There is no file ${textOrFile}`);
    }
    return textOrFile;
  }
  if (!statSync(textOrFile).isFile()) {
    throw new AppError('operation_failed', `${textOrFile} is not a file`);
  }
  return readFileSync(textOrFile, 'utf8');
}

async function speakAll(
  content: string,
  title: string | undefined,
  { files, speaker, gainDb, config }: LooseVoice,
  workers: Workers,
) {
  const { language, sampleRateHz } = config;
  const voice = { files, speaker, gainDb, language, sampleRateHz };
  const bar = progressBar();
  const said = await sayText(
    workers,
    voice,
    { content, title: title ?? null },
    (done, planned, share) => bar.show(share, `sentence ${done} of ${planned}`),
  );
  if (said === undefined) {
    throw new AppError('operation_failed', 'The content has no speakable text');
  }
  bar.done();
  return said;
}
