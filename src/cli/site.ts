import type { Static, TSchema } from '@sinclair/typebox';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { normalizeDomain } from '../auth/domain-access.ts';
import type { Queries } from '../database/open.ts';
import type { Plan, Subscription } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { findFieldErrors, parseIsoTimestamp } from '../http/validation.ts';
import { FeedChanges } from '../sites/feed-settings.ts';
import type { SiteRecord } from '../sites/schema.ts';
import { createSite, updateDomains, updateSite } from '../sites/site-changes.ts';
import {
  addDomain,
  findSite,
  listSites,
  removeDomain,
  type SiteChanges,
  type SiteWithDomains,
  setPrimaryDomain,
  toSiteRecord,
} from '../sites/store.ts';
import { BIT_RATES_KBPS } from '../speech/encode/mp3.ts';
import { NarrationSettingsChanges } from '../speech/narration-settings.ts';
import { listVoices } from '../voices/store.ts';
import { type CommonOptions, createCommand, createGroup, withDatabase } from './commands.ts';
import { formatTable, printResult } from './output.ts';

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly domain: string[];
  readonly plan: Plan;
  readonly trialEnds?: string;
}

interface UpdateOptions extends CommonOptions {
  readonly name?: string;
  readonly extraVoices?: number[];
  readonly bitRate?: SiteChanges['bit_rate_kbps'];
  readonly timingsText?: boolean;
  readonly reading?: NarrationSettingsChanges;
  readonly feed?: FeedChanges;
  readonly plan?: Plan;
  readonly subscription?: Subscription;
  readonly active?: boolean;
  readonly trialEnds?: string;
  readonly defaultVoice?: number;
  readonly allowSwitch?: boolean;
}

/** `lectern site create|list|show|update|domain` */
export function siteCommand(): Command {
  const plan = () => new Option('--plan <plan>', 'plan tier').choices(['starter', 'growth', 'enterprise']);
  const site = createGroup('site', 'manage sites');
  site.addCommand(
    createCommand('create', 'create a site')
      .requiredOption('--name <name>', 'display name', parseNonEmpty)
      .requiredOption('--domain <host>', 'host name; repeatable', collectValues)
      .addOption(plan().default('enterprise'))
      .option('--trial-ends <iso>', 'end of the trial; starts a trial subscription', parseTimestamp)
      .action(create),
  );
  site.addCommand(createCommand('list', 'list sites').action(list));
  site.addCommand(createCommand('show', 'show a site').argument('<site>', 'id or slug').action(show));
  site.addCommand(
    createCommand('update', 'update a site')
      .argument('<site>', 'id or slug')
      .option('--name <name>', 'display name', parseNonEmpty)
      .addOption(plan())
      .addOption(
        new Option('--subscription <state>', 'subscription status').choices(['active', 'trialing', 'inactive']),
      )
      .option('--active <true|false>', 'enable or disable the site', parseBoolean)
      .option('--trial-ends <iso>', 'end of the trial', parseTimestamp)
      .option('--default-voice <id>', 'default voice', parseInteger)
      .option('--allow-switch <true|false>', 'allow listeners to switch voices', parseBoolean)
      .option('--extra-voices <ids>', 'alternate voices, for example 2,5; none: ""', parseVoiceIds)
      .option('--bit-rate <kbps>', `one of ${BIT_RATES_KBPS.join(', ')}`, parseBitRate)
      .option('--timings-text <true|false>', 'include sentence text in timings', parseBoolean)
      .option(
        '--reading <json>',
        'narration settings, for example \'{"speed":1.1,"outro":"Thank you for listening."}\'; other settings are unchanged',
        createJsonParser(NarrationSettingsChanges),
      )
      .option(
        '--feed <json>',
        'podcast feed settings, for example \'{"author":"Harbor News","category":"News"}\'; other settings are unchanged',
        createJsonParser(FeedChanges),
      )
      .action(update),
  );
  site.addCommand(domainCommand());
  return site;
}

/** `lectern site domain add|remove|primary` */
function domainCommand(): Command {
  const domain = createGroup('domain', 'manage the domains of a site');
  const ofDomain = (name: string, done: string, description: string, work: DomainAction) =>
    domain.addCommand(
      createCommand(name, description)
        .argument('<site>', 'id or slug')
        .argument('<host>', 'host name')
        .action((site: string, host: string, options: CommonOptions) =>
          changeDomain(site, host, options, `domain.${done}`, work),
        ),
    );
  ofDomain('add', 'added', 'add a domain', addDomain);
  ofDomain('remove', 'removed', 'remove a domain; the last one cannot be removed', removeDomain);
  ofDomain('primary', 'primary', 'set the primary domain', setPrimaryDomain);
  return domain;
}

