import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../fixtures/processes.ts';
import { runProcess } from '../fixtures/server.ts';
import { pageBytes, type SmallDisk } from '../fixtures/small-disk.ts';
import { createRandom, type Random } from './random.ts';
import type { CampaignRecord } from './record.ts';
import { type Supervisor, setClock } from './supervisor.ts';

/** Those that end the server. */
const ending = ['kill server', 'stop server', 'move by backup'] as const;
const lasting = ['kill worker', 'kill worker', 'stop worker', 'full disk', 'jump of the clock', 'backup'] as const;
type FaultKind = (typeof ending)[number] | (typeof lasting)[number];

/** A planned fault, determined by the seed. */
export interface PlannedFault {
  readonly atS: number;
  readonly kind: FaultKind;
  /** Duration of a stopped worker or a full disk. */
  readonly durationS: number;
  /** Seed of further choices. */
  readonly draw: number;
}

const freeBytes = [0, pageBytes, 16 * pageBytes, 256 * pageBytes] as const;
const hour = 3_600;
/** Limited, so that no delivery in the ledger is purged, which happens after 30 days. */
const clockOffsetsS = [-2 * 24 * hour, -hour, -5, 0, 90, hour, 25 * hour, 9 * 24 * hour] as const;
/** Share of the duration after which the server is not ended any more, so that the growth of its memory can be measured. */
const endingShare = 2 / 3;

/** @returns the faults of a campaign: the same ones for the same seed and length */
export function planFaults(seed: number, lengthS: number): PlannedFault[] {
  const random = createRandom(seed, 'faults');
  const gapS = Math.min(12, Math.max(3, lengthS / 20));
  const faults: PlannedFault[] = [];
  let bag: FaultKind[] = [];
  for (let atS = gapS; atS < lengthS; atS += random.between(0.4, 1.6) * gapS) {
    const isEndingAllowed = atS < lengthS * endingShare;
    bag = bag.filter((kind) => isEndingAllowed || !isEnding(kind));
    if (bag.length === 0) bag = isEndingAllowed ? ['kill server', ...ending, ...lasting] : [...lasting];
    const [kind = 'kill worker'] = bag.splice(random.integer(0, bag.length - 1), 1);
    faults.push({ atS, kind, durationS: random.between(1, 2 * gapS), draw: random.between(0, 1) });
  }
  return faults;
}

function isEnding(kind: FaultKind): boolean {
  return ending.some((ending) => ending === kind);
}

export interface FaultDeps {
  readonly supervisor: Supervisor;
  readonly record: CampaignRecord;
  readonly disk: SmallDisk | undefined;
  readonly clockFile: string | undefined;
  readonly command: readonly string[] | undefined;
}

/** Causes planned faults, and ends lasting ones. */
export class Faults {
  readonly #deps: FaultDeps;
  /** Ends of faults that last. */
  readonly #running = new Set<Promise<void>>();
  #isDiskFull = false;
  #fillCount = 0;
  #moveCount = 0;

  constructor(deps: FaultDeps) {
    this.#deps = deps;
  }

  get isDiskFull(): boolean {
    return this.#isDiskFull;
  }

