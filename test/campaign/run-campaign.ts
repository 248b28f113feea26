import { join } from 'node:path';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';
import type { Receiver } from '../fixtures/webhook-receiver.ts';
import type { FrozenFacts } from '../upgrade/frozen-folder.ts';
import { account } from './accounting.ts';
import { accountForEarlierBuild, startFromEarlierBuild } from './earlier-build.ts';
import { Faults, planFaults } from './faults.ts';
import { HonestClient } from './honest-client.ts';
import { runHostileClients } from './hostile-clients.ts';
import { runHostilePoster } from './hostile-posts.ts';
import { type HonestSite, type HostileSite, Ledger } from './ledger.ts';
import { Listener } from './listener.ts';
import { Newsfeed } from './newsfeed.ts';
import { honestDomain, Publisher } from './publisher.ts';
import { createRandom } from './random.ts';
import { CampaignRecord } from './record.ts';
import { findGrowthProblems } from './report.ts';
import { createSite, findVoiceIds, runJson, startWebhookReceiver } from './sites.ts';
import { type Sample, Supervisor, setClock } from './supervisor.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly minutes: number;
  /** The program; default: from source. */
  readonly command?: readonly string[];
  /** With several machines: only faults whose name contains this. */
  readonly only?: string | undefined;
  /** With several machines: accepted posts and corrections a second; default: those of a few unhurried publishers. */
  readonly rate?: number | undefined;
  /** Receives a line for each event. */
  readonly write: (line: string) => void;
}

export interface CampaignResult {
  readonly record: CampaignRecord;
  readonly samples: readonly Sample[];
}

const diskBytes = 4 * 1024 ** 3;
/** Fewer in a short campaign, as the final comparison of all posts takes time. */
const countPublishers = (minutes: number): number => (minutes < 10 ? 5 : 10);
const listenerCount = 5;
const hostileDomain = 'hostile.example';

/** Expensive if attributes are compared with each of them. */
const hostileSelectors = Array.from(
  { length: 40 },
  (_, list) => `:is(${Array.from({ length: 40 }, (_, index) => `[q~=z${list}${index}]`).join(',')})`,
);

/** The sites of the campaign. */
interface Sites {
  /** Site of a CMS, with a webhook. */
  readonly honest: HonestSite;
  /** Site whose posts come from a feed. */
  readonly takesFeed: HonestSite;
  readonly hostile: HostileSite;
  /** Site of an earlier build, with unfinished posts. */
  readonly frozen: FrozenFacts;
}

/** One server under abuse, with its clients and their record. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { seed, command, write } = options;
  const record = new CampaignRecord(write);
  const disk = mountSmallDisk(diskBytes);
  const receiver = startWebhookReceiver(seed);
  const newsfeed = new Newsfeed();
  const clockFile = join(createTemporaryFolder(), 'clock');
  setClock(clockFile, 0);
  try {
    const data = join(disk.path, 'data');
    const frozen = await startFromEarlierBuild({
      ...{ data, record, command, random: createRandom(seed, 'earlier build'), webhookUrl: `${receiver.url}/frozen` },
    });
    const sites = { ...(await createSites(data, receiver, newsfeed)), frozen };
    const supervisor = new Supervisor({
      ...{ command, data, record, clockFile },
      key: sites.honest.key,
      env: serverSettings,
      mayFailToStart: () => faults.isDiskFull,
    });
    const faults: Faults = new Faults({ supervisor, record, disk, clockFile, command });
    await supervisor.start();
    try {
      await abuse({ ...options, record, supervisor, faults, receiver, newsfeed, sites });
    } finally {
      const code = await supervisor.stop();
      record.note(`the server ended with ${code}`);
    }
    return { record, samples: supervisor.samples };
  } finally {
    await Promise.all([receiver.stop(), newsfeed.stop()]);
    disk.remove();
  }
}

/** Raises limits that many clients on one machine would reach, and shortens waits. */
const serverSettings = {
  LECTERN_LOG_LEVEL: 'warn',
  LECTERN_TRUSTED_PROXIES: '127.0.0.1',
  LECTERN_RATE_FAILURES: '30',
  LECTERN_RATE_EVENTS: '1000',
  LECTERN_WORKER_DEADLINE_S: '30',
  LECTERN_OLD_AUDIO_HOURS: '1',
  LECTERN_UNUSED_SEGMENT_HOURS: '1',
  LECTERN_FEED_ALLOW: '127.0.0.1',
  LECTERN_FEED_PAUSE_S: '0',
  LECTERN_FEED_POSTS_PER_DAY: '100000',
  LECTERN_WEBHOOK_ALLOW: '127.0.0.1',
  LECTERN_WEBHOOK_RETRY_S: Array.from({ length: 40 }, () => 1).join(','),
};

