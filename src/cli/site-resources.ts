import { Type } from '@sinclair/typebox';
import { type Command, Option } from 'commander';
import { audioEventTypes } from '../audio/events.ts';
import { type CreatedKey, createKey, findSiteOfActiveKey, listKeys, revokeKey, rotateKeys } from '../auth/api-keys.ts';
import type { Config } from '../config.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { validateOutboundUrl } from '../http/outbound-guard.ts';
import { validate } from '../http/validation.ts';
import { findSite } from '../sites/store.ts';
import { createFeedGuard } from '../sources/fetch.ts';
import { SourceBody } from '../sources/schema.ts';
import {
  auditSource,
  buildSourceRecords,
  deleteSource,
  findSource,
  insertSource,
  listSources,
  parseNewSettings,
  scheduleFetchNow,
  toAuditState as toSourceState,
} from '../sources/store.ts';
import { createWebhookGuard } from '../webhooks/delivery.ts';
import {
  auditWebhook,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  toWebhookRecord,
  toAuditState as toWebhookState,
} from '../webhooks/endpoints.ts';
import {
  type CommonOptions,
  createCommand,
  createGroup,
  createSchemaOptions,
  createSiteCommand,
  idArgument,
  listAction,
  type SiteOptions,
  withDatabase,
  writeDatabase,
  writeSite,
} from './command.ts';
import { getIo, printResult } from './output.ts';

interface KeyOptions extends SiteOptions {
  readonly name: string;
}

/** `lectern key create|list|revoke|rotate` */
export function keyCommand(): Command {
  const withName = (name: string, description: string, create: typeof createKey) =>
    createSiteCommand(name, description)
      .option('--name <name>', 'what the key is for', 'production')
      .action(async (options: KeyOptions) => {
        printKey(options, await writeSite(options, (db, { id }) => create(db, null, id, options.name)));
      });
  return createGroup('key', 'manage the API keys of a site', [
    withName('create', 'create a key; it is shown only once', createKey),
    createSiteCommand('list', 'list the keys of a site (without values)').action(
      listAction(
        async (db, { site }: SiteOptions) => (await listKeys(db, (await findSite(db, site)).id)).reverse(),
        ({ id, name, prefix, created_at, last_used_at, revoked_at }) => ({
          ...{ id, name, key: `${prefix}…`, created: created_at },
          ...{ 'last used': last_used_at, revoked: revoked_at },
        }),
        'No keys. Create one: lectern key create --site SITE',
      ),
    ),
    createCommand('revoke', 'revoke a key').addArgument(idArgument('key')).action(revoke),
    withName('rotate', 'revoke every key of a site and create a new one', rotateKeys),
  ]);
}

async function revoke(id: number, options: CommonOptions): Promise<void> {
  await writeDatabase(options, async (db) => revokeKey(db, null, await findSiteOfActiveKey(db, id), id));
  printResult(options.json, { id, revoked: true }, () => `Key ${id} revoked`);
}

/** The key alone on standard output, so that a script can take it. */
function printKey(options: CommonOptions, { id, key, prefix }: CreatedKey): void {
  printResult(options.json, { id, key, prefix }, () => key);
  if (options.json !== true) getIo().stderr.write(`Key ${id}. Save it now: it is not shown again.\n`);
}

interface WebhookOptions extends SiteOptions {
  readonly url: string;
  readonly event?: readonly (typeof audioEventTypes)[number][];
}

/** `lectern webhook create|list|remove` */
export function webhookCommand(): Command {
  return createGroup('webhook', 'manage the webhooks of a site', [
    createSiteCommand('create', 'create a webhook; its signing secret is shown only once')
      .requiredOption('--url <url>', 'HTTPS URL of the endpoint')
      .addOption(new Option('--event <type...>', 'event types (default: all)').choices(audioEventTypes))
      .action(createWebhook),
    createSiteCommand('list', 'list the webhooks of a site (without secrets)').action(
      listAction(
        listWebhooks,
        ({ id, url, event_types, active, disabled_reason }) => ({
          ...{ id, url, events: event_types.join(' ') },
          active: active ? 'yes' : (disabled_reason ?? 'no'),
        }),
        'No webhooks. Create one: lectern webhook create --site SITE --url URL',
      ),
    ),
    createSiteCommand('remove', 'delete a webhook and its delivery log')
      .addArgument(idArgument('webhook'))
      .action(removeWebhook),
  ]);
}

