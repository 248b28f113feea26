import type { Command } from 'commander';
import { openCatalog } from '../voices/catalog.ts';
import { type CommonOptions, command, group, withDatabase, withWorkers } from './commands.ts';
import { print, table } from './output.ts';

/** `lectern voice list` */
export function voiceCommand(): Command {
  const voice = group('voice', 'installed voices');
  voice.addCommand(command('list', 'voices that can speak, and files that are none').action(list));
  return voice;
}

async function list(options: CommonOptions): Promise<void> {
  const found = await withDatabase(options, (database, config) =>
    withWorkers(config, 1, async (workers) => {
      const catalog = await openCatalog(database, config.voices, workers);
      await catalog.settled();
      return { voices: await catalog.voices(), broken: catalog.broken() };
    }),
  );
  const voices = found.voices.map((voice) => ({
    id: voice.id,
    name: voice.name,
    file: voice.stem,
    language: voice.language,
    locale: voice.locale,
    gender: voice.gender,
    quality: voice.quality,
    sample_rate: voice.sample_rate_hz,
    license: voice.license,
    source: voice.source,
    enabled: voice.enabled === 1,
    plan_required: voice.plan_required,
  }));
  print(options.json, { voices, not_usable: found.broken }, () =>
    [
      table(
        voices.map(({ source, plan_required, language, ...shown }) => shown),
        'no voice is installed',
      ),
      ...found.broken.map(({ file, problem }) => `not usable: ${file}: ${problem}`),
    ].join('\n'),
  );
}
