import { Command } from 'commander';
import { addNativeFolder } from '../build/native.ts';
import { type Config, type Flags, readConfig } from '../config.ts';
import { type Database, ensureDataFolder, openDatabase } from '../database/open.ts';
import { createLog } from '../log.ts';
import { startWorkerPool, type WorkerPool, type WorkerPoolOptions } from '../speech/worker-pool.ts';
import { nativeFolders } from './native-folders.ts';
import { getIo } from './output.ts';

/** Options that every command takes. */
export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

/** @returns a command that only holds others; its options would swallow theirs */
export function createGroup(name: string, description: string): Command {
  return new Command(name).description(description).helpCommand(false);
}

/** @returns a command that takes the common options */
export function createCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--data <dir>', 'data folder (default ./data, or LECTERN_DATA)')
    .option('--json', 'print one JSON value');
}

export function loadConfig(options: CommonOptions, flags: Flags = {}): Config {
  return readConfig({ ...(options.data === undefined ? {} : { data: options.data }), ...flags }, getIo().env);
}

/** Opens the database for one command and closes it again. */
export async function withDatabase<T>(
  options: CommonOptions,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(options);
  ensureDataFolder(config.data);
  for (const folder of nativeFolders(config)) addNativeFolder(folder);
  const database = openDatabase(config.data);
  try {
    return await work(database, config);
  } finally {
    await database.close();
  }
}

/** Has workers ready for one command, started when they are needed, and stops them again. */
export async function withWorkers<T>(
  config: Config,
  count: number,
  work: (workers: WorkerPool) => Promise<T>,
): Promise<T> {
  const workers = startWorkerPool({
    ...buildWorkerOptions(config),
    ...{ count, isLazy: true, log: createLog('silent') },
  });
  try {
    return await work(workers);
  } finally {
    await workers.stop();
  }
}

/** What the settings say of workers, beside how many there are. */
export function buildWorkerOptions(config: Config): Omit<WorkerPoolOptions, 'count' | 'log'> {
  return {
    deadlineS: config.workerTimeoutS,
    textCpuLimitS: config.textCpuLimitS,
    memoryMb: config.workerMemoryMb,
    nativeFolders: nativeFolders(config),
  };
}
