import { Command, CommanderError } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import { version } from '../version.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { type CommonOptions, createCommand, createGroup } from './commands.ts';
import { demoCommand } from './demo.ts';
import { exportCommand } from './export.ts';
import { keyCommand } from './key.ts';
import { lexiconCommand } from './lexicon.ts';
import { type CommandIo, getIo, printResult, reportError, runWithIo } from './output.ts';
import { queueCommand } from './queue.ts';
import { sayCommand } from './say.ts';
import { serveCommand } from './serve.ts';
import { siteCommand } from './site.ts';
import { sourceCommand } from './source.ts';
import { userCommand } from './user.ts';
import { addCommand, importCommand, pullCommand } from './voice-install.ts';
import {
  bundleCommand,
  compileCommand,
  disableCommand,
  enableCommand,
  formatVoiceTable,
  removeCommand,
  testCommand,
  toVoiceOutput,
  withVoiceServices,
} from './voice-manage.ts';
import { webhookCommand } from './webhook.ts';

/** `lectern licenses` */
function licensesCommand(): Command {
  return createCommand('licenses', 'show third-party licenses').action((options: CommonOptions) =>
    printResult(options.json, { notices }, () => notices),
  );
}

/** `lectern version` */
function versionCommand(): Command {
  return createCommand('version', 'show the version').action((options: CommonOptions) => {
    const value = { version, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
    printResult(options.json, value, () => `lectern ${version} (Bun ${value.bun}, ${value.platform})`);
  });
}

/** `lectern voice list|add|pull|import|bundle|test|compile|enable|disable|remove` */
function voiceCommand(): Command {
  const voice = createGroup('voice', 'manage voices');
  const commands = [
    createCommand('list', 'list installed voices and unusable files').action(list),
    ...[addCommand(), pullCommand(), importCommand(), bundleCommand(), testCommand()],
    ...[compileCommand(), enableCommand(), disableCommand(), removeCommand()],
  ];
  for (const one of commands) voice.addCommand(one);
  return voice;
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

/**
 * Runs the command a command line names.
 * @param words the command line without program names
 * @param io usually that of this process
 * @returns the exit code: 0 well, 1 failed, 2 wrong usage or settings
 */
export function runProgram(words: readonly string[], io = getIo()): Promise<number> {
  return runWithIo(io, async () => {
    try {
      await createProgram(io).parseAsync(words, { from: 'user' });
      return io.exitCode;
    } catch (error) {
      return getExitCode(error);
    }
  });
}

function createProgram(io: CommandIo): Command {
  const program = new Command('lectern')
    .description('Self-hosted, offline text-to-speech for articles.')
    .version(version, '--version', 'show the version')
    .helpCommand(false);
  const commands = [
    serveCommand(),
    demoCommand(),
    sayCommand(),
    siteCommand(),
    keyCommand(),
    userCommand(),
    voiceCommand(),
    lexiconCommand(),
    webhookCommand(),
    sourceCommand(),
    queueCommand(),
    backupCommand(),
    restoreCommand(),
    exportCommand(),
    checkCommand(),
    licensesCommand(),
    versionCommand(),
  ];
  for (const one of commands) program.addCommand(one);
  configureOutput(program, io);
  return program;
}

/** Commander says itself what is wrong with a command line, and only then throws. */
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
  for (const one of command.commands) configureOutput(one, io);
}
