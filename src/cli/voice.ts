import type { Command } from 'commander';
import { type CommonOptions, command, group } from './commands.ts';
import { print } from './output.ts';
import { addCommand, importCommand, pullCommand } from './voice-install.ts';
import {
  bundleCommand,
  compileCommand,
  disableCommand,
  enableCommand,
  removeCommand,
  testCommand,
} from './voice-manage.ts';
import { shownVoice, voiceTable, withVoices } from './voice-work.ts';

/** `lectern voice list|add|pull|import|bundle|test|compile|enable|disable|remove` */
export function voiceCommand(): Command {
  const voice = group('voice', 'installed voices');
  const commands = [
    command('list', 'voices that can speak, and files that are none').action(list),
    ...[addCommand(), pullCommand(), importCommand(), bundleCommand(), testCommand()],
    ...[compileCommand(), enableCommand(), disableCommand(), removeCommand()],
  ];
  for (const one of commands) voice.addCommand(one);
  return voice;
}

async function list(options: CommonOptions): Promise<void> {
  await withVoices(options, async ({ catalog }) => {
    const voices = await catalog.voices();
    const broken = catalog.broken();
    print(options.json, { voices: voices.map(shownVoice), not_usable: broken }, () =>
      [
        voiceTable(voices),
        ...broken.map(({ file, problem }) => `not usable: ${file}: ${problem}`),
      ].join('\n'),
    );
  });
}
