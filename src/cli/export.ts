import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Exported, exportSite } from '../export/export.ts';
import { primaryLanguage } from '../http/validation.ts';
import { feedSettingsOf } from '../sites/feed-settings.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, command, withDatabase } from './commands.ts';
import { print, progressBar } from './output.ts';

interface ExportOptions extends CommonOptions {
  readonly site: string;
  readonly language?: string;
  readonly baseUrl?: string;
}

/** `lectern export DIR` */
export function exportCommand(): Command {
  return command(
    'export',
    'write the public posts of a site into a folder of plain files, server running or not',
  )
    .argument('<dir>', 'folder; what an export wrote there before is brought up to date')
    .requiredOption('--site <site>', 'id or slug')
    .option('--language <code>', 'only posts of this language', languageCode)
    .option(
      '--base-url <url>',
      'where the folder will be found, like https://example.org/audio; without it no feed is written',
      webAddress,
    )
    .action(run);
}

async function run(dir: string, options: ExportOptions): Promise<void> {
  const folder = resolve(dir);
  const bar = progressBar();
  const { language, baseUrl } = options;
  const { exported, hasFeed } = await withDatabase(options, async ({ read }) => {
    const site = await findSite(read, options.site);
    const exported = await exportSite(read, site, {
      ...{ folder, language, baseUrl },
      onProgress: (share, done, of) => bar.show(share, `post ${done} of ${of}`),
    });
    return { exported, hasFeed: feedSettingsOf(site.feed).enabled };
  });
  bar.done();
  print(options.json, { path: folder, ...exported }, () => lines(folder, exported, hasFeed));
}

function lines(folder: string, exported: Exported, hasFeed: boolean): string {
  const { posts, languages, feeds, written, unchanged, removed } = exported;
  const withoutFeed = hasFeed
    ? '  no feed: it needs the address of the folder, --base-url'
    : '  no feed: the site has switched it off';
  return [
    `Exported ${posts === 1 ? '1 post' : `${posts} posts`} (${languages.join(', ')}) to ${folder}`,
    `  ${written} files written, ${unchanged} unchanged, ${removed} removed`,
    ...(feeds.length === 0 ? [withoutFeed] : feeds.map((feed) => `  ${feed}`)),
    '  open index.html there, or let a web server show the folder',
  ].join('\n');
}

function languageCode(given: string): string {
  const language = primaryLanguage(given);
  if (language !== undefined) return language;
  throw new InvalidArgumentError('expected a language code like en or de');
}

function webAddress(given: string): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('expected an http(s) address');
  }
  return url.href.replace(/\/+$/, '');
}
