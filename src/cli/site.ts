import { Type } from '@sinclair/typebox';
import type { Command } from 'commander';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type SiteChanges, UpdateSiteBody } from '../sites/settings.ts';
import { changeDomain, createSite, resolveDomainRequest, updateSite } from '../sites/site-changes.ts';
import { findSite, listDomainClaims, listSites, type SiteWithDomains, toSiteRecord } from '../sites/store.ts';
import { listVoices } from '../voices/store.ts';
import {
  type CommonOptions,
  collectValues,
  createCommand,
  createGroup,
  createSchemaOptions,
  listAction,
  loadConfig,
  withDatabase,
  writeDatabase,
  writeSite,
} from './command.ts';
import { formatTable, printRecord, printResult } from './output.ts';

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

/** `lectern site create|list|show|update|domain` */
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
  const requests = await withDatabase(options, async ({ read }) =>
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
  printSite(options, await writeDatabase(options, (db) => createSite(db, null, site, force)));
}

const list = listAction(
  async (db) => (await listSites(db)).map(toSiteRecord),
  ({ id, slug, plan, subscription, active, domains }) => ({ id, slug, plan, subscription, active, domains }),
  'No sites. Create one: lectern site create --name NAME --domain HOST',
);

async function show(idOrSlug: string, options: CommonOptions): Promise<void> {
  printSite(options, await withDatabase(options, ({ read }) => findSite(read, idOrSlug)));
}

async function updateFromOptions(idOrSlug: string, options: CommonOptions): Promise<void> {
  const changes = settingOptions.read(options);
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
  if (unknown !== undefined) throw new AppError('not_found', `Voice ${unknown} not found`);
}

function printSite({ json }: CommonOptions, site: SiteWithDomains): void {
  printRecord(json, toSiteRecord(site));
}
