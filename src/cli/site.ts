import type { Static, TSchema } from '@sinclair/typebox';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { normalizeDomain } from '../auth/domain-access.ts';
import type { Queries } from '../database/open.ts';
import type { Plan, Subscription } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { problemsOf, readTimestamp } from '../http/validation.ts';
import { FeedChanges } from '../sites/feed-settings.ts';
import type { SiteRecord } from '../sites/schema.ts';
import { addSite, changeDomains, changeSite } from '../sites/site-changes.ts';
import {
  addDomain,
  findSite,
  listSites,
  makePrimary,
  removeDomain,
  type SiteWithDomains,
  siteRecord,
} from '../sites/store.ts';
import { BIT_RATES_KBPS } from '../speech/encode/mp3.ts';
import { ReadingChanges } from '../speech/narration-settings.ts';
import { listVoices } from '../voices/store.ts';
import { type CommonOptions, command, group, withDatabase } from './commands.ts';
import { print, table } from './output.ts';

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly domain: string[];
  readonly plan: Plan;
  readonly trialEnds?: string;
}

interface UpdateOptions extends CommonOptions {
  readonly name?: string;
  readonly extraVoices?: number[];
  readonly bitRate?: number;
  readonly timingsText?: boolean;
  readonly reading?: ReadingChanges;
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
  const plan = () =>
    new Option('--plan <plan>', 'plan tier').choices(['starter', 'growth', 'enterprise']);
  const site = group('site', 'sites: who may have posts spoken');
  site.addCommand(
    command('create', 'add a site')
      .requiredOption('--name <name>', 'display name', nonEmpty)
      .requiredOption('--domain <host>', 'host name; may be repeated', gather)
      .addOption(plan().default('enterprise'))
      .option('--trial-ends <iso>', 'the subscription is a trial until then', timestamp)
      .action(create),
  );
  site.addCommand(command('list', 'all sites').action(list));
  site.addCommand(command('show', 'one site').argument('<site>', 'id or slug').action(show));
  site.addCommand(
    command('update', 'change a site')
      .argument('<site>', 'id or slug')
      .option('--name <name>', 'display name', nonEmpty)
      .addOption(plan())
      .addOption(
        new Option('--subscription <state>', 'state of the subscription').choices([
          'active',
          'trialing',
          'inactive',
        ]),
      )
      .option('--active <true|false>', 'whether the site is served at all', yesOrNo)
      .option('--trial-ends <iso>', 'end of the trial', timestamp)
      .option('--default-voice <id>', 'voice of posts that name none', wholeNumber)
      .option('--allow-switch <true|false>', 'whether listeners may switch voices', yesOrNo)
      .option('--extra-voices <ids>', 'voices to switch to, like 2,5; none: ""', voiceIds)
      .option('--bit-rate <kbps>', `one of ${BIT_RATES_KBPS.join(', ')}`, bitRate)
      .option(
        '--timings-text <true|false>',
        'whether timings carry the text of each sentence',
        yesOrNo,
      )
      .option(
        '--reading <json>',
        'how articles are read out, like \'{"speed":1.1,"outro":"Thank you for listening."}\'; what is not named stays',
        jsonAs(ReadingChanges),
      )
      .option(
        '--feed <json>',
        'the podcast feed, like \'{"author":"Harbor News","category":"News"}\'; what is not named stays',
        jsonAs(FeedChanges),
      )
      .action(update),
  );
  site.addCommand(domainCommand());
  return site;
}

/** `lectern site domain add|remove|primary` */
function domainCommand(): Command {
  const domain = group('domain', 'host names by which public routes find a site');
  const ofDomain = (name: string, done: string, description: string, work: DomainWork) =>
    domain.addCommand(
      command(name, description)
        .argument('<site>', 'id or slug')
        .argument('<host>', 'host name')
        .action((site: string, host: string, options: CommonOptions) =>
          changeDomain(site, host, options, `domain.${done}`, work),
        ),
    );
  ofDomain('add', 'added', 'add a host name', addDomain);
  ofDomain('remove', 'removed', 'remove a host name; the last one stays', removeDomain);
  ofDomain('primary', 'primary', 'make a host name the primary one', makePrimary);
  return domain;
}