async function createWebhook(options: WebhookOptions): Promise<void> {
  const event_types = [...new Set(options.event ?? audioEventTypes)];
  const { id, url, secret } = await withDatabase(options, async (database, config) => {
    const target = await validateOutboundUrl(createWebhookGuard(config.webhookAllowlist), options.url);
    if (target.problem !== undefined) throw new AppError('bad_usage', `the url ${target.problem}`);
    return database.write(async (db) => {
      const site = await findSite(db, options.site);
      const endpoint = await insertEndpoint(db, site.id, { url: target.url, event_types });
      await auditWebhook(db, null, 'webhook.created', endpoint, { after: toWebhookState(endpoint) });
      return endpoint;
    });
  });
  printResult(options.json, { id, url, event_types, secret }, () => secret);
  if (options.json !== true) {
    getIo().stderr.write(`Webhook ${id}. Save its signing secret now: it is not shown again.\n`);
  }
}

async function listWebhooks(db: Queries, options: SiteOptions) {
  const { id } = await findSite(db, options.site);
  return (await listEndpoints(db, id)).map((endpoint) => {
    const { previous_secret_until, updated_at, ...shown } = toWebhookRecord(endpoint);
    return shown;
  });
}

async function removeWebhook(id: number, options: SiteOptions): Promise<void> {
  await writeSite(options, async (db, site) => {
    await auditWebhook(db, null, 'webhook.deleted', await findEndpoint(db, site.id, id));
    await deleteEndpoint(db, site.id, id);
  });
  printResult(options.json, { id, removed: true }, () => `Webhook ${id} removed`);
}

interface SourceOptions extends SiteOptions {
  readonly updates: boolean;
}

const sourceOptions = createSchemaOptions(
  Type.Pick(SourceBody, ['language', 'voice_id', 'visibility', 'backfill', 'interval_minutes']),
);

/** `lectern source add|list|fetch|remove` */
export function sourceCommand(): Command {
  const add = createSiteCommand('add', 'add a feed; a running server fetches it immediately')
    .argument('<url>', 'URL of an RSS, Atom or JSON feed')
    .option('--no-updates', 'ignore changes of existing items');
  return createGroup('source', 'manage feed sources: new items become posts', [
    sourceOptions.addTo(add).action(addSource),
    createSiteCommand('list', 'list the feeds of a site').action(
      listAction(
        async (db, options: SiteOptions) => {
          const site = await findSite(db, options.site);
          return buildSourceRecords(db, site, await listSources(db, site.id));
        },
        ({ id, url, title, enabled, items, ...source }) => ({
          ...{ id, url, title: title ?? '', posts: items.posts, waiting: items.waiting },
          fetched: source.last_fetch_at ?? 'never',
          state: enabled
            ? (source.paused ?? source.problem ?? source.waiting_reason ?? 'ok')
            : (source.disabled_reason ?? 'off'),
        }),
        'No sources. Add one: lectern source add URL --site SITE',
      ),
    ),
    createSiteCommand('fetch', 'fetch a feed now').addArgument(idArgument('source')).action(fetchSource),
    createSiteCommand('remove', 'remove a feed; its posts are kept')
      .addArgument(idArgument('source'))
      .action(removeSource),
  ]);
}

async function addSource(url: string, options: SourceOptions): Promise<void> {
  const added = await withDatabase(options, async (database, config) => {
    const settings = await parseSourceOptions(url, options, config);
    return database.write(async (db) => {
      const site = await findSite(db, options.site);
      const source = await insertSource(db, site.id, settings);
      await auditSource(db, null, 'source.created', source, { after: toSourceState(source) });
      const [record] = await buildSourceRecords(db, site, [source]);
      return record;
    });
  });
  printResult(options.json, added, () => `source ${added?.id}: ${added?.url}`);
}

async function fetchSource(id: number, options: SiteOptions): Promise<void> {
  await changeSource(id, options, 'source.fetched', async (db, { enabled }) => {
    if (enabled === 0) throw new AppError('conflict', `Source ${id} is disabled`);
    await scheduleFetchNow(db, id);
  });
  printResult(options.json, { id, queued: true }, () => `Source ${id} queued: a running server fetches it next`);
}

async function removeSource(id: number, options: SiteOptions): Promise<void> {
  await changeSource(id, options, 'source.deleted', (db, source) => deleteSource(db, source.site_id, id));
  printResult(options.json, { id, removed: true }, () => `Source ${id} removed`);
}

function changeSource(
  id: number,
  options: SiteOptions,
  action: string,
  change: (db: Queries, source: FeedSource) => Promise<void>,
): Promise<void> {
  return writeSite(options, async (db, site) => {
    const source = await findSource(db, site.id, id);
    await auditSource(db, null, action, source);
    await change(db, source);
  });
}

async function parseSourceOptions(url: string, options: SourceOptions, { feedAllowlist }: Config) {
  const { updates } = options;
  const body = validate(SourceBody, { ...sourceOptions.read(options), url, updates });
  try {
    return await parseNewSettings(createFeedGuard(feedAllowlist), body);
  } catch (error) {
    const [problem] = error instanceof AppError ? Object.entries(error.fields ?? {}) : [];
    if (problem === undefined) throw error;
    throw new AppError('bad_usage', `the ${problem[0]} ${problem[1][0]}`);
  }
}
