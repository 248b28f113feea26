import type { Command } from 'commander';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { validateOutboundUrl } from '../http/outbound-guard.ts';
import { findSite } from '../sites/store.ts';
import { createWebhookGuard } from '../webhooks/delivery.ts';
import {
  deleteEndpoint,
  findEndpoint,
  formatAuditSubject,
  insertEndpoint,
  listEndpoints,
  toAuditState,
} from '../webhooks/endpoints.ts';
import { audioEventTypes } from '../webhooks/outbox.ts';
import { type CommonOptions, createCommand, createGroup, withDatabase } from './commands.ts';
import { formatTable, getIo, printResult } from './output.ts';

interface SiteOptions extends CommonOptions {
  readonly site: string;
}

interface CreateOptions extends SiteOptions {
  readonly url: string;
  readonly event?: readonly string[];
}

/** `lectern webhook create|list|remove` */
export function webhookCommand(): Command {
  const webhook = createGroup('webhook', 'manage the webhooks of a site');
  const ofSite = (name: string, description: string) =>
    createCommand(name, description).requiredOption('--site <site>', 'id or slug');
  webhook.addCommand(
    ofSite('create', 'create a webhook; its signing secret is shown only once')
      .requiredOption('--url <url>', 'HTTPS URL of the endpoint')
      .option('--event <type...>', `event types: ${audioEventTypes.join(', ')} (default: all)`)
      .action(create),
  );
  webhook.addCommand(ofSite('list', 'list the webhooks of a site (without secrets)').action(list));
  webhook.addCommand(
    ofSite('remove', 'delete a webhook and its delivery log').argument('<id>', 'id of the webhook').action(remove),
  );
  return webhook;
}

async function create(options: CreateOptions): Promise<void> {
  const eventTypes = parseEventTypes(options.event ?? audioEventTypes);
  const made = await withDatabase(options, async (database, config) => {
    const url = await validateUrl(options.url, config);
    return database.write(async (db) => {
      const { id } = await findSite(db, options.site);
      const endpoint = await insertEndpoint(db, id, { url, eventTypes });
      await insertAuditEntry(db, {
        ...{ userId: null, action: 'webhook.created', siteId: id },
        ...{ subject: formatAuditSubject(endpoint), after: toAuditState(endpoint) },
      });
      return endpoint;
    });
  });
  const { id, url, secret } = made;
  printResult(options.json, { id, url, event_types: eventTypes, secret }, () => secret);
  if (options.json !== true) {
    getIo().stderr.write(`Webhook ${id}. Save its signing secret now: it is not shown again.\n`);
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
  printResult(options.json, shown, () =>
    formatTable(
      shown.map(({ id, url, event_types, active, disabled_reason }) => ({
        ...{ id, url, events: event_types.join(' ') },
        active: active ? 'yes' : (disabled_reason ?? 'no'),
      })),
      'No webhooks. Create one: lectern webhook create --site SITE --url URL',
    ),
  );
}

async function remove(id: string, options: SiteOptions): Promise<void> {
  if (!/^\d+$/.test(id)) throw new AppError('bad_usage', `expected a webhook id, got ${id}`);
  await withDatabase(options, (database) =>
    database.write(async (db) => {
      const site = await findSite(db, options.site);
      const endpoint = await findEndpoint(db, site.id, Number(id));
      await insertAuditEntry(db, {
        ...{ userId: null, action: 'webhook.deleted', siteId: site.id },
        subject: formatAuditSubject(endpoint),
      });
      await deleteEndpoint(db, site.id, endpoint.id);
    }),
  );
  printResult(options.json, { id: Number(id), removed: true }, () => `Webhook ${id} removed`);
}

function parseEventTypes(given: readonly string[]): string[] {
  const known = new Set<string>(audioEventTypes);
  const wrong = given.find((type) => !known.has(type));
  if (wrong === undefined) return [...new Set(given)];
  throw new AppError('bad_usage', `expected ${audioEventTypes.join(', ')}, got ${wrong}`);
}

async function validateUrl(given: string, config: Config): Promise<string> {
  const target = await validateOutboundUrl(createWebhookGuard(config.webhookAllowlist), given);
  if (target.problem !== undefined) throw new AppError('bad_usage', `the url ${target.problem}`);
  return target.url;
}
