import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type ExportResult, exportSite } from '../export/export.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';
import { parseFeedSettings } from '../sites/feed-settings.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, createCommand, withDatabase } from './commands.ts';
import { createProgressBar, printResult } from './output.ts';

interface ExportOptions extends CommonOptions {
  readonly site: string;
  readonly language?: string;
  readonly baseUrl?: string;
}

/** `lectern export DIR` */
export function exportCommand(): Command {
  return createCommand('export', 'export the public posts of a site as static files; works beside a running server')
    .argument('<dir>', 'target folder; an earlier export there is updated')
    .requiredOption('--site <site>', 'id or slug')
    .option('--language <code>', 'only posts in this language', parseLanguageCode)
    .option(
      '--base-url <url>',
      'public address of the folder, for example https://example.org/audio; required for the feed',
      parseUrl,
    )
    .action(runExport);
}

async function runExport(dir: string, options: ExportOptions): Promise<void> {
  const folder = resolve(dir);
  const bar = createProgressBar();
  const { language, baseUrl } = options;
  const { exported, hasFeed } = await withDatabase(options, async ({ read }) => {
    const site = await findSite(read, options.site);
    const exported = await exportSite(read, site, {
      ...{ folder, language, baseUrl },
      onProgress: (share, done, of) => bar.show(share, `post ${done} of ${of}`),
    });
    return { exported, hasFeed: parseFeedSettings(site.feed).enabled };
  });
  bar.finish();
  printResult(options.json, { path: folder, ...exported }, () => formatSummary(folder, exported, hasFeed));
}

function formatSummary(folder: string, exported: ExportResult, hasFeed: boolean): string {
  const { posts, languages, feeds, written, unchanged, removed } = exported;
  const withoutFeed = hasFeed ? '  feed skipped: --base-url is not set' : '  feed skipped: disabled for this site';
  return [
    `Exported ${posts === 1 ? '1 post' : `${posts} posts`} (${languages.join(', ')}) to ${folder}`,
    `  ${written} files written, ${unchanged} unchanged, ${removed} removed`,
    ...(feeds.length === 0 ? [withoutFeed] : feeds.map((feed) => `  ${feed}`)),
    '  open index.html in a browser, or serve the folder with a web server',
  ].join('\n');
}

function parseLanguageCode(given: string): string {
  const language = parsePrimaryLanguage(given);
  if (language !== undefined) return language;
  throw new InvalidArgumentError('expected a language code, for example en');
}

function parseUrl(given: string): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('expected an http(s) URL');
  }
  return url.href.replace(/\/+$/, '');
}
