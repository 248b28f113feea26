import type { Command } from 'commander';
import { version } from '../version.ts';
import { type CommonOptions, command } from './commands.ts';
import { print } from './output.ts';

/** `lectern version` */
export function versionCommand(): Command {
  return command('version', 'the version of this program').action((options: CommonOptions) => {
    const value = { version, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
    print(options.json, value, () => `lectern ${version} (Bun ${value.bun}, ${value.platform})`);
  });
}
