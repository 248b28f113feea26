import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDefaultVoice } from '../fixtures/default-voice.ts';
import { type Haproxy, startHaproxy, startLoadBalancer } from '../fixtures/haproxy.ts';
import { createDatabase, PostgresServer } from '../fixtures/postgres.ts';
import { findFreePort } from '../fixtures/processes.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { type Swift, startSwift } from '../fixtures/swift.ts';
import type { CampaignRecord } from './record.ts';
import { type Installation, type Outage, Supervisor } from './supervisor.ts';

const serveCount = 2;
const speakCount = 4;
/** Longer than HAProxy takes to notice that a server stops, as in `deploy`. */
const stopDelayS = 5;
/** Recovery time of all machines after the database returns, on a busy one. */
const reconnectMs = 20_000;

interface MachinesOptions {
  readonly record: CampaignRecord;
  readonly command: readonly string[] | undefined;
  readonly env: Record<string, string>;
}

/** Two servers behind HAProxy and four speakers, on PostgreSQL with a synchronous standby, behind HAProxy, and a bucket of Swift. */
export class Machines implements Installation {
  readonly data: string;
  /** Of the load balancer. */
  readonly url: string;
  readonly servers: readonly Supervisor[];
  readonly speakers: readonly Supervisor[];
  readonly haproxy: Haproxy;
  readonly swift: Swift;
  readonly #record: CampaignRecord;
  #primary: PostgresServer;
  #standby: PostgresServer;
  failoverCount = 0;
  /** Of the database. */
  readonly #outages: Outage[] = [];
  #loadBalancer: { stop(): Promise<void> } | undefined;

  private constructor(
    { record, command, env }: MachinesOptions,
    {
      primary,
      standby,
      haproxy,
      swift,
    }: { primary: PostgresServer; standby: PostgresServer; haproxy: Haproxy; swift: Swift },
    settings: string,
  ) {
    this.#record = record;
    this.#primary = primary;
    this.#standby = standby;
    this.haproxy = haproxy;
    this.swift = swift;
    const folders = Array.from({ length: serveCount + speakCount }, () => {
      const folder = createTemporaryFolder();
      writeFileSync(join(folder, 'lectern.toml'), settings, { mode: 0o600 });
      return folder;
    });
    const [data = ''] = folders;
    this.data = data;
    this.url = `http://127.0.0.1:${findFreePort()}`;
    const supervise = (role: 'serve' | 'speak') => (folder: string) =>
      new Supervisor({
        ...{ command, data: folder, key: 'none', record, clockFile: undefined, role },
        env: {
          ...env,
          LECTERN_BASE_URL: this.url,
          LECTERN_STOP_DELAY_S: `${stopDelayS}`,
          LECTERN_SYNTHESIS: role === 'serve' ? 'off' : 'on',
          LECTERN_VOICES: join(data, 'voices'),
        },
        mayFailToStart: () => this.#wasDatabaseAway(performance.now(), performance.now()),
      });
    this.servers = folders.slice(0, serveCount).map(supervise('serve'));
    this.speakers = folders.slice(serveCount).map(supervise('speak'));
  }

  static async start(options: MachinesOptions): Promise<Machines> {
    const swift = await startSwift();
    const { env } = await swift.createBucket();
    const primary = new PostgresServer();
    const standby = new PostgresServer(primary);
    const haproxy = await startHaproxy([primary, standby]);
    primary.waitForStandby(true);
    const settings = {
      database: haproxy.getAddressThrough(createDatabase(primary.address)),
      ...{
        sound: env['LECTERN_SOUND'],
        sound_key: env['LECTERN_SOUND_KEY'],
        sound_secret: env['LECTERN_SOUND_SECRET'],
      },
      object_grace_days: '0',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = "${value}"\n`);
    const machines = new Machines(options, { primary, standby, haproxy, swift }, lines.join(''));
    await addDefaultVoice(machines.data);
    for (const machine of machines.all) await machine.start();
    const urls = machines.servers.map(({ url }) => url);
    machines.#loadBalancer = await startLoadBalancer(machines.url, urls);
    return machines;
  }

  get all(): readonly Supervisor[] {
    return [...this.servers, ...this.speakers];
  }

  /** Live streams and starts of machines also fail without the database. */
  wasDown(fromMs: number, toMs: number): boolean {
    return this.#wasDatabaseAway(fromMs, toMs) || this.servers.some((server) => server.wasDown(fromMs, toMs));
  }

  /**
   * Simulates a power loss of the primary, promotes the standby, and gives it a new standby.
   * @param publish resolves when a post is accepted
   * @returns milliseconds from the promotion to the first accepted post
   */
  failOver(publish: () => Promise<void>): Promise<number> {
    return this.#withoutDatabase(async () => {
      const [lost, next] = [this.#primary, this.#standby];
      this.failoverCount += 1;
      await lost.kill();
      next.promote();
      const promotedMs = performance.now();
      await publish();
      const passedMs = performance.now() - promotedMs;
      [this.#primary, this.#standby] = [next, lost];
      lost.follow(next);
      next.waitForStandby(true);
      return passedMs;
    });
  }

  /** No post is accepted meanwhile. */
  stopStandby(durationMs: number): Promise<void> {
    return this.#withoutDatabase(async () => {
      this.#standby.stop('immediate');
      await Bun.sleep(durationMs);
      this.#standby.start();
    });
  }

  stopNetwork(durationMs: number): Promise<void> {
    return this.#withoutDatabase(async () => {
      this.haproxy.signal('SIGSTOP');
      await Bun.sleep(durationMs);
      this.haproxy.signal('SIGCONT');
    });
  }

  async #withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
    const outage = { fromMs: performance.now(), toMs: Infinity };
    this.#outages.push(outage);
    try {
      return await work();
    } finally {
      outage.toMs = performance.now() + reconnectMs;
    }
  }

  #wasDatabaseAway(fromMs: number, toMs: number): boolean {
    return this.#outages.some((outage) => outage.fromMs <= toMs && outage.toMs >= fromMs);
  }

  async stop(): Promise<void> {
    const codes = await Promise.all(this.all.map((machine) => machine.stop()));
    this.#record.note(`the machines ended with ${codes.join(', ')}`);
  }

  async remove(): Promise<void> {
    await Promise.all([this.#loadBalancer?.stop(), this.haproxy.stop(), this.swift.stop()]);
    for (const server of [this.#primary, this.#standby]) server.remove();
  }
}