type DomainWork = (db: Queries, siteId: number, domain: string) => Promise<unknown>;

async function changeDomain(
  idOrSlug: string,
  host: string,
  options: CommonOptions,
  action: string,
  work: DomainWork,
): Promise<void> {
  const domain = normalizeDomain(host);
  const site = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, idOrSlug);
      await changeDomains(db, null, { siteId: id, action, domain }, () => work(db, id, domain));
      return findSite(db, String(id));
    }),
  );
  printSite(options, site);
}

async function create(options: CreateOptions): Promise<void> {
  const site = await withDatabase(options, (database) =>
    database.write((db) =>
      addSite(db, null, {
        name: options.name,
        domains: options.domain,
        plan: options.plan,
        trialEndsAt: options.trialEnds ?? null,
      }),
    ),
  );
  printSite(options, site);
}

async function list(options: CommonOptions): Promise<void> {
  const sites = await withDatabase(options, ({ read }) => listSites(read));
  print(options.json, sites.map(siteRecord), () =>
    table(
      sites.map(({ id, slug, plan, subscription, active, domains }) => ({
        id,
        slug,
        plan,
        subscription,
        active: active === 1,
        domains,
      })),
      'no site yet: lectern site create --name NAME --domain HOST',
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
      if (unknown !== undefined) throw new AppError('not_found', `There is no voice ${unknown}`);
      return changeSite(db, null, id, {
        plan: options.plan,
        subscription: options.subscription,
        active: options.active,
        trialEndsAt: options.trialEnds,
        defaultVoiceId: voiceId,
        allowSwitch: options.allowSwitch,
        name: options.name,
        extraVoices: options.extraVoices,
        bitRateKbps: options.bitRate,
        timingsText: options.timingsText,
        reading: options.reading,
        feed: options.feed,
      });
    }),
  );
  printSite(options, site);
}

function printSite(options: CommonOptions, site: SiteWithDomains): void {
  print(options.json, siteRecord(site), () =>
    Object.entries(siteRecord(site))
      .map(([name, value]) => `${name.padEnd(18)} ${shown(value)}`)
      .join('\n'),
  );
}

function shown(value: SiteRecord[keyof SiteRecord]): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

function nonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('expected a name');
  return value.trim();
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function timestamp(value: string): string {
  const time = readTimestamp(value);
  if (time === undefined) throw new InvalidArgumentError('expected an ISO 8601 date and time');
  return time;
}

function yesOrNo(value: string): boolean {
  if (value !== 'true' && value !== 'false')
    throw new InvalidArgumentError('expected true or false');
  return value === 'true';
}

function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('expected a whole number');
  return Number(value);
}

function voiceIds(value: string): number[] {
  return value.trim() === ''
    ? []
    : [...new Set(value.split(',').map((id) => wholeNumber(id.trim())))];
}

function jsonAs<S extends TSchema>(schema: S): (value: string) => Static<S> {
  return (value) => {
    let given: unknown;
    try {
      given = JSON.parse(value);
    } catch {
      throw new InvalidArgumentError('expected a JSON object');
    }
    const problems = Object.entries(problemsOf(schema, given));
    if (problems.length === 0) return given as Static<S>;
    throw new InvalidArgumentError(
      problems.map(([field, [problem]]) => `${field} ${problem}`).join('; '),
    );
  };
}

function bitRate(value: string): number {
  const rate = BIT_RATES_KBPS.find((one) => String(one) === value);
  if (rate === undefined) {
    throw new InvalidArgumentError(`expected one of ${BIT_RATES_KBPS.join(', ')}`);
  }
  return rate;
}
