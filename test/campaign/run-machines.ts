import { openBucket } from '../../src/audio/media/bucket.ts';
import { readConfig } from '../../src/config.ts';
import { readRows } from '../api/stored-rows.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { buildVersion, createNextVersion } from '../fixtures/next-version.ts';
import { execute, query } from '../fixtures/postgres.ts';
import { runProcess } from '../fixtures/server.ts';
import type { Receiver } from '../fixtures/webhook-receiver.ts';
import { account } from './accounting.ts';
import { HonestClient } from './honest-client.ts';
import { Ledger } from './ledger.ts';
import { Listener } from './listener.ts';
import { Machines } from './machines.ts';
import { honestDomain, Publisher } from './publisher.ts';
import { createRandom, type Random } from './random.ts';
import { CampaignRecord } from './record.ts';
import type { CampaignOptions, CampaignResult } from './run-campaign.ts';
import { createSite, findVoiceIds, runJson, startWebhookReceiver } from './sites.ts';
import type { Supervisor } from './supervisor.ts';

const publisherCount = 3;
/** Transactions of a site run one after another, and each waits for the standby. */
const publishersPerSite = 3;
const listenerCount = 3;
const faultIntervalS = 20;
/** Clients that retry to publish after a promotion without a pause; the first accepted post counts. */
const probeCount = 5;
const probePauseMs = 50;
/** Longer than the silence after which other machines take over the audio of a machine. */
const zombieMs = 60_000;
/** Of the speakers at the same time. */
const maxZombies = 2;
/** Of the bucket; in a shorter campaign a sixth of it, or half of it without other faults. */
const maxOutageMs = 600_000;
const startTimeoutMs = 600_000;
const maxWaitAfterOutageMs = 600_000;
/** While the bucket is away, and everything else is there. */
const maxRequestMs = 10_000;
const pollPauseMs = 500;

const settings = {
  LECTERN_LOG_LEVEL: 'warn',
  LECTERN_TRUSTED_PROXIES: '127.0.0.1',
  LECTERN_WEBHOOK_ALLOW: '127.0.0.1',
  LECTERN_WEBHOOK_RETRY_S: Array.from({ length: 40 }, () => 1).join(','),
};

interface Stage extends CampaignOptions {
  readonly record: CampaignRecord;
  readonly machines: Machines;
}

interface FaultStage extends Stage {
  readonly probes: readonly Publisher[];
}

/** Several machines under failures of every part, then a rolling upgrade and back, then a comparison of all posts. */
export async function runMachineCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { seed, command, write } = options;
  setPostgres({ query, execute });
  const record = new CampaignRecord(write);
  const receiver = startWebhookReceiver(seed);
  const machines = await Machines.start({ record, command, env: settings });
  try {
    await abuse({ ...options, record, machines }, receiver);
  } finally {
    await machines.stop();
    await Promise.all([machines.remove(), receiver.stop()]);
  }
  return { record, samples: machines.all.flatMap(({ samples }) => samples) };
}

async function abuse(stage: Stage, receiver: Receiver): Promise<void> {
  const { seed, minutes, record, machines, command, rate = publisherCount } = stage;
  const { voiceId, slowVoiceId } = await findVoiceIds(machines.data);
  const sites = await createSites(machines.data, Math.ceil(rate / publishersPerSite), voiceId, receiver.url);
  const [site] = sites;
  let isAbuseOver = false;
  const createClientOptions = (name: string, address: string, { ledger, key, domain } = site) => ({
    ...{ name, ledger, domain, record, isOver: () => isAbuseOver, random: createRandom(seed, name) },
    client: new HonestClient(machines, record, key, address),
  });
  const startS = record.elapsedS;
  const clients = [
    ...Array.from({ length: rate }, (_, index) =>
      new Publisher({
        ...createClientOptions(`publisher-${index + 1}`, `198.51.100.${index + 1}`, sites[index % sites.length]),
        ...{ voiceId, slowVoiceId, isHurried: stage.rate !== undefined },
      }).run(),
    ),
    ...Array.from({ length: listenerCount }, (_, index) =>
      new Listener(createClientOptions(`listener-${index + 1}`, `203.0.113.${index + 101}`)).run(),
    ),
  ];
  const probes = Array.from({ length: probeCount }, (_, index) => {
    const address = `203.0.113.${index + 201}`;
    const probe = new HonestClient(machines, record, site.key, address, probePauseMs);
    return new Publisher({
      ...createClientOptions(`probe-${index + 1}`, address),
      client: probe,
      voiceId,
      slowVoiceId: voiceId,
    });
  });
  const isPlayed = () => record.counts.has('audios played') && record.counts.has('audios checked');
  await eventually(isPlayed, 'audio is played', startTimeoutMs);
  const untilS = record.elapsedS + minutes * 60;
  await causeBucketOutages(stage);
  await causeFaults({ ...stage, probes }, untilS);
  if (isWanted(stage, upgradeName)) await upgradeAndDowngrade(stage);
  const acceptedCount = ['posts accepted', 'corrections accepted'].reduce(
    (sum, name) => sum + (record.counts.get(name) ?? 0),
    0,
  );
  const perSecond = acceptedCount / (record.elapsedS - startS);
  record.note(`end of the abuse: ${acceptedCount} posts and corrections accepted, ${perSecond.toFixed(1)} a second`);
  isAbuseOver = true;
  await Promise.all(clients);
  await account({
    ...{ supervisor: machines, record, receiver, command, honest: sites },
    createClient: ({ key }) => new HonestClient(machines, record, key, '203.0.113.250'),
  });
  await accountForObjects(stage);
}

