import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Plan, Subscription } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { readTimestamp } from '../http/timestamp.ts';
import {
  findSite,
  insertSite,
  listSites,
  type SiteWithDomains,
  updateSite,
} from '../sites/store.ts';
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
  readonly plan?: Plan;
  readonly subscription?: Subscription;
  readonly active?: boolean;
  readonly trialEnds?: string;
  readonly defaultVoice?: number;
  readonly allowSwitch?: boolean;
}

/** `lectern site create|list|show|update` */
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
      .action(update),
  );
  return site;
}

async function create(options: CreateOptions): Promise<void> {
  const site = await withDatabase(options, (database) =>
    database.write((db) =>
      insertSite(db, {
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
  print(options.json, sites.map(shownSite), () =>
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
      if (voiceId !== undefined && !(await listVoices(db)).some((voice) => voice.id === voiceId)) {
        throw new AppError('not_found', `There is no voice ${voiceId}`);
      }
      return updateSite(db, id, {
        plan: options.plan,
        subscription: options.subscription,
        active: options.active,
        trialEndsAt: options.trialEnds,
        defaultVoiceId: voiceId,
        allowSwitch: options.allowSwitch,
      });
    }),
  );
  printSite(options, site);
}

function printSite(options: CommonOptions, site: SiteWithDomains): void {
  print(options.json, shownSite(site), () =>
    Object.entries(shownSite(site))
      .map(
        ([name, value]) =>
          `${name.padEnd(18)} ${Array.isArray(value) ? value.join(', ') : (value ?? '-')}`,
      )
      .join('\n'),
  );
}

function shownSite(site: SiteWithDomains) {
  const { active, allow_switch, timings_text, extra_voices, ...rest } = site;
  return {
    ...rest,
    active: active === 1,
    allow_switch: allow_switch === 1,
    timings_text: timings_text === 1,
    extra_voices: JSON.parse(extra_voices) as number[],
  };
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
