import { Type } from '@sinclair/typebox';
import { type Command, Option } from 'commander';
import { audioEventTypes } from '../audio/events.ts';
import { createKey, findSiteOfActiveKey, listKeys, revokeKey, rotateKeys } from '../auth/api-keys.ts';
import { capitalize } from '../capitalize.ts';
import type { Queries } from '../database/database.ts';
import { AppError, notFound } from '../errors.ts';
import { validateOutboundUrl } from '../http/outbound-guard.ts';
import { validate } from '../http/validation.ts';
import { CreateKeyBody } from '../sites/schema.ts';
import { type SiteChanges, UpdateSiteBody } from '../sites/settings.ts';
import { changeDomain, createSite, resolveDomainRequest, updateSite } from '../sites/site-changes.ts';
import { findSite, listDomainClaims, listSites, type SiteWithDomains, toSiteRecord } from '../sites/store.ts';
import { createFeedGuard } from '../sources/fetch.ts';
import { SourceBody } from '../sources/schema.ts';
import {
  buildSourceRecords,
  createSource,
  deleteSource,
  findSource,
  listSources,
  parseNewSettings,
  scheduleFetchNow,
} from '../sources/store.ts';
import { listVoices } from '../voices/store.ts';
import { createWebhookGuard } from '../webhooks/delivery.ts';
import { buildWebhookRecord, createWebhook, deleteWebhook, listEndpoints } from '../webhooks/endpoints.ts';
import {
  type CommonOptions,
  collectValues,
  createCommand,
  createGroup,
  createSchemaOptions,
  createSiteCommand,
  idArgument,
  listAction,
  loadConfig,
  type SiteOptions,
  withDatabase,
  withExistingDatabase,
  writeDatabase,
  writeSite,
} from './command.ts';
import { formatTable, printRecord, printResult, printSecret } from './output.ts';

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly domain: string[];
  readonly force?: boolean;
}

interface DomainOptions extends CommonOptions {
  readonly force?: boolean;
}

const forceOption = ['--force', 'also register public suffixes and IP addresses'] as const;

const newSiteOptions = createSchemaOptions(Type.Pick(UpdateSiteBody, ['plan', 'trial_ends_at', 'time_zone']));
const settingOptions = createSchemaOptions(UpdateSiteBody);

export function siteCommand(): Command {
  const create = createCommand('create', 'create a site')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--domain <host>', 'host name; repeatable', collectValues)
    .option(...forceOption);
  const update = createCommand('update', 'update a site').argument('<site>', 'id or slug');
  return createGroup('site', 'manage sites', [
    newSiteOptions.addTo(create).action(createFromOptions),
    createCommand('list', 'list sites').action(list),
    createCommand('show', 'show a site').argument('<site>', 'id or slug').action(show),
    settingOptions.addTo(update).action(updateFromOptions),
    createGroup('domain', 'manage the domains of a site', [
      domainCommand('add', 'add a domain', (db, id, host, { force }) =>
        changeDomain(db, null, id, 'added', host, force),
      ).option(...forceOption),
      domainCommand('remove', 'remove a domain; the last one cannot be removed', (db, id, host) =>
        changeDomain(db, null, id, 'removed', host),
      ),
      domainCommand('primary', 'set the primary domain', (db, id, host) => changeDomain(db, null, id, 'primary', host)),
      createCommand('requests', 'list the domains that editors have requested')
        .argument('<site>', 'id or slug')
        .action(listRequests),
      domainCommand('approve', 'add a requested domain', (db, id, host) =>
        resolveDomainRequest(db, null, id, 'approved', host),
      ),
      domainCommand('reject', 'drop the request for a domain', (db, id, host) =>
        resolveDomainRequest(db, null, id, 'rejected', host),
      ),
    ]),
  ]);
}

function domainCommand(
  name: string,
  description: string,
  change: (db: Queries, siteId: number, host: string, options: DomainOptions) => Promise<unknown>,
): Command {
  return createCommand(name, description)
    .argument('<site>', 'id or slug')
    .argument('<host>', 'host name')
    .action(async (idOrSlug: string, host: string, options: DomainOptions) => {
      const site = await writeSite({ ...options, site: idOrSlug }, async (db, { id }) => {
        await change(db, id, host, options);
        return findSite(db, String(id));
      });
      printSite(options, site);
    });
}

async function listRequests(idOrSlug: string, options: CommonOptions): Promise<void> {
  const requests = await withExistingDatabase(options, async ({ read }) =>
    listDomainClaims(read, (await findSite(read, idOrSlug)).id),
  );
  const toColumns = ({ domain, requested_by, requested_at }: (typeof requests)[number]) => ({
    ...{ domain, 'requested by': requested_by, 'requested at': requested_at },
  });
  printResult(options.json, requests, () => formatTable(requests.map(toColumns), 'No requested domains'));
}

async function createFromOptions({ name, domain: domains, force, ...options }: CreateOptions): Promise<void> {
  const {
    plan = 'enterprise',
    trial_ends_at = null,
    time_zone = loadConfig(options).timeZone,
  } = newSiteOptions.read(options);
  const site = { name, domains, plan, trial_ends_at, time_zone };
  const created = await withDatabase(options, (database) =>
    database.write('server', (db) => createSite(db, null, site, force)),
  );
  printSite(options, created);
}

const list = listAction(
  async (db) => (await listSites(db)).map(toSiteRecord),
  ({ id, slug, plan, subscription, active, domains }) => ({ id, slug, plan, subscription, active, domains }),
  'No sites. Create one: lectern site create --name NAME --domain HOST',
);

