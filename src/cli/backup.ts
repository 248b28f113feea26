import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Manifest } from '../backup/archive.ts';
import { backUp } from '../backup/backup.ts';
import { restore } from '../backup/restore.ts';
import { useNativeFolder } from '../build/native.ts';
import type { Config } from '../config.ts';
import { version } from '../version.ts';
import { type CommonOptions, command, configOf } from './commands.ts';
import { nativeFolders } from './native-folders.ts';
import { print } from './output.ts';

/** `lectern backup FILE` */
export function backupCommand(): Command {
  return command(
    'backup',
    'write database, voices and config file into one file, server running or not',
  )
    .argument('<file>', 'tar file to make')
    .action(async (file: string, options: CommonOptions) => {
      const config = prepared(options);
      const target = resolve(file);
      const manifest = await backUp(config, target, version);
      printManifest(options, target, manifest, 'Backed up to');
    });
}

/** `lectern restore FILE` */
export function restoreCommand(): Command {
  return command('restore', 'make a data folder out of a backup')
    .argument('<file>', 'what `lectern backup` wrote')
    .action(async (file: string, options: CommonOptions) => {
      const config = prepared(options);
      const manifest = await restore(resolve(file), config.data);
      printManifest(options, config.data, manifest, 'Restored into');
    });
}

function prepared(options: CommonOptions): Config {
  const config = configOf(options);
  for (const folder of nativeFolders(config)) useNativeFolder(folder);
  return config;
}

function printManifest(
  options: CommonOptions,
  path: string,
  manifest: Manifest,
  what: string,
): void {
  const byteCount = manifest.parts.reduce((sum, part) => sum + part.byte_count, 0);
  const { created_at, parts } = manifest;
  print(options.json, { path, created_at, parts }, () =>
    [
      `${what} ${path}`,
      ...parts.map(({ name, byte_count }) => `  ${name}  ${shownSize(byte_count)}`),
      `  ${parts.length} files, ${shownSize(byteCount)}, as of ${created_at}`,
    ].join('\n'),
  );
}

function shownSize(byteCount: number): string {
  return `${(byteCount / 1024 / 1024).toFixed(1)} MB`;
}