async function createSites(data: string, count: number, voiceId: number, receiverUrl: string) {
  const create = async (domain: string) => {
    const site = await createSite(data, `Site ${domain}`, domain, voiceId);
    await runJson(data, 'webhook', 'create', '--site', `${site.siteId}`, '--url', `${receiverUrl}/hooks`);
    return { ...site, domain, ledger: new Ledger(), hasWebhook: true };
  };
  const first = await create(honestDomain);
  const others: (typeof first)[] = [];
  while (others.length < count - 1) others.push(await create(`site-${others.length + 2}.example`));
  return [first, ...others] as const;
}

const isWanted = ({ only = '' }: CampaignOptions, name: string): boolean => name.includes(only);

/** Causes faults in sequence until the end; each kind occurs before any is repeated. */
async function causeFaults(stage: FaultStage, untilS: number): Promise<void> {
  const { seed, record } = stage;
  const random = createRandom(seed, 'faults of machines');
  const zombies = new Map<Supervisor, Promise<void>>();
  const kinds = createFaults(stage, random, zombies);
  let bag: (keyof typeof kinds)[] = [];
  for (;;) {
    await Bun.sleep(random.between(0.5, 1.5) * faultIntervalS * 1_000);
    if (record.elapsedS > untilS) break;
    if (bag.length === 0) bag = (Object.keys(kinds) as typeof bag).filter((kind) => isWanted(stage, kind));
    const [kind] = bag.splice(random.integer(0, bag.length - 1), 1);
    if (kind === undefined) continue;
    record.recordFault(kind);
    await kinds[kind]();
  }
  await Promise.all(zombies.values());
}

function createFaults(
  { machines, record, probes }: FaultStage,
  random: Random,
  zombies: Map<Supervisor, Promise<void>>,
) {
  const stopSpeaker = async (): Promise<void> => {
    if (zombies.size >= maxZombies) await Promise.race(zombies.values());
    const speaker = pickSpeaker();
    const continued = stopForAWhile(speaker).finally(() => zombies.delete(speaker));
    // Other faults occur meanwhile.
    zombies.set(speaker, continued);
  };
  const pickSpeaker = () => pick(machines.speakers.filter((speaker) => !zombies.has(speaker)));
  const pick = (all: readonly Supervisor[]): Supervisor => random.pick(all as [Supervisor, ...Supervisor[]]);
  const failOver = async (): Promise<void> => {
    const publishing: Promise<void>[] = [];
    const publishOne = (): Promise<void> => {
      publishing.push(...probes.map((probe) => probe.publish()));
      return Promise.any(publishing);
    };
    record.measure('first 202 after the promotion', await machines.failOver(publishOne));
    await Promise.all(publishing);
  };
  return {
    'kill -9 of a server': () => pick(machines.servers).restart('SIGKILL'),
    'kill -9 of a speaker': () => pickSpeaker().restart('SIGKILL'),
    'kill -9 of another speaker': () => pickSpeaker().restart('SIGKILL'),
    'SIGTERM of a speaker': () => pickSpeaker().restart('SIGTERM'),
    'SIGTERM of a server': () => pick(machines.servers).restart('SIGTERM'),
    'kill -9 of a worker': async () => {
      const [worker] = pickSpeaker().workers;
      if (worker !== undefined) process.kill(worker, 'SIGKILL');
    },
    'SIGSTOP of a speaker for 60 s': stopSpeaker,
    'SIGSTOP of another speaker for 60 s': stopSpeaker,
    'SIGSTOP of a third speaker for 60 s': stopSpeaker,
    'SIGSTOP of a fourth speaker for 60 s': stopSpeaker,
    'loss of the primary, promotion': failOver,
    'loss of the next primary, promotion': failOver,
    'kill -9 of the bucket': () => machines.swift.restart(),
    'a bucket that hangs': async () => {
      machines.swift.signal('SIGSTOP');
      await Bun.sleep(random.between(5_000, 40_000));
      machines.swift.signal('SIGCONT');
    },
    'no standby': () => machines.stopStandby(random.between(2_000, 30_000)),
    'no network to the database': () => machines.stopNetwork(random.between(2_000, 20_000)),
  };
}