async function show(idOrSlug: string, options: CommonOptions): Promise<void> {
  printSite(options, await withExistingDatabase(options, ({ read }) => findSite(read, idOrSlug)));
}

async function updateFromOptions(idOrSlug: string, options: CommonOptions): Promise<void> {
  const changes = settingOptions.read(options);
  if (Object.keys(changes).length === 0) {
    throw new AppError('bad_usage', 'No setting given. See `lectern site update --help`.');
  }
  const site = await writeSite({ ...options, site: idOrSlug }, async (db, { id }) => {
    await requireVoices(db, changes);
    return updateSite(db, null, id, changes);
  });
  printSite(options, site);
}

/** Unlike a user, the command line may choose voices that the plan does not include. */
async function requireVoices(db: Queries, changes: SiteChanges): Promise<void> {
  const { default_voice_id, default_voices = [], extra_voices = [] } = changes;
  const installed = new Set((await listVoices(db)).map(({ id }) => id));
  const unknown = [default_voice_id ?? [], default_voices, extra_voices].flat().find((id) => !installed.has(id));
  if (unknown !== undefined) throw notFound('Voice', unknown);
}

function printSite({ json }: CommonOptions, site: SiteWithDomains): void {
  printRecord(json, toSiteRecord(site));
}

const keyOptions = createSchemaOptions(CreateKeyBody);

export function keyCommand(): Command {
  const withName = (name: string, description: string, create: typeof createKey) =>
    keyOptions.addTo(createSiteCommand(name, description)).action(async (options: SiteOptions) => {
      const { name: keyName } = keyOptions.read(options);
      const { id, key, prefix } = await writeSite(options, (db, site) => create(db, null, site.id, keyName));
      printSecret(options.json, { id, key, prefix }, key, `Key ${id}. Save it`);
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

/** A command that removes a row of a site. @param kind as the other commands call it */
function createRemoveCommand(
  kind: string,
  description: string,
  remove: (db: Queries, userId: null, siteId: number, id: number) => Promise<void>,
): Command {
  return createSiteCommand('remove', description)
    .addArgument(idArgument(kind))
    .action(async (id: number, options: SiteOptions) => {
      await writeSite(options, (db, site) => remove(db, null, site.id, id));
      printResult(options.json, { id, removed: true }, () => `${capitalize(kind)} ${id} removed`);
    });
}

/** Reports an invalid field as wrong usage of the command. */
async function withUsageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const [problem] = error instanceof AppError ? Object.entries(error.fields ?? {}) : [];
    if (problem === undefined) throw error;
    throw new AppError('bad_usage', `the ${problem[0]} ${problem[1][0]}`);
  }
}

interface WebhookOptions extends SiteOptions {
  readonly url: string;
  readonly event?: readonly (typeof audioEventTypes)[number][];
}

export function webhookCommand(): Command {
  return createGroup('webhook', 'manage the webhooks of a site', [
    createSiteCommand('create', 'create a webhook; its signing secret is shown only once')
      .requiredOption('--url <url>', 'HTTPS URL of the endpoint')
      .addOption(new Option('--event <type...>', 'event types (default: all)').choices(audioEventTypes))
      .action(addWebhook),
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
    createRemoveCommand('webhook', 'delete a webhook and its delivery log', deleteWebhook),
  ]);
}

async function addWebhook(options: WebhookOptions): Promise<void> {
  const event_types = [...new Set(options.event ?? audioEventTypes)];
  const { id, url, secret } = await withExistingDatabase(options, async (database, { webhookAllowlist }) => {
    const url = await withUsageErrors(validateOutboundUrl(createWebhookGuard(webhookAllowlist), options.url));
    return database.write('server', async (db) => {
      const site = await findSite(db, options.site);
      return createWebhook(db, null, site.id, { url, event_types });
    });
  });
  const record = { id, url, event_types, secret };
  printSecret(options.json, record, secret, `Webhook ${id}. Save its signing secret`);
}

async function listWebhooks(db: Queries, options: SiteOptions) {
  const { id } = await findSite(db, options.site);
  const webhooks = await listEndpoints(db, id);
  return Promise.all(
    webhooks.map(async (webhook) => {
      const { previous_secret_until, updated_at, ...shown } = await buildWebhookRecord(db, webhook);
      return shown;
    }),
  );
}

interface SourceOptions extends SiteOptions {
  readonly updates: boolean;
}

const sourceOptions = createSchemaOptions(
  Type.Pick(SourceBody, ['language', 'voice_id', 'visibility', 'backfill', 'interval_minutes']),
);

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
    createRemoveCommand('source', 'remove a feed; its posts are kept', deleteSource),
  ]);
}

async function addSource(url: string, options: SourceOptions): Promise<void> {
  const body = validate(SourceBody, { ...sourceOptions.read(options), url, updates: options.updates });
  const added = await withExistingDatabase(options, async (database, { feedAllowlist }) => {
    const settings = await withUsageErrors(parseNewSettings(createFeedGuard(feedAllowlist), body));
    return database.write('server', async (db) => {
      const site = await findSite(db, options.site);
      const source = await createSource(db, null, site.id, settings);
      const [record] = await buildSourceRecords(db, site, [source]);
      return record;
    });
  });
  printResult(options.json, added, () => `source ${added?.id}: ${added?.url}`);
}

async function fetchSource(id: number, options: SiteOptions): Promise<void> {
  await writeSite(options, async (db, site) => scheduleFetchNow(db, null, await findSource(db, site.id, id)));
  printResult(options.json, { id, queued: true }, () => `Source ${id} queued: a running server fetches it next`);
}
