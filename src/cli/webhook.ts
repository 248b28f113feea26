import type { Command } from 'commander';
import { audit } from '../auth/audit-log.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { readTarget } from '../http/outbound-guard.ts';
import { findSite } from '../sites/store.ts';
import { webhookTargetsOf } from '../webhooks/delivery.ts';
import {
  auditedWebhook,
  auditName,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
} from '../webhooks/endpoints.ts';
import { audioEventTypes } from '../webhooks/outbox.ts';
import { type CommonOptions, command, group, withDatabase } from './commands.ts';
import { print, table } from './output.ts';

interface SiteOptions extends CommonOptions {
  readonly site: string;
}

interface CreateOptions extends SiteOptions {
  readonly url: string;
  readonly event?: readonly string[];
}

/** `lectern webhook create|list|remove` */
export function webhookCommand(): Command {
  const webhook = group('webhook', 'addresses that are told of a site’s audio');
  const ofSite = (name: string, description: string) =>
    command(name, description).requiredOption('--site <site>', 'id or slug');
  webhook.addCommand(
    ofSite('create', 'add one; its signing secret is shown this once')
      .requiredOption('--url <url>', 'https address that is posted to')
      .option('--event <type...>', `of ${audioEventTypes.join(', ')}; all unless named`)
      .action(create),
  );
  webhook.addCommand(ofSite('list', 'webhooks of a site, without their secrets').action(list));
  webhook.addCommand(
    ofSite('remove', 'remove one with its log')
      .argument('<id>', 'id of the webhook')
      .action(remove),
  );
  return webhook;
}

async function create(options: CreateOptions): Promise<void> {
  const eventTypes = eventTypesOf(options.event ?? audioEventTypes);
  const made = await withDatabase(options, async (database, config) => {
    const url = await checkedUrl(options.url, config);
    return database.write(async (db) => {
      const { id } = await findSite(db, options.site);
      const endpoint = await insertEndpoint(db, id, { url, eventTypes });
      await audit(db, {
        ...{ userId: null, action: 'webhook.created', siteId: id },
        ...{ subject: auditName(endpoint), after: auditedWebhook(endpoint) },
      });
      return endpoint;
    });
  });
  const { id, url, secret } = made;
  print(options.json, { id, url, event_types: eventTypes, secret }, () => secret);
  if (options.json !== true) {
    process.stderr.write(`Webhook ${id}. Keep its signing secret now: it is not shown again.\n`);
  }
}

async function list(options: SiteOptions): Promise<void> {
  const endpoints = await withDatabase(options, async ({ read }) => {
    const { id } = await findSite(read, options.site);
    return listEndpoints(read, id);
  });
  const shown = endpoints.map((endpoint) => ({
    id: endpoint.id,
    url: endpoint.url,
    event_types: JSON.parse(endpoint.event_types) as string[],
    active: endpoint.active === 1,
    disabled_reason: endpoint.disabled_reason,
    created_at: endpoint.created_at,
  }));
  print(options.json, shown, () =>
    table(
      shown.map(({ id, url, event_types, active, disabled_reason }) => ({
        ...{ id, url, events: event_types.join(' ') },
        active: active ? 'yes' : (disabled_reason ?? 'no'),
      })),
      'no webhook yet: lectern webhook create --site SITE --url URL',
    ),
  );
}

async function remove(id: string, options: SiteOptions): Promise<void> {
  if (!/^\d+$/.test(id)) throw new AppError('bad_usage', `expected the id of a webhook, got ${id}`);
  await withDatabase(options, (database) =>
    database.write(async (db) => {
      const site = await findSite(db, options.site);
      const endpoint = await findEndpoint(db, site.id, Number(id));
      await audit(db, {
        ...{ userId: null, action: 'webhook.deleted', siteId: site.id },
        subject: auditName(endpoint),
      });
      await deleteEndpoint(db, site.id, endpoint.id);
    }),
  );
  print(options.json, { id: Number(id), removed: true }, () => `webhook ${id} is removed`);
}

function eventTypesOf(given: readonly string[]): string[] {
  const known = new Set<string>(audioEventTypes);
  const wrong = given.find((type) => !known.has(type));
  if (wrong === undefined) return [...new Set(given)];
  throw new AppError('bad_usage', `expected ${audioEventTypes.join(', ')}, got ${wrong}`);
}

async function checkedUrl(given: string, config: Config): Promise<string> {
  const target = await readTarget(webhookTargetsOf(config.webhookAllow), given);
  if (target.problem !== undefined) throw new AppError('bad_usage', `the url ${target.problem}`);
  return target.url;
}
