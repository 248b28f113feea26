import { type Command, InvalidArgumentError, Option } from 'commander';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Config } from '../config.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { findFieldErrors } from '../http/validation.ts';
import { findSite } from '../sites/store.ts';
import { createFeedGuard } from '../sources/fetch.ts';
import { buildSourceRecords, formatAuditSubject, SourceBody, toAuditState } from '../sources/schema.ts';
import {
  deleteSource,
  findSource,
  insertSource,
  listSources,
  parseNewSettings,
  scheduleFetchNow,
} from '../sources/store.ts';
import { type CommonOptions, createCommand, createGroup, withDatabase } from './commands.ts';
import { formatTable, printResult } from './output.ts';

/** Members as the command line calls them. */
const optionNames: Readonly<Record<string, string>> = {
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
  const source = createGroup('source', 'manage feed sources: new items become posts');
  const ofSite = (name: string, description: string) =>
    createCommand(name, description).requiredOption('--site <site>', 'id or slug');
  source.addCommand(
    ofSite('add', 'add a feed; a running server fetches it immediately')
      .argument('<url>', 'URL of an RSS, Atom or JSON feed')
      .option('--language <code>', 'language of its posts (default: declared by the feed)')
      .option('--voice <id>', 'voice of its posts (default: voice of the site)', parseInteger)
      .addOption(new Option('--visibility <who>', 'visibility of its posts').choices(['public', 'private']))
      .option('--backfill <n>', 'number of existing items to import, newest first (default: 10)', parseInteger)
      .option('--interval <minutes>', 'fetch interval in minutes (default: server setting)', parseInteger)
      .option('--no-updates', 'ignore changes of existing items')
      .action(add),
  );
  source.addCommand(ofSite('list', 'list the feeds of a site').action(list));
  source.addCommand(ofSite('fetch', 'fetch a feed now').argument('<id>', 'id of the source').action(requestFetch));
  source.addCommand(
    ofSite('remove', 'remove a feed; its posts are kept').argument('<id>', 'id of the source').action(remove),
  );
  return source;
}

async function add(url: string, options: AddOptions): Promise<void> {
  const made = await withDatabase(options, async (database, config) => {
    const settings = await buildSettings(url, options, config);
    return database.write(async (db) => {
      const site = await findSite(db, options.site);
      const source = await insertSource(db, site.id, settings);
      await insertAuditEntry(db, {
        ...{ userId: null, action: 'source.created', siteId: site.id },
        ...{ subject: formatAuditSubject(source), after: toAuditState(source) },
      });
      const [record] = await buildSourceRecords(db, site, [source]);
      return record;
    });
  });
  printResult(options.json, made, () => `source ${made?.id}: ${made?.url}`);
}

async function list(options: SiteOptions): Promise<void> {
  const sources = await withDatabase(options, async ({ read }) => {
    const site = await findSite(read, options.site);
    return buildSourceRecords(read, site, await listSources(read, site.id));
  });
  printResult(options.json, sources, () =>
    formatTable(
      sources.map(({ id, url, title, enabled, items, ...source }) => ({
        ...{ id, url, title: title ?? '', posts: items.posts, waiting: items.waiting },
        fetched: source.last_fetch_at ?? 'never',
        state: enabled
          ? (source.paused ?? source.problem ?? source.waiting_reason ?? 'well')
          : (source.disabled_reason ?? 'off'),
      })),
      'No sources. Add one: lectern source add URL --site SITE',
    ),
  );
}

async function requestFetch(id: string, options: SiteOptions): Promise<void> {
  await updateSource(id, options, 'source.fetched', async (db, siteId, sourceId) => {
    const { enabled } = await findSource(db, siteId, sourceId);
    if (enabled === 0) throw new AppError('conflict', `Source ${sourceId} is disabled`);
    await scheduleFetchNow(db, sourceId);
  });
  printResult(
    options.json,
    { id: Number(id), queued: true },
    () => `Source ${id} queued: a running server fetches it next`,
  );
}

async function remove(id: string, options: SiteOptions): Promise<void> {
  await updateSource(id, options, 'source.deleted', deleteSource);
  printResult(options.json, { id: Number(id), removed: true }, () => `Source ${id} removed`);
}

async function updateSource(
  id: string,
  options: SiteOptions,
  action: string,
  change: (db: Queries, siteId: number, sourceId: number) => Promise<void>,
): Promise<void> {
  if (!/^\d{1,15}$/.test(id)) {
    throw new AppError('bad_usage', `expected a source id, got ${id}`);
  }
  await withDatabase(options, (database) =>
    database.write(async (db) => {
      const site = await findSite(db, options.site);
      const source = await findSource(db, site.id, Number(id));
      await insertAuditEntry(db, {
        ...{ userId: null, action, siteId: site.id },
        subject: formatAuditSubject(source),
      });
      await change(db, site.id, source.id);
    }),
  );
}

async function buildSettings(url: string, options: AddOptions, { feedAllowlist }: Config) {
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
    const wrong = findFieldErrors(SourceBody, asked);
    if (Object.keys(wrong).length > 0) throw new AppError('validation_failed', '', wrong);
    return await parseNewSettings(createFeedGuard(feedAllowlist), asked);
  } catch (error) {
    const [wrong] = error instanceof AppError ? Object.entries(error.fields ?? {}) : [];
    if (wrong === undefined) throw error;
    throw new AppError('bad_usage', `the ${optionNames[wrong[0]] ?? wrong[0]} ${wrong[1][0]}`);
  }
}

function parseInteger(given: string): number {
  if (!/^\d{1,15}$/.test(given)) throw new InvalidArgumentError('Expected an integer.');
  return Number(given);
}