type DomainAction = (db: Queries, siteId: number, domain: string) => Promise<unknown>;

async function changeDomain(
  idOrSlug: string,
  host: string,
  options: CommonOptions,
  action: string,
  work: DomainAction,
): Promise<void> {
  const domain = normalizeDomain(host);
  const site = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, idOrSlug);
      await updateDomains(db, null, { siteId: id, action, domain }, () => work(db, id, domain));
      return findSite(db, String(id));
    }),
  );
  printSite(options, site);
}

async function create(options: CreateOptions): Promise<void> {
  const site = await withDatabase(options, (database) =>
    database.write((db) =>
      createSite(db, null, {
        name: options.name,
        domains: options.domain,
        plan: options.plan,
        trial_ends_at: options.trialEnds ?? null,
      }),
    ),
  );
  printSite(options, site);
}

async function list(options: CommonOptions): Promise<void> {
  const sites = await withDatabase(options, ({ read }) => listSites(read));
  printResult(options.json, sites.map(toSiteRecord), () =>
    formatTable(
      sites.map(({ id, slug, plan, subscription, active, domains }) => ({
        id,
        slug,
        plan,
        subscription,
        active: active === 1,
        domains,
      })),
      'No sites. Create one: lectern site create --name NAME --domain HOST',
    ),
  );
}

async function show(idOrSlug: string, options: CommonOptions): Promise<void> {
  printSite(options, await withDatabase(options, ({ read }) => findSite(read, idOrSlug)));
}

async function update(idOrSlug: string, options: UpdateOptions): Promise<void> {
  const site = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, idOrSlug);
      const voiceId = options.defaultVoice;
      const known = new Set((await listVoices(db)).map((voice) => voice.id));
      const named = [...(voiceId === undefined ? [] : [voiceId]), ...(options.extraVoices ?? [])];
      const unknown = named.find((id) => !known.has(id));
      if (unknown !== undefined) throw new AppError('not_found', `Voice ${unknown} not found`);
      return updateSite(db, null, id, {
        plan: options.plan,
        subscription: options.subscription,
        active: options.active,
        trial_ends_at: options.trialEnds,
        default_voice_id: voiceId,
        allow_switch: options.allowSwitch,
        name: options.name,
        extra_voices: options.extraVoices,
        bit_rate_kbps: options.bitRate,
        timings_text: options.timingsText,
        reading: options.reading,
        feed: options.feed,
      });
    }),
  );
  printSite(options, site);
}

function printSite(options: CommonOptions, site: SiteWithDomains): void {
  printResult(options.json, toSiteRecord(site), () =>
    Object.entries(toSiteRecord(site))
      .map(([name, value]) => `${name.padEnd(18)} ${formatValue(value)}`)
      .join('\n'),
  );
}

function formatValue(value: SiteRecord[keyof SiteRecord]): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

function parseNonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('expected a non-empty text');
  return value.trim();
}

function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function parseTimestamp(value: string): string {
  const time = parseIsoTimestamp(value);
  if (time === undefined) throw new InvalidArgumentError('expected an ISO 8601 date and time');
  return time;
}

function parseBoolean(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidArgumentError('expected true or false');
  return value === 'true';
}

function parseInteger(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('expected an integer');
  return Number(value);
}

function parseVoiceIds(value: string): number[] {
  return value.trim() === '' ? [] : [...new Set(value.split(',').map((id) => parseInteger(id.trim())))];
}

function createJsonParser<S extends TSchema>(schema: S): (value: string) => Static<S> {
  return (value) => {
    let given: unknown;
    try {
      given = JSON.parse(value);
    } catch {
      throw new InvalidArgumentError('expected a JSON object');
    }
    const problems = Object.entries(findFieldErrors(schema, given));
    if (problems.length === 0) return given as Static<S>;
    throw new InvalidArgumentError(problems.map(([field, [problem]]) => `${field} ${problem}`).join('; '));
  };
}

function parseBitRate(value: string): number {
  const rate = BIT_RATES_KBPS.find((one) => String(one) === value);
  if (rate === undefined) {
    throw new InvalidArgumentError(`expected one of ${BIT_RATES_KBPS.join(', ')}`);
  }
  return rate;
}