  /** Causes the faults in order; a lasting one does not delay others. */
  async run(faults: readonly PlannedFault[]): Promise<void> {
    const { record } = this.#deps;
    for (const fault of faults) {
      const waitS = fault.atS - record.elapsedS;
      if (waitS > 0) await Bun.sleep(waitS * 1_000);
      const running = this.#cause(fault).catch((error: unknown) => {
        record.recordViolation(`fault "${fault.kind}" failed: ${error instanceof Error ? error.message : error}`);
      });
      this.#running.add(running);
      // Faults that end the server are queued, so that their planned times apply.
      if (isEnding(fault.kind)) await running;
    }
    await Promise.all(this.#running);
    if (this.#deps.clockFile !== undefined) setClock(this.#deps.clockFile, 0);
  }

  async #cause({ kind, durationS, draw }: PlannedFault): Promise<void> {
    const { supervisor, record, disk, clockFile } = this.#deps;
    const random = createRandom(Math.floor(draw * 1_000_000), kind);
    switch (kind) {
      case 'kill server':
        record.recordFault('kill -9 of the server');
        return supervisor.restart('SIGKILL');
      case 'stop server':
        record.recordFault('SIGTERM of the server, restart');
        return supervisor.restart('SIGTERM');
      case 'move by backup':
        return this.#move();
      case 'kill worker':
        return this.#killWorker(random);
      case 'stop worker':
        return this.#stopWorker(random, durationS);
      case 'full disk':
        return disk === undefined ? undefined : this.#fill(disk, random.pick(freeBytes), durationS);
      case 'jump of the clock': {
        if (clockFile === undefined) return;
        const offsetS = random.pick(clockOffsetsS);
        record.recordFault(`clock of the server ${offsetS} s off`);
        return setClock(clockFile, offsetS);
      }
      case 'backup':
        return this.#checkBackup();
    }
  }

  async #killWorker(random: Random): Promise<void> {
    const [first, ...others] = this.#deps.supervisor.workers;
    if (first === undefined) return;
    this.#deps.record.recordFault('kill -9 of a worker');
    process.kill(random.pick([first, ...others]), 'SIGKILL');
  }

  /** Half of them are never continued: the server has to notice. */
  async #stopWorker(random: Random, durationS: number): Promise<void> {
    const [first, ...others] = this.#deps.supervisor.workers;
    if (first === undefined) return;
    const worker = random.pick([first, ...others]);
    const isForGood = random.chance(0.5);
    this.#deps.record.recordFault(`SIGSTOP of a worker ${isForGood ? 'for good' : `for ${durationS.toFixed(1)} s`}`);
    process.kill(worker, 'SIGSTOP');
    if (isForGood) return;
    await Bun.sleep(durationS * 1_000);
    if (isAlive(worker)) process.kill(worker, 'SIGCONT');
  }

  async #fill(disk: SmallDisk, free: number, durationS: number): Promise<void> {
    if (this.#isDiskFull) return;
    this.#deps.record.recordFault(`disk full up to ${free} bytes for ${durationS.toFixed(1)} s`);
    this.#isDiskFull = true;
    this.#fillCount += 1;
    try {
      disk.leave(free);
      await Bun.sleep(durationS * 1_000);
    } finally {
      disk.enlarge();
      this.#isDiskFull = false;
    }
  }

  /** Moves the data folder, as to a new machine. */
  async #move(): Promise<void> {
    const { supervisor, record } = this.#deps;
    record.recordFault('stop, backup, restore into a new folder, start there');
    await supervisor.restart('SIGTERM', async () => {
      const from = supervisor.data;
      this.#moveCount += 1;
      const to = join(from, '..', `data-${this.#moveCount}`);
      const file = `${to}.tar`;
      // Both fail on a full disk, without incomplete files.
      while (!((await this.#run('backup', file, from)) && (await this.#run('restore', file, to)))) {
        rmSync(file, { force: true });
        rmSync(to, { recursive: true, force: true });
        await Bun.sleep(1_000);
      }
      rmSync(file);
      rmSync(from, { recursive: true, force: true, maxRetries: 10 });
      return to;
    });
  }

  /** Runs on the running server; the backup must be intact. */
  async #checkBackup(): Promise<void> {
    const { supervisor, record } = this.#deps;
    const file = join(supervisor.data, '..', `beside-${crypto.randomUUID().slice(0, 8)}.tar`);
    const to = `${file}-restored`;
    record.recordFault('backup beside the server');
    try {
      if (!(await this.#run('backup', file, supervisor.data)) || !(await this.#run('restore', file, to))) return;
      if (await this.#run('check', '--audios', to)) record.count('backups restored and checked');
    } finally {
      rmSync(file, { force: true });
      rmSync(to, { recursive: true, force: true });
    }
  }

  async #run(name: 'backup' | 'restore' | 'check', argument: string, data: string): Promise<boolean> {
    const { record, command } = this.#deps;
    const [fillCount, moveCount] = [this.#fillCount, this.#moveCount];
    const { code, stdout, stderr } = await runProcess(
      [name, argument, '--data', data],
      command === undefined ? {} : { command },
    );
    if (code === 0) return true;
    if (this.#isDiskFull || this.#fillCount !== fillCount) record.count(`${name}s refused on a full disk`);
    else if (this.#moveCount === moveCount) record.recordViolation(`${name} failed: ${stdout}${stderr.slice(-400)}`);
    return false;
  }
}