/** The bucket is away, then it hangs. Measures how long afterwards all posts that waited for it are ready. */
async function causeBucketOutages(stage: Stage): Promise<void> {
  const { machines, record, minutes, only } = stage;
  const outageMs = Math.min(maxOutageMs, (minutes * 60_000) / (only === undefined ? 6 : 2));
  const kinds = {
    'no bucket for long': () => machines.swift.restart(outageMs),
    'a bucket that hangs for long': async () => {
      machines.swift.signal('SIGSTOP');
      await Bun.sleep(outageMs);
      machines.swift.signal('SIGCONT');
    },
  };
  for (const [name, cause] of Object.entries(kinds)) {
    if (!isWanted(stage, name)) continue;
    record.recordFault(name);
    record.phase = { name, maxMs: maxRequestMs, unavailable: /^MP3/ };
    await cause();
    record.phase = undefined;
    const returnedMs = performance.now();
    const waiting = listUnfinished(machines);
    record.note(`the bucket is back; ${waiting.size} audios wait`);
    while (waiting.intersection(listUnfinished(machines)).size > 0) {
      await Bun.sleep(pollPauseMs);
      if (performance.now() < returnedMs + maxWaitAfterOutageMs) continue;
      record.recordViolation(
        `audios that waited for the bucket are unfinished ${maxWaitAfterOutageMs / 60_000} minutes later`,
      );
      break;
    }
    record.measure('all ready after the bucket is back', performance.now() - returnedMs);
  }
}

/** @returns id and revision of each unfinished audio */
function listUnfinished({ data }: Machines): Set<string> {
  const rows = readRows<{ id: number; revision: number }>(
    data,
    `select id, revision from audio where status in ('pending', 'generating')`,
  );
  return new Set(rows.map(({ id, revision }) => `${id} ${revision}`));
}

async function stopForAWhile({ server: { process } }: Supervisor): Promise<void> {
  process.kill('SIGSTOP');
  await Bun.sleep(zombieMs);
  process.kill('SIGCONT');
}

const upgradeName = 'rolling upgrade and back';

/** Upgrades each machine in turn to a version that only adds to the schema, then returns to the earlier one. */
async function upgradeAndDowngrade({ machines, record, command }: Stage): Promise<void> {
  const source = createNextVersion(
    [
      'create table next_note (id integer primary key, note text not null) strict',
      'alter table audio add column next_rating integer not null default 0',
    ],
    true,
  );
  const next = await buildVersion(source);
  record.recordFault(upgradeName);
  record.phase = { name: upgradeName, mustSucceed: true };
  const migrated = await runProcess(['migrate', '--data', machines.data], { command: next });
  if (migrated.code !== 0) record.recordViolation(`migrate: ${migrated.stderr}`);
  for (const version of [next, command]) {
    for (const machine of machines.all) {
      machine.command = version;
      await machine.restart('SIGTERM');
    }
    record.recordFault('all machines replaced');
  }
  record.phase = undefined;
}

/** An hour later the objects of interrupted uploads are gone: each object of the bucket belongs to an audio. */
async function accountForObjects({ machines: { data }, record }: Stage): Promise<void> {
  const bucket = openBucket(readConfig({ data }, {}));
  if (bucket === undefined) throw new Error('no bucket');
  const list = () =>
    readRows<{ key: string; state: string }>(data, `select key, state from object where key like 'sound/%'`);
  record.count('objects of interrupted uploads', list().filter(({ state }) => state === 'writing').length);
  const hourAgo = new Date(Date.now() - 61 * 60_000).toISOString();
  changeRows(data, `update object set changed_at = ? where state = 'writing'`, hourAgo);
  await eventually(() => list().every(({ state }) => state === 'live'), 'the objects without audio are deleted');
  const live = new Set(list().map(({ key }) => key));
  const stored = new Set(await Array.fromAsync(bucket.list('sound/'), ({ key }) => key));
  record.count('objects an hour later', stored.size);
  for (const key of stored.difference(live)) record.recordViolation(`the object ${key} belongs to no audio`);
  for (const key of live.difference(stored)) record.recordViolation(`the object ${key} is missing`);
}
