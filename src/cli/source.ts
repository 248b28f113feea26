import { type Command, InvalidArgumentError, Option } from 'commander';
import { audit } from '../auth/audit-log.ts';
import type { Config } from '../config.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { problemsOf } from '../http/validation.ts';
import { findSite } from '../sites/store.ts';
import { feedTargetsOf } from '../sources/fetch.ts';
import { auditedSource, auditName, SourceBody, sourceRecords } from '../sources/schema.ts';
import {
  deleteSource,
  findSource,
  insertSource,
  listSources,
  makeDue,
  newSettings,
} from '../sources/store.ts';
import { type CommonOptions, command, group, withDatabase } from './commands.ts';
import { print, table } from './output.ts';

/** Members as the command line calls them. */
const shownNames: Readonly<Record<string, string>> = {
  interval_minutes: 'interval',
  voice_id: 'voice',
};

interface SiteOptions extends CommonOptions {
  readonly site: string;
}

interface AddOptions extends SiteOptions {
  readonly language?: string;
  readonly voice?: number;
  readonly visibility?: 'public' | 'private';
  readonly backfill?: number;
  readonly interval?: number;
  readonly updates: boolean;
}

/** `lectern source add|list|fetch|remove` */
export function sourceCommand(): Command {
  const source = group('source', 'feeds whose new items become posts of a site');
  const ofSite = (name: string, description: string) =>
    command(name, description).requiredOption('--site <site>', 'id or slug');
  source.addCommand(
    ofSite('add', 'name a feed; a running server fetches it at once')
      .argument('<url>', 'address of an RSS, Atom or JSON feed')
      .option('--language <code>', 'what its posts are read in (default: as the feed says)')
      .option('--voice <id>', 'the voice of its posts (default: as the site has it)', wholeNumber)
      .addOption(new Option('--visibility <who>', 'of its posts').choices(['public', 'private']))
      .option(
        '--backfill <n>',
        'so many of the newest items become posts (default: 10)',
        wholeNumber,
      )
      .option('--interval <minutes>', 'how often it is fetched (default: a setting)', wholeNumber)
      .option('--no-updates', 'items that change correct no post')
      .action(add),
  );
  source.addCommand(ofSite('list', 'feeds of a site').action(list));
  source.addCommand(
    ofSite('fetch', 'have a running server fetch one now')
      .argument('<id>', 'id of the source')
      .action(fetchNow),
  );
  source.addCommand(
    ofSite('remove', 'take one away; its posts stay')
      .argument('<id>', 'id of the source')
      .action(remove),
  );
  return source;
}

async function add(url: string, options: AddOptions): Promise<void> {
  const made = await withDatabase(options, async (database, config) => {
    const settings = await settingsOf(url, options, config);
    return database.write(async (db) => {
      const site = await findSite(db, options.site);
      const source = await insertSource(db, site.id, settings);
      await audit(db, {
        ...{ userId: null, action: 'source.created', siteId: site.id },
        ...{ subject: auditName(source), after: auditedSource(source) },
      });
      const [record] = await sourceRecords(db, site, [source]);
      return record;
    });
  });
  print(options.json, made, () => `source ${made?.id}: ${made?.url}`);
}

async function list(options: SiteOptions): Promise<void> {
  const sources = await withDatabase(options, async ({ read }) => {
    const site = await findSite(read, options.site);
    return sourceRecords(read, site, await listSources(read, site.id));
  });
  print(options.json, sources, () =>
    table(
      sources.map(({ id, url, title, enabled, items, ...source }) => ({
        ...{ id, url, title: title ?? '', posts: items.posts, waiting: items.waiting },
        fetched: source.last_fetch_at ?? 'never',
        state: enabled
          ? (source.paused ?? source.problem ?? source.waiting_reason ?? 'well')
          : (source.disabled_reason ?? 'off'),
      })),
      'no source yet: lectern source add URL --site SITE',
    ),
  );
}

async function fetchNow(id: string, options: SiteOptions): Promise<void> {
  await changed(id, options, 'source.fetched', async (db, siteId, sourceId) => {
    const { enabled } = await findSource(db, siteId, sourceId);
    if (enabled === 0) throw new AppError('conflict', `source ${sourceId} is switched off`);
    await makeDue(db, sourceId);
  });
  print(
    options.json,
    { id: Number(id), queued: true },
    () => `source ${id} is fetched as soon as a server runs`,
  );
}

async function remove(id: string, options: SiteOptions): Promise<void> {
  await changed(id, options, 'source.deleted', deleteSource);
  print(options.json, { id: Number(id), removed: true }, () => `source ${id} is removed`);
}

async function changed(
  id: string,
  options: SiteOptions,
  action: string,
  change: (db: Queries, siteId: number, sourceId: number) => Promise<void>,
): Promise<void> {
  if (!/^\d{1,15}$/.test(id)) {
    throw new AppError('bad_usage', `expected the id of a source, got ${id}`);
  }
  await withDatabase(options, (database) =>
    database.write(async (db) => {
      const site = await findSite(db, options.site);
      const source = await findSource(db, site.id, Number(id));
      await audit(db, {
        ...{ userId: null, action, siteId: site.id },
        subject: auditName(source),
      });
      await change(db, site.id, source.id);
    }),
  );
}

async function settingsOf(url: string, options: AddOptions, { feedAllow }: Config) {
  const asked = {
    url,
    ...(options.language !== undefined && { language: options.language }),
    ...(options.voice !== undefined && { voice_id: options.voice }),
    ...(options.visibility !== undefined && { visibility: options.visibility }),
    ...(options.backfill !== undefined && { backfill: options.backfill }),
    ...(options.interval !== undefined && { interval_minutes: options.interval }),
    updates: options.updates,
  };
  try {
    const wrong = problemsOf(SourceBody, asked);
    if (Object.keys(wrong).length > 0) throw new AppError('validation_failed', '', wrong);
    return await newSettings(feedTargetsOf(feedAllow), asked);
  } catch (error) {
    const [wrong] = error instanceof AppError ? Object.entries(error.fields ?? {}) : [];
    if (wrong === undefined) throw error;
    throw new AppError('bad_usage', `the ${shownNames[wrong[0]] ?? wrong[0]} ${wrong[1][0]}`);
  }
}

function wholeNumber(given: string): number {
  if (!/^\d{1,15}$/.test(given)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(given);
}
