import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { eventually } from '../fixtures/eventually.ts';
import { isAlive, listChildren } from '../fixtures/processes.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';
import type { CampaignRecord } from './record.ts';

const sampleIntervalMs = 2_000;
const restartPauseMs = 300;
const workerEndTimeoutMs = 120_000;
/** Log messages that show a bug, regardless of the faults. */
const bugMessages = /unhandled rejection|uncaught exception|counters corrected|^request failed|internal error/;
/** A full disk is not a bug. */
const diskErrors = /database or disk is full|ENOSPC|disk I\/O error/;

/** Memory and open files of the server at one moment. */
export interface Sample {
  readonly atS: number;
  readonly pid: number;
  readonly residentMb: number;
  readonly fileCount: number;
}

export interface Outage {
  readonly fromMs: number;
  toMs: number;
}

interface SupervisorOptions {
  readonly command: readonly string[] | undefined;
  readonly data: string;
  readonly key: string;
  readonly env: Record<string, string>;
  /** File with the offset of the server's clock; undefined: the clock of the machine. */
  readonly clockFile: string | undefined;
  readonly record: CampaignRecord;
  /** Role of one of several machines on a database. */
  readonly role?: 'serve' | 'speak';
  /** Whether a start may fail at the moment. */
  readonly mayFailToStart: () => boolean;
}

/** The parts of an installation that clients and the final comparison use. */
export interface Installation extends Pick<Supervisor, 'url' | 'data' | 'wasDown'> {
  /** Address of its database. */
  readonly failoverCount?: number;
}

/** Keeps a server running at one address, like systemd, and records its outages. */
export class Supervisor {
  readonly samples: Sample[] = [];
  readonly #options: SupervisorOptions;
  /** The program; undefined: that of the tests. */
  command: readonly string[] | undefined;
  readonly #outages: Outage[] = [];
  #server: TestServer | undefined;
  #data: string;
  #port = 0;
  /** Faults that end the server wait for each other. */
  #lastChange: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  #sampling: Timer | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#data = options.data;
    this.command = options.command;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get data(): string {
    return this.#data;
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the server was never started');
    return this.#server;
  }

  get workers(): number[] {
    return this.#server === undefined ? [] : listChildren(this.#server.process.pid).filter(isAlive);
  }

  async start(): Promise<void> {
    await this.#start();
    this.#sampling = setInterval(() => this.#sample(), sampleIntervalMs);
  }

  /** Whether the server was down at any moment between two times of `performance.now()`. */
  wasDown(fromMs: number, toMs: number): boolean {
    return this.#outages.some((outage) => outage.fromMs <= toMs && outage.toMs >= fromMs);
  }

  /** Restarts the server. @param between runs while it is down, and may return another data folder */
  restart(signal: 'SIGKILL' | 'SIGTERM', between?: () => Promise<string>): Promise<void> {
    return this.#exclusively(async () => {
      const outage = this.#openOutage();
      await this.#end(signal);
      if (between !== undefined) this.#data = await between();
      await this.#startAgain(outage);
    });
  }

  /** Stops it. @returns the exit code */
  stop(): Promise<number | null> {
    return this.#exclusively(async () => {
      clearInterval(this.#sampling);
      this.#isStopping = true;
      this.#openOutage();
      return this.#end('SIGTERM');
    });
  }

  #exclusively<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => {});
    return result;
  }

  #openOutage(): Outage {
    const outage = { fromMs: performance.now(), toMs: Infinity };
    this.#outages.push(outage);
    return outage;
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const { server } = this;
    this.#server = undefined;
    const workers = listChildren(server.process.pid);
    const code = await server.stop(signal);
    if (signal === 'SIGTERM' && code !== 0) {
      this.#options.record.recordViolation(`SIGTERM ended the server with ${code ?? server.process.signalCode}`);
    }
    this.#inspectLog(server);
    // A stopped one would never notice the end of its server.
    for (const worker of workers) if (isAlive(worker)) process.kill(worker, 'SIGCONT');
    await eventually(() => !workers.some(isAlive), 'the workers end with their server', workerEndTimeoutMs);
    return code;
  }

  async #startAgain(outage: Outage): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#start();
        break;
      } catch (error) {
        const { record, mayFailToStart } = this.#options;
        const reason = error instanceof Error ? error.message : String(error);
        if (mayFailToStart()) record.count('starts refused, disk full or database lost');
        else record.recordViolation(`the server did not start: ${reason.slice(-500)}`);
        await Bun.sleep(restartPauseMs);
      }
    }
    outage.toMs = performance.now();
  }

  async #start(): Promise<void> {
    const { key, env, clockFile, role } = this.#options;
    const { command } = this;
    const server = await startTestServer({
      ...(command === undefined ? {} : { command }),
      ...(role === undefined ? {} : { role }),
      ...{ data: this.#data, key, flags: ['--port', `${this.#port}`, '--workers', role === undefined ? '2' : '1'] },
      // The voices are already installed: no other process should open the database now.
      voices: 'built-in',
      isPreloading: true,
      env: { ...env, ...(clockFile === undefined ? {} : buildClockEnvironment(clockFile)) },
    });
    this.#server = server;
    this.#port = Number(new URL(server.url).port);
    this.#options.record.count('server starts');
    server.process.exited.then(() => this.#onExit(server)).catch(() => {});
  }

  /** An exit without a stop is a crash. */
  #onExit(server: TestServer): void {
    if (this.#server !== server || this.#isStopping) return;
    const outage = this.#openOutage();
    this.#server = undefined;
    const { exitCode, signalCode } = server.process;
    this.#options.record.recordViolation(
      `the server ended by itself with ${exitCode ?? signalCode}: ${server.log().slice(-800)}`,
    );
    this.#exclusively(() => this.#startAgain(outage)).catch(() => {});
  }

  #inspectLog(server: TestServer): void {
    const { record } = this.#options;
    for (const line of server.log().split('\n')) {
      const message = /"msg":"([^"]*)"/.exec(line)?.[1];
      if (message === undefined) continue;
      record.count(`log: ${message}`);
      if (!bugMessages.test(message) || diskErrors.test(line)) continue;
      record.recordViolation(`log: ${message}: ${/"message":"([^"]*)"/.exec(line)?.[1] ?? line.slice(0, 600)}`);
    }
  }

  #sample(): void {
    const pid = this.#server?.process.pid;
    if (pid === undefined || !isAlive(pid)) return;
    try {
      const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const fileCount = readdirSync(`/proc/${pid}/fd`).length;
      const atS = this.#options.record.elapsedS;
      this.samples.push({ atS, pid, residentMb: Number(resident) / 1024, fileCount });
    } catch {
      // It has just ended.
    }
  }
}

/** @param offset in seconds from the clock of the machine */
export function setClock(clockFile: string, offset: number): void {
  writeFileSync(clockFile, `${offset < 0 ? '' : '+'}${offset}\n`);
}

/** Only the time of day jumps; the monotonic clock never does on a real system. */
function buildClockEnvironment(clockFile: string): Record<string, string> {
  return {
    LD_PRELOAD: requireTool('/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'),
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}
