import type { Command } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import { type CommonOptions, command } from './commands.ts';
import { print } from './output.ts';

/** `lectern licenses` */
export function licensesCommand(): Command {
  return command('licenses', 'what is inside, and under which licences').action(
    (options: CommonOptions) => print(options.json, { notices }, () => notices),
  );
}
