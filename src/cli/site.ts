import type { Static, TSchema } from '@sinclair/typebox';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { normalizeDomain } from '../auth/domain-access.ts';
import type { Queries } from '../database/open.ts';
import type { Plan, Subscription } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { findFieldErrors, parseIsoTimestamp } from '../http/validation.ts';
import { FeedChanges } from '../sites/feed-settings.ts';
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
import {
  type CommonOptions,
  collectValues,
  createCommand,
  createGroup,
  listAction,
  parseInteger,
  withDatabase,
  writeDatabase,
  writeSite,
} from './command.ts';
import { printRecord } from './output.ts';

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
  const subscription = new Option('--subscription <state>', 'subscription status');
  return createGroup('site', 'manage sites', [
    createCommand('create', 'create a site')
      .requiredOption('--name <name>', 'display name', parseNonEmpty)
      .requiredOption('--domain <host>', 'host name; repeatable', collectValues)
      .addOption(plan().default('enterprise'))
      .option('--trial-ends <iso>', 'end of the trial; starts a trial subscription', parseTimestamp)
      .action(create),
    createCommand('list', 'list sites').action(list),
    createCommand('show', 'show a site').argument('<site>', 'id or slug').action(show),
    createCommand('update', 'update a site')
      .argument('<site>', 'id or slug')
      .option('--name <name>', 'display name', parseNonEmpty)
      .addOption(plan())
      .addOption(subscription.choices(['active', 'trialing', 'inactive']))
      .option('--active <true|false>', 'enable or disable the site', parseBoolean)
      .option('--trial-ends <iso>', 'end of the trial', parseTimestamp)
      .option('--default-voice <id>', 'default voice', parseInteger)
      .option('--allow-switch <true|false>', 'allow listeners to switch voices', parseBoolean)
      .option('--extra-voices <ids>', 'extra voices, for example 2,5; none: ""', parseVoiceIds)
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
    createGroup('domain', 'manage the domains of a site', [
      domainCommand('add', 'added', 'add a domain', addDomain),
      domainCommand('remove', 'removed', 'remove a domain; the last one cannot be removed', removeDomain),
      domainCommand('primary', 'primary', 'set the primary domain', setPrimaryDomain),
    ]),
  ]);
}

/** @param done the action as the audit log names it */
function domainCommand(
  name: string,
  done: string,
  description: string,
  change: (db: Queries, siteId: number, domain: string) => Promise<unknown>,
): Command {
  return createCommand(name, description)
    .argument('<site>', 'id or slug')
    .argument('<host>', 'host name')
    .action(async (idOrSlug: string, host: string, options: CommonOptions) => {
      const domain = normalizeDomain(host);
      const site = await writeSite({ ...options, site: idOrSlug }, async (db, { id }) => {
        const update = { siteId: id, action: `domain.${done}`, domain };
        await updateDomains(db, null, update, () => change(db, id, domain));
        return findSite(db, String(id));
      });
      printSite(options, site);
    });
}

async function create({ name, domain: domains, plan, trialEnds, ...options }: CreateOptions): Promise<void> {
  const site = { name, domains, plan, trial_ends_at: trialEnds ?? null };
  printSite(options, await writeDatabase(options, (db) => createSite(db, null, site)));
}

const list = listAction(
  async (db) => (await listSites(db)).map(toSiteRecord),
  ({ id, slug, plan, subscription, active, domains }) => ({ id, slug, plan, subscription, active, domains }),
  'No sites. Create one: lectern site create --name NAME --domain HOST',
);

async function show(idOrSlug: string, options: CommonOptions): Promise<void> {
  printSite(options, await withDatabase(options, ({ read }) => findSite(read, idOrSlug)));
}

async function update(idOrSlug: string, options: UpdateOptions): Promise<void> {
  const { defaultVoice: default_voice_id, bitRate: bit_rate_kbps, trialEnds: trial_ends_at, extraVoices } = options;
  const {
    plan,
    subscription,
    active,
    allowSwitch: allow_switch,
    name,
    timingsText: timings_text,
    reading,
    feed,
  } = options;
  const site = await writeSite({ ...options, site: idOrSlug }, async (db, { id }) => {
    const known = new Set((await listVoices(db)).map((voice) => voice.id));
    const named = [...(default_voice_id === undefined ? [] : [default_voice_id]), ...(extraVoices ?? [])];
    const unknown = named.find((id) => !known.has(id));
    if (unknown !== undefined) throw new AppError('not_found', `Voice ${unknown} not found`);
    return updateSite(db, null, id, {
      ...{ plan, subscription, active, trial_ends_at, name, reading, feed },
      ...{ default_voice_id, allow_switch, extra_voices: extraVoices, bit_rate_kbps, timings_text },
    });
  });
  printSite(options, site);
}

function printSite({ json }: CommonOptions, site: SiteWithDomains): void {
  printRecord(json, toSiteRecord(site));
}

function parseNonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('expected a non-empty text');
  return value.trim();
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
