import { Command, CommanderError } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import { version } from '../version.ts';
import { type CommonOptions, createCommand } from './command.ts';
import { type CommandIo, getIo, printResult, reportError, runWithIo } from './output.ts';

/** Loaded when they are named: a command starts in half the time without the others. */
const commands: Readonly<Record<string, () => Command | Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  speak: async () => (await import('./serve.ts')).speakCommand(),
  migrate: async () => (await import('./serve.ts')).migrateCommand(),
  demo: async () => (await import('./serve.ts')).demoCommand(),
  say: async () => (await import('./say.ts')).sayCommand(),
  site: async () => (await import('./site.ts')).siteCommand(),
  key: async () => (await import('./site.ts')).keyCommand(),
  user: async () => (await import('./user.ts')).userCommand(),
  voice: async () => (await import('./voice.ts')).voiceCommand(),
  lexicon: async () => (await import('./lexicon.ts')).lexiconCommand(),
  webhook: async () => (await import('./site.ts')).webhookCommand(),
  source: async () => (await import('./site.ts')).sourceCommand(),
  queue: async () => (await import('./maintenance.ts')).queueCommand(),
  backup: async () => (await import('./maintenance.ts')).backupCommand(),
  restore: async () => (await import('./maintenance.ts')).restoreCommand(),
  move: async () => (await import('./maintenance.ts')).moveCommand(),
  export: async () => (await import('./maintenance.ts')).exportCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  licenses: () =>
    createCommand('licenses', 'show third-party licenses').action((options: CommonOptions) =>
      printResult(options.json, { notices }, () => notices),
    ),
  version: () => createCommand('version', 'show the version').action(printVersion),
};

function printVersion(options: CommonOptions): void {
  const value = { version, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
  printResult(options.json, value, () => `lectern ${version} (Bun ${value.bun}, ${value.platform})`);
}

/**
 * Runs the command a command line names.
 * @param words the command line without program names
 * @param io default: this process
 * @returns the exit code: 0 success, 1 failed, 2 wrong usage or settings
 */
export function runProgram(words: readonly string[], io = getIo()): Promise<number> {
  return runWithIo(io, async () => {
    try {
      const program = await createProgram(io, words[0] ?? '');
      await program.parseAsync(words, { from: 'user' });
      return io.exitCode;
    } catch (error) {
      return getExitCode(error);
    }
  });
}

/** @param name of the command to load; for an unknown name, help and suggestions need all commands */
async function createProgram(io: CommandIo, name: string): Promise<Command> {
  const program = new Command('lectern')
    .description('Self-hosted, offline text-to-speech for articles.')
    .version(version, '--version', 'show the version')
    .helpCommand(false);
  const matching = Object.entries(commands).filter(([known]) => known === name);
  for (const [, load] of matching.length > 0 ? matching : Object.entries(commands)) program.addCommand(await load());
  configureOutput(program, io);
  return program;
}

/** Commander reports a usage error itself before it throws. */
function getExitCode(error: unknown): number {
  if (!(error instanceof CommanderError)) return reportError(error);
  return error.exitCode === 0 ? 0 : 2;
}

function configureOutput(command: Command, io: CommandIo): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error:/, 'lectern:').replace(/\n\(/, ' (')),
  });
  for (const subcommand of command.commands) configureOutput(subcommand, io);
}
