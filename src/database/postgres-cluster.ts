import { hostname } from 'node:os';
import type pg from 'pg';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { version } from '../version.ts';
import type { Cluster, ClusterTopic } from './database.ts';
import type { MachineDescription } from './installation-schema.ts';
import { connectOnce, createSequence, lockServers, readSchemaVersion, tryLeaderLock } from './postgres-migrate.ts';
import { nameStatement } from './query-cache.ts';

const channel = 'lectern';
/** With the id of the machine. */
const connectionPrefix = 'lectern machine ';
const heartbeatIntervalMs = 1_000;
/** After which the audio of a machine is given to others: one that hangs, and one whose connection is gone. */
const maxSilenceS = 10;
const maxAbsenceS = 3;
const reconnectIntervalMs = 1_000;
const queryTimeoutMs = 5_000;
/** Items are sent together, as a notification costs a transaction. */
const sendDelayMs = 50;
/** PostgreSQL takes less than 8,000 bytes. */
const maxPayloadItems = 60;
/** Like `timestamp()`, by the clock of the database: the clocks of machines differ. */
const now = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const ago = (seconds: number) =>
  now.replace('clock_timestamp()', `(clock_timestamp() - interval '${seconds} seconds')`);
/** Another database of the server may have a machine of this id, too. */
const connectionOf = (id: string) =>
  `datname = current_database() and application_name = '${connectionPrefix}' || ${id}`;
/**
 * A machine that hangs may hold locks, as in the middle of a transaction: its connections end, too. The parameter is the
 * time since which this machine has sent heartbeats without a gap: before it, the others may have been cut off as well.
 */
const deleteSilentMachines = `with silent as (
    select id from machine where greatest(seen_at, $1) < ${ago(maxSilenceS)} or greatest(seen_at, $1) < ${ago(maxAbsenceS)}
      and not exists (select 1 from pg_stat_activity where ${connectionOf('machine.id')}) for update skip locked
  ), gone as (delete from machine where id in (select id from silent) returning id)
  select pg_terminate_backend(pid) from pg_stat_activity join gone on ${connectionOf('gone.id')}`;

interface Payload {
  readonly from: number;
  readonly items: readonly (readonly [topic: ClusterTopic, item: string])[];
}

/**
 * A machine on a PostgreSQL database, by a connection of its own: it holds the shared lock that keeps the schema, sends a
 * heartbeat, exchanges notifications, and tries to become the leader. While the connection is lost, nothing is written.
 */
export class PostgresCluster implements Cluster {
  readonly #address: string;
  readonly #machine: MachineDescription;
  readonly #log: Log | undefined;
  readonly #handlers = new Map<ClusterTopic, ((item: string) => void)[]>();
  readonly #leadershipHandlers: (() => void)[] = [];
  readonly #lossHandlers: (() => void)[] = [];
  readonly #restoreHandlers: (() => void)[] = [];
  /** By topic and item: equal ones are sent once. */
  readonly #outgoing = new Map<string, Payload['items'][number]>();
  /** Of heartbeats, notifications and the lock of the leader. */
  readonly #inSequence = createSequence();
  #client: pg.Client | undefined;
  #machineId: number | undefined;
  #heartbeat: Timer | undefined;
  /** The first and the last heartbeat since the last gap, by the clock of the database. */
  #heartbeatRange: { readonly since: string; readonly last: string } | undefined;
  #sending: Timer | undefined;
  #isLeader = false;
  #isDraining = false;
  #isReconnecting = false;
  #hasLeft = false;

  private constructor(address: string, machine: MachineDescription, log: Log | undefined) {
    this.#address = address;
    this.#machine = machine;
    this.#log = log;
  }

  /** @throws AppError `operation_failed`: the database cannot be reached, or its schema is changing */
  static async join(address: string, machine: MachineDescription, log: Log | undefined): Promise<PostgresCluster> {
    const cluster = new PostgresCluster(address, machine, log);
    await cluster.#connect();
    cluster.#scheduleBeat();
    return cluster;
  }