interface Stage extends CampaignOptions {
  readonly record: CampaignRecord;
  readonly supervisor: Supervisor;
  readonly faults: Faults;
  readonly receiver: Receiver;
  readonly newsfeed: Newsfeed;
  readonly sites: Sites;
}

async function abuse(stage: Stage): Promise<void> {
  const { seed, minutes, record, supervisor, faults, receiver, newsfeed, sites, command } = stage;
  const { honest, takesFeed, hostile, frozen } = sites;
  const [startS, lengthS] = [record.elapsedS, minutes * 60];
  await setHostileSelectors(supervisor, hostile.siteId);
  let isAbuseOver = false;
  const isOver = (): boolean => isAbuseOver;
  const clients = [
    ...(await startHonestClients(stage, isOver)),
    newsfeed.run(supervisor, takesFeed, createRandom(seed, 'newsfeed'), isOver),
    ...startHostileClients(stage, isOver),
  ];
  await faults.run(planFaults(seed, lengthS).map((fault) => ({ ...fault, atS: fault.atS + startS })));
  await Bun.sleep(Math.max(0, startS + lengthS - record.elapsedS) * 1_000);
  record.note('end of the abuse');
  isAbuseOver = true;
  await Promise.all(clients);
  await newsfeed.finish(supervisor, takesFeed.siteId).catch((error: Error) => record.recordViolation(error.message));
  await account({
    ...{ supervisor, record, receiver, command, hostile, honest: [honest, takesFeed] },
    createClient: ({ key }) => new HonestClient(supervisor, record, key, '203.0.113.250'),
  });
  await accountForEarlierBuild(supervisor, record, frozen);
  for (const problem of findGrowthProblems(supervisor.samples)) record.recordViolation(problem);
}

async function startHonestClients(
  { seed, minutes, record, supervisor, sites }: Stage,
  isOver: () => boolean,
): Promise<Promise<void>[]> {
  const { ledger, key } = sites.honest;
  const voices = await findVoiceIds(supervisor.data);
  const createClientOptions = (name: string, address: string) => ({
    ...{ name, ledger, record, isOver, random: createRandom(seed, name) },
    client: new HonestClient(supervisor, record, key, address),
  });
  return [
    ...Array.from({ length: countPublishers(minutes) }, (_, index) =>
      new Publisher({ ...createClientOptions(`publisher-${index + 1}`, `203.0.113.${index + 1}`), ...voices }).run(),
    ),
    ...Array.from({ length: listenerCount }, (_, index) =>
      new Listener(createClientOptions(`listener-${index + 1}`, `203.0.113.${index + 101}`)).run(),
    ),
  ];
}

function startHostileClients({ seed, record, supervisor, sites }: Stage, isOver: () => boolean): Promise<void>[] {
  const site = sites.hostile;
  const getUrl = (): string => supervisor.url;
  return [
    runHostilePoster({ url: getUrl, site, record, random: createRandom(seed, 'hostile posts'), isOver }),
    runHostileClients({
      ...{ url: getUrl, key: site.key, domain: hostileDomain, record, isOver },
      random: createRandom(seed, 'hostile clients'),
    }),
  ];
}

async function createSites(data: string, receiver: Receiver, newsfeed: Newsfeed): Promise<Omit<Sites, 'frozen'>> {
  const { voiceId } = await findVoiceIds(data);
  const honest = await createSite(data, 'Honest', honestDomain, voiceId);
  const takesFeed = await createSite(data, 'Fed', 'fed.example', voiceId);
  const hostile = await createSite(data, 'Hostile', hostileDomain, voiceId);
  await runJson(data, 'webhook', 'create', '--site', `${honest.siteId}`, '--url', `${receiver.url}/hooks`);
  const site = ['--site', `${takesFeed.siteId}`];
  const { id } = await runJson(data, 'source', 'add', newsfeed.url, ...site, '--backfill', '100');
  newsfeed.sourceId = Number(id);
  return {
    honest: { ...honest, ledger: new Ledger(), hasWebhook: true },
    takesFeed: { ...takesFeed, ledger: new Ledger(), hasWebhook: false },
    hostile: { ...hostile, posts: new Map() },
  };
}

async function setHostileSelectors({ url, data }: Supervisor, siteId: number): Promise<void> {
  const { editor } = createSiteUsers({ url, data }, siteId);
  const path = `/v1/sites/${siteId}`;
  const { status, message } = await editor.request('PATCH', path, { reading: { leave_out: hostileSelectors } });
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
}
