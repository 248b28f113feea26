import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Manifest } from '../backup/archive.ts';
import { createBackup } from '../backup/backup.ts';
import { restore } from '../backup/restore.ts';
import { addNativeFolder } from '../build/native.ts';
import type { Config } from '../config.ts';
import { version } from '../version.ts';
import { type CommonOptions, createCommand, loadConfig } from './commands.ts';
import { nativeFolders } from './native-folders.ts';
import { printResult } from './output.ts';

/** `lectern backup FILE` */
export function backupCommand(): Command {
  return createCommand('backup', 'back up database, voices and config file; works beside a running server')
    .argument('<file>', 'tar file to create')
    .action(async (file: string, options: CommonOptions) => {
      const config = prepareConfig(options);
      const target = resolve(file);
      const manifest = await createBackup(config, target, version);
      printManifest(options, target, manifest, 'Backed up to');
    });
}

/** `lectern restore FILE` */
export function restoreCommand(): Command {
  return createCommand('restore', 'restore a backup into a new data folder')
    .argument('<file>', 'backup created by `lectern backup`')
    .action(async (file: string, options: CommonOptions) => {
      const config = prepareConfig(options);
      const manifest = await restore(resolve(file), config.data);
      printManifest(options, config.data, manifest, 'Restored into');
    });
}

function prepareConfig(options: CommonOptions): Config {
  const config = loadConfig(options);
  for (const folder of nativeFolders(config)) addNativeFolder(folder);
  return config;
}

function printManifest(options: CommonOptions, path: string, manifest: Manifest, what: string): void {
  const byteCount = manifest.parts.reduce((sum, part) => sum + part.byte_count, 0);
  const { created_at, parts } = manifest;
  printResult(options.json, { path, created_at, parts }, () =>
    [
      `${what} ${path}`,
      ...parts.map(({ name, byte_count }) => `  ${name}  ${formatSize(byte_count)}`),
      `  ${parts.length} files, ${formatSize(byteCount)}, as of ${created_at}`,
    ].join('\n'),
  );
}

function formatSize(byteCount: number): string {
  return `${(byteCount / 1024 / 1024).toFixed(1)} MB`;
}