  get machineId(): number {
    if (this.#machineId === undefined) throw new Error('the machine has not joined');
    return this.#machineId;
  }

  /** Identifies the connections of this machine to the other machines. */
  get connectionName(): string {
    return `${connectionPrefix}${this.machineId}`;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  send(topic: ClusterTopic, item: string): void {
    this.#outgoing.set(`${topic} ${item}`, [topic, item]);
    this.#scheduleFlush();
  }

  /** Unless one is scheduled or running: like heartbeats, they wait for each other. */
  #scheduleFlush(): void {
    this.#sending ??= setTimeout(() => this.#inBackground(this.#flush()), sendDelayMs);
  }

  on(topic: ClusterTopic, handler: (item: string) => void): void {
    this.#handlers.getOrInsertComputed(topic, () => []).push(handler);
  }

  onLeadership(handler: () => void): void {
    this.#leadershipHandlers.push(handler);
  }

  /** @param handler called when the connection is lost, or the database does not answer any more */
  onLost(handler: () => void): void {
    this.#lossHandlers.push(handler);
  }

  onRestored(handler: () => void): void {
    this.#restoreHandlers.push(handler);
  }

  drain(): void {
    this.#isDraining = true;
    this.#inBackground(this.#beat());
  }

  /** @throws AppError `busy` while the connection is lost */
  requireMember(): void {
    if (this.#client === undefined) throw new AppError('busy', 'Database unavailable. Try again later.');
  }

  /** Other machines may then claim the audio of this one. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#isLeader = false;
    clearTimeout(this.#heartbeat);
    clearTimeout(this.#sending);
    await this.#flush();
    await this.#query('delete from machine where id = $1', [this.#machineId]);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = await connectOnce(this.#address, queryTimeoutMs);
    client.on('error', (error) => this.#log?.warn({ err: error }, 'database connection lost'));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ payload = '' }) => this.#receive(JSON.parse(payload) as Payload));
    try {
      await lockServers(client, this.#address, 'shared');
      await this.#requireSchema(client);
      await client.query(`listen ${channel}`);
      await this.#takeId(client);
      await client.query(`set application_name = '${this.connectionName}'`);
      // A heartbeat does not wait for a standby.
      await client.query('set synchronous_commit = off');
      if (this.#hasLeft) throw new Error('the machine has left');
    } catch (error) {
      await client.end();
      throw error;
    }
    this.#client = client;
    this.#heartbeatRange = undefined;
    await this.#beat();
  }

  /** While the connection was lost, nothing kept a newer version from changing the schema. */
  async #requireSchema(client: pg.Client): Promise<void> {
    try {
      await readSchemaVersion(client, this.#address);
    } catch (error) {
      if (!(error instanceof AppError) || this.#machineId === undefined) throw error;
      this.#log?.fatal({ err: error }, 'schema changed');
      process.exit(1);
    }
  }

  async #takeId(client: pg.Client): Promise<void> {
    if (this.#machineId !== undefined) return;
    const { rows } = await client.query(`select nextval(pg_get_serial_sequence('machine', 'id'))::int as id`);
    this.#machineId = (rows[0] as { id: number }).id;
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isLeader = false;
    if (this.#hasLeft) return;
    for (const handler of this.#lossHandlers) handler();
    this.#inBackground(this.#reconnect());
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.#log?.error({ err: error }, 'cluster failed'));
  }

  /** The connection may be lost again before the loop ends: two loops would keep a connection each, with its locks. */
  async #reconnect(): Promise<void> {
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    while (this.#client === undefined && !this.#hasLeft) {
      await Bun.sleep(reconnectIntervalMs);
      try {
        await this.#connect();
        if (this.#client === undefined) continue;
        this.#log?.info('database connection restored');
        for (const handler of this.#restoreHandlers) handler();
      } catch (error) {
        this.#log?.debug({ err: error }, 'connecting to the database failed');
      }
    }
    this.#isReconnecting = false;
  }

  /** One after the other: on a slow database, waiting heartbeats would exceed the timeout and end the connection. */
  #scheduleBeat(): void {
    if (this.#hasLeft) return;
    const beat = (): void => this.#inBackground(this.#beat().finally(() => this.#scheduleBeat()));
    this.#heartbeat = setTimeout(beat, heartbeatIntervalMs);
  }

  /** The row may be gone: others delete it after a silence, such as a lost connection. */
  async #beat(): Promise<void> {
    const { role, workerCount, generates } = this.#machine;
    const description = [`${hostname()}:${process.pid}`, role, version, workerCount, Number(generates)];
    const [beat] = await this.#query<{ seen_at: string }>(
      `insert into machine (id, name, role, version, worker_count, generates, is_draining, started_at, seen_at)
        values ($1, $2, $3, $4, $5, $6, $7, ${now}, ${now})
        on conflict (id) do update set is_draining = excluded.is_draining, seen_at = excluded.seen_at
        returning seen_at`,
      [this.#machineId, ...description, Number(this.#isDraining)],
    );
    if (beat === undefined) return;
    await this.#query(deleteSilentMachines, [this.#recordHeartbeat(beat.seen_at)]);
    const client = this.#client;
    if (client === undefined || this.#machine.role !== 'serve' || this.#isLeader || this.#hasLeft) return;
    const isLeader = await this.#inSequence(() => tryLeaderLock(client)).catch(() => false);
    if (!isLeader || this.#client !== client) return;
    this.#isLeader = true;
    this.#log?.info({ machine: this.#machineId }, 'this machine runs the jobs of the installation');
    for (const handler of this.#leadershipHandlers) handler();
  }

  /** @returns the time since which heartbeats were sent without a gap, such as a suspension of this machine */
  #recordHeartbeat(at: string): string {
    const { since, last } = this.#heartbeatRange ?? { since: at, last: at };
    const isGap = Date.parse(at) - Date.parse(last) > maxSilenceS * 1_000;
    this.#heartbeatRange = { since: isGap ? at : since, last: at };
    return this.#heartbeatRange.since;
  }

  async #flush(): Promise<void> {
    const all = [...this.#outgoing.values()];
    this.#outgoing.clear();
    for (let start = 0; start < all.length; start += maxPayloadItems) {
      const payload: Payload = { from: this.machineId, items: all.slice(start, start + maxPayloadItems) };
      await this.#query('select pg_notify($1, $2)', [channel, JSON.stringify(payload)]);
    }
    this.#sending = undefined;
    if (this.#outgoing.size > 0) this.#scheduleFlush();
  }

  #receive({ from, items }: Payload): void {
    if (from === this.#machineId) return;
    for (const [topic, item] of items) for (const handler of this.#handlers.get(topic) ?? []) handler(item);
  }

  /** For statements that may fail: the next heartbeat or comparison of rows repairs the effect. @returns no rows then */
  #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#inSequence(async () => {
      const client = this.#client;
      try {
        const result = await client?.query<Row>({ name: nameStatement(text), text, values: [...values] });
        return result?.rows ?? [];
      } catch (error) {
        this.#log?.debug({ err: error }, 'statement of the cluster failed');
        // A connection that does not answer is lost, whatever the network says.
        client?.end().catch(() => {});
        return [];
      }
    });
  }
}
