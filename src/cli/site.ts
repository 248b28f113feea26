import { Type } from '@sinclair/typebox';
import type { Command } from 'commander';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { type SiteChanges, UpdateSiteBody } from '../sites/settings.ts';
import { changeDomain, createSite, type DomainChange, updateSite } from '../sites/site-changes.ts';
import { findSite, listSites, type SiteWithDomains, toSiteRecord } from '../sites/store.ts';
import { listVoices } from '../voices/store.ts';
import {
  type CommonOptions,
  collectValues,
  createCommand,
  createGroup,
  createSchemaOptions,
  listAction,
  withDatabase,
  writeDatabase,
  writeSite,
} from './command.ts';
import { printRecord } from './output.ts';

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly domain: string[];
  readonly force?: boolean;
}

interface DomainOptions extends CommonOptions {
  readonly force?: boolean;
}

const forceOption = ['--force', 'also register public suffixes and IP addresses'] as const;

const planOptions = createSchemaOptions(Type.Pick(UpdateSiteBody, ['plan', 'trial_ends_at']));
const settingOptions = createSchemaOptions(UpdateSiteBody);

/** `lectern site create|list|show|update|domain` */
export function siteCommand(): Command {
  const create = createCommand('create', 'create a site')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--domain <host>', 'host name; repeatable', collectValues)
    .option(...forceOption);
  const update = createCommand('update', 'update a site').argument('<site>', 'id or slug');
  return createGroup('site', 'manage sites', [
    planOptions.addTo(create).action(createFromOptions),
    createCommand('list', 'list sites').action(list),
    createCommand('show', 'show a site').argument('<site>', 'id or slug').action(show),
    settingOptions.addTo(update).action(updateFromOptions),
    createGroup('domain', 'manage the domains of a site', [
      domainCommand('add', 'added', 'add a domain').option(...forceOption),
      domainCommand('remove', 'removed', 'remove a domain; the last one cannot be removed'),
      domainCommand('primary', 'primary', 'set the primary domain'),
    ]),
  ]);
}

function domainCommand(name: string, change: DomainChange, description: string): Command {
  return createCommand(name, description)
    .argument('<site>', 'id or slug')
    .argument('<host>', 'host name')
    .action(async (idOrSlug: string, host: string, options: DomainOptions) => {
      const site = await writeSite({ ...options, site: idOrSlug }, async (db, { id }) => {
        await changeDomain(db, null, id, change, host, options.force);
        return findSite(db, String(id));
      });
      printSite(options, site);
    });
}

async function createFromOptions({ name, domain: domains, force, ...options }: CreateOptions): Promise<void> {
  const { plan = 'enterprise', trial_ends_at = null } = planOptions.read(options);
  const site = { name, domains, plan, trial_ends_at };
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
async function requireVoices(db: Queries, { default_voice_id, extra_voices = [] }: SiteChanges): Promise<void> {
  const installed = new Set((await listVoices(db)).map(({ id }) => id));
  const unknown = [default_voice_id ?? [], extra_voices].flat().find((id) => !installed.has(id));
  if (unknown !== undefined) throw new AppError('not_found', `Voice ${unknown} not found`);
}

function printSite({ json }: CommonOptions, site: SiteWithDomains): void {
  printRecord(json, toSiteRecord(site));
}
