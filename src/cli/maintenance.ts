import { resolve, sep } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { openBucket } from '../audio/media/bucket.ts';
import { Sound } from '../audio/media/sound.ts';
import { setQueuePaused } from '../audio/queue-store.ts';
import { createBackup, type Manifest, postgresBackupHint, restore } from '../backup/backup.ts';
import { moveInstallation } from '../backup/move.ts';
import { type Config, readConfig } from '../config.ts';
import { describePlace } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { type ExportResult, exportSite } from '../export/export.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';
import { parseHttpUrl } from '../setting.ts';
import { parseFeedSettings } from '../sites/settings.ts';
import { findSite } from '../sites/store.ts';
import { getQueueState } from '../system/queue.ts';
import type { QueueState } from '../system/schema.ts';
import {
  addNativeFolders,
  type CommonOptions,
  createCommand,
  createGroup,
  createSiteCommand,
  loadConfig,
  type SiteOptions,
  withExistingDatabase,
} from './command.ts';
import { createProgressBar, printResult } from './output.ts';

export function queueCommand(): Command {
  // A running server reads the pause twice a second.
  const ofQueue = (name: string, description: string, isPaused?: boolean) =>
    createCommand(name, description).action(async (options: CommonOptions) => {
      const state = await withExistingDatabase(options, async (database, { workers }) => {
        if (isPaused !== undefined) await database.write('server', (db) => setQueuePaused(db, null, isPaused));
        return getQueueState(database.read, workers);
      });
      printResult(options.json, state, () => formatQueue(state));
    });
  return createGroup('queue', 'manage the synthesis queue', [
    ofQueue('show', 'show the state of the queue'),
    ofQueue('pause', 'pause synthesis; posts are still accepted', true),
    ofQueue('resume', 'resume synthesis', false),
  ]);
}

function formatQueue({ paused, waiting, generating, ...state }: QueueState): string {
  const { high, normal, low, further } = state.waiting_by_priority;
  const since = state.oldest_waiting_at === null ? '' : `, the oldest since ${state.oldest_waiting_at}`;
  return [
    paused === null
      ? 'Queue running.'
      : `Queue paused since ${paused.since} by ${paused.by}. Resume it: lectern queue resume`,
    `generating  ${generating}`,
    `waiting     ${waiting}${since}`,
    `  high ${high}, normal ${normal}, low ${low}, extra voices ${further}`,
  ].join('\n');
}

export function backupCommand(): Command {
  return createCommand('backup', 'back up database, voices and config file; works beside a running server')
    .argument('<file>', 'tar file to create')
    .action(async (file: string, options: CommonOptions) => {
      const config = loadConfig(options);
      addNativeFolders(config);
      const target = resolve(file);
      printManifest(options, target, await createBackup(config, target), 'Backed up to', config.sound);
    });
}

export function restoreCommand(): Command {
  return createCommand('restore', 'restore a backup into a new data folder')
    .argument('<file>', 'backup created by `lectern backup`')
    .action(async (file: string, options: CommonOptions) => {
      const config = loadConfig(options);
      addNativeFolders(config);
      if (config.database !== undefined) throw new AppError('bad_usage', `Backup not restored. ${postgresBackupHint}`);
      printManifest(options, config.data, await restore(resolve(file), config.data), 'Restored into');
    });
}

export function moveCommand(): Command {
  return createCommand(
    'move',
    'copy the installation into another data folder, database or bucket; its server must be stopped',
  )
    .argument('<dir>', 'data folder of the target; its lectern.toml names the database and the bucket')
    .action(async (dir: string, options: CommonOptions) => {
      const config = loadConfig(options);
      // The environment describes the source.
      const target = readConfig({ data: dir }, {});
      addNativeFolders(config);
      const bar = createProgressBar();
      const moved = await moveInstallation(config, target, (done, total) =>
        bar.show(total === 0 ? 1 : done / total, `row ${done} of ${total}`),
      );
      bar.finish();
      printResult(options.json, { path: target.data, ...moved }, () =>
        [
          `Moved from ${describePlace(config)} to ${describePlace(target)}, compared with the source`,
          `  ${moved.tables} tables, ${moved.rows} rows, ${moved.voice_files} voice files`,
          `  ${moved.objects} objects written, ${formatSize(moved.sound_bytes)} of sound moved`,
          '  Start the server with the new folder. Keep the old one until you have checked it, and do not start it again.',
          ...formatOverride(target),
        ].join('\n'),
      );
    });
}

/** The environment, which described the source, would also apply to a server of the target. */
function formatOverride(target: Config): string[] {
  const started = loadConfig({ data: target.data });
  if (describePlace(started) === describePlace(target) && started.sound?.url === target.sound?.url) return [];
  const bucket = started.sound === undefined ? '' : ` and the bucket ${started.sound.url}`;
  return [
    `  Change LECTERN_DATABASE, LECTERN_SOUND or LECTERN_CONFIG first: with the present environment it would use ${describePlace(started)}${bucket}.`,
  ];
}

function printManifest(
  options: CommonOptions,
  path: string,
  manifest: Manifest,
  action: string,
  bucket?: Config['sound'],
): void {
  const { created_at, parts } = manifest;
  const byteCount = parts.reduce((sum, part) => sum + part.byte_count, 0);
  printResult(options.json, { path, created_at, parts }, () =>
    [
      `${action} ${path}`,
      ...parts.map(({ name, byte_count }) => `  ${name}  ${formatSize(byte_count)}`),
      `  ${parts.length} files, ${formatSize(byteCount)}, as of ${created_at}`,
      ...(bucket === undefined ? [] : [`  The audio in the bucket is not in it: back up ${bucket.url} separately.`]),
    ].join('\n'),
  );
}

function formatSize(byteCount: number): string {
  return `${(byteCount / 1024 / 1024).toFixed(1)} MB`;
}

interface ExportOptions extends SiteOptions {
  readonly language?: string;
  readonly baseUrl?: string;
}

export function exportCommand(): Command {
  return createSiteCommand('export', 'export the public posts of a site as static files; works beside a running server')
    .argument('<dir>', 'target folder; an earlier export there is updated')
    .option('--language <code>', 'only posts in this language', parseLanguageCode)
    .option(
      '--base-url <url>',
      'public address of the folder, for example https://example.org/audio; required for the feed',
      parseUrl,
    )
    .action(exportFolder);
}

async function exportFolder(dir: string, options: ExportOptions): Promise<void> {
  const folder = resolve(dir);
  const bar = createProgressBar();
  const { language, baseUrl } = options;
  const { exported, hasFeed } = await withExistingDatabase(options, async ({ read }, config) => {
    const site = await findSite(read, options.site);
    const isPrivate = folder.startsWith(resolve(config.data) + sep);
    const exported = await exportSite(read, new Sound(read, openBucket(config)), site, {
      ...{ folder, isPrivate, language, baseUrl },
      onProgress: (share, done, of) => bar.show(share, `post ${done} of ${of}`),
    });
    return { exported, hasFeed: parseFeedSettings(site.feed).enabled };
  });
  bar.finish();
  printResult(options.json, { path: folder, ...exported }, () => formatExport(folder, exported, hasFeed));
}

function formatExport(folder: string, exported: ExportResult, hasFeed: boolean): string {
  const { posts, languages, feeds, written, unchanged, removed } = exported;
  const withoutFeed = hasFeed
    ? '  no podcast feed: it needs the public address of this folder, for example --base-url https://example.org/audio'
    : '  no podcast feed: the site has disabled it';
  return [
    `Exported ${posts === 1 ? '1 post' : `${posts} posts`} (${languages.join(', ')}) to ${folder}`,
    `  ${written} files written, ${unchanged} unchanged, ${removed} removed`,
    ...(feeds.length === 0 ? [withoutFeed] : feeds.map((feed) => `  ${feed}`)),
    '  open index.html in a browser, or serve the folder with a web server',
  ].join('\n');
}

function parseLanguageCode(text: string): string {
  const language = parsePrimaryLanguage(text);
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  // An export in a mistyped language would empty the folder.
  if (language !== undefined && names.of(language) !== undefined) return language;
  throw new InvalidArgumentError('expected a language code, for example en');
}

function parseUrl(text: string): string {
  const url = parseHttpUrl(text);
  if (url === undefined || url.search + url.hash !== '') {
    throw new InvalidArgumentError('expected an http(s) URL');
  }
  return url.href.replace(/\/+$/, '');
}
