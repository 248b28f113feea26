import type { Priority } from '../database/schema.ts';

/** `further`: extra voices of a text, which have the lowest priority. */
export type SchedulingPriority = Priority | 'further';

export interface ScheduledAudio {
  readonly id: number;
  readonly siteId: number;
  readonly priority: SchedulingPriority;
  /** Virtual finish time within its site: lower goes first. */
  readonly virtualTime: number;
}

/** Shares of the workers. High weighs as much as all other waiting priorities together: it goes first, but gets half. */
const priorityWeights: Record<SchedulingPriority, number> = {
  high: 10,
  normal: 9,
  low: 1,
  further: 0.5,
};
const priorities: readonly SchedulingPriority[] = ['high', 'normal', 'low', 'further'];

/**
 * Chooses the audio whose sentence is synthesized next, by virtual time on three levels: priorities share by weight, the
 * sites of a priority share equally, and within a site the audio with the earliest virtual finish time goes first. So an
 * archive of a million characters does not delay a short post, and equal posts keep their order.
 */
export class FairScheduler {
  readonly #lanes = new Map(priorities.map((priority) => [priority, new PriorityLane(priorityWeights[priority])]));
  readonly #laneByAudio = new Map<number, PriorityLane>();

  get size(): number {
    return this.#laneByAudio.size;
  }

  /** @returns the virtual finish time of a text accepted now: that of its site, plus its own length */
  nextVirtualTime(siteId: number, priority: SchedulingPriority, cost: number): number {
    return this.#lane(priority).getServed(siteId) + cost;
  }

  /** After a restart a site continues where its earliest text started. */
  resume(audio: ScheduledAudio, cost: number): void {
    this.#lane(audio.priority)
      .site(audio.siteId)
      .resumeAt(audio.virtualTime - cost);
  }

  add(audio: ScheduledAudio): void {
    this.remove(audio.id);
    const lane = this.#lane(audio.priority);
    lane.add(audio);
    this.#laneByAudio.set(audio.id, lane);
  }

  remove(audioId: number): void {
    this.#laneByAudio.get(audioId)?.remove(audioId);
    this.#laneByAudio.delete(audioId);
  }

  /**
   * @param isRunnable whether an audio has a task that is not running
   * @returns the next audio
   */
  next(isRunnable: (audioId: number) => boolean): ScheduledAudio | undefined {
    const candidates = priorities.flatMap((priority) => {
      const lane = this.#lane(priority);
      const audio = lane.next(isRunnable);
      return audio === undefined ? [] : [{ lane, audio }];
    });
    // Equal clocks: the order of `priorities`, so high goes first.
    const [first] = candidates.sort((one, other) => one.lane.clock - other.lane.clock);
    return first?.audio;
  }

  /** Counts work given to an audio. @param cost characters */
  charge(audio: ScheduledAudio, cost: number): void {
    const lane = this.#lane(audio.priority);
    const waiting = [...this.#lanes.values()].filter((other) => other !== lane && other.size > 0);
    const weightOfOthers = waiting.reduce((sum, other) => sum + other.weight, 0);
    const weight = audio.priority === 'high' ? weightOfOthers || lane.weight : lane.weight;
    lane.charge(audio.siteId, cost, weight);
    // An empty lane earns no credit.
    for (const other of this.#lanes.values()) if (other.size === 0) other.clock = lane.clock;
  }

  #lane(priority: SchedulingPriority): PriorityLane {
    const lane = this.#lanes.get(priority);
    if (lane === undefined) throw new Error(`no such priority: ${priority}`);
    return lane;
  }
}

class PriorityLane {
  readonly weight: number;
  readonly #sites = new Map<number, SiteQueue>();
  readonly #siteByAudio = new Map<number, SiteQueue>();
  /** Virtual time of the site served last. */
  #now = 0;
  clock = 0;

  constructor(weight: number) {
    this.weight = weight;
  }

  get size(): number {
    return this.#siteByAudio.size;
  }

  site(siteId: number): SiteQueue {
    const known = this.#sites.get(siteId);
    if (known !== undefined) return known;
    const site = new SiteQueue(this.#now);
    this.#sites.set(siteId, site);
    return site;
  }

  getServed(siteId: number): number {
    return this.#sites.get(siteId)?.served ?? 0;
  }

  add(audio: ScheduledAudio): void {
    const site = this.site(audio.siteId);
    if (site.size === 0) site.clock = Math.max(site.clock, this.#now);
    site.add(audio);
    this.#siteByAudio.set(audio.id, site);
  }

  remove(audioId: number): void {
    this.#siteByAudio.get(audioId)?.remove(audioId);
    this.#siteByAudio.delete(audioId);
  }

  next(isRunnable: (audioId: number) => boolean): ScheduledAudio | undefined {
    let best: { audio: ScheduledAudio; clock: number } | undefined;
    for (const site of this.#sites.values()) {
      if (best !== undefined && best.clock <= site.clock) continue;
      const audio = site.next(isRunnable);
      if (audio !== undefined) best = { audio, clock: site.clock };
    }
    return best?.audio;
  }

  charge(siteId: number, cost: number, weight: number): void {
    const site = this.site(siteId);
    this.#now = Math.max(this.#now, site.clock);
    site.clock += cost;
    site.served += cost;
    this.clock += cost / weight;
  }
}

class SiteQueue {
  /** By virtual time, then by id. */
  readonly #waiting: ScheduledAudio[] = [];
  clock: number;
  /** Characters synthesized so far: where a text accepted now starts. */
  served = 0;

  constructor(clock: number) {
    this.clock = clock;
  }

  get size(): number {
    return this.#waiting.length;
  }

  resumeAt(served: number): void {
    this.served = this.#waiting.length === 0 ? served : Math.min(this.served, served);
  }

  add(audio: ScheduledAudio): void {
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#waiting[middle];
      if (other !== undefined && comesBefore(other, audio)) low = middle + 1;
      else high = middle;
    }
    this.#waiting.splice(low, 0, audio);
  }

  remove(audioId: number): void {
    const index = this.#waiting.findIndex(({ id }) => id === audioId);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  next(isRunnable: (audioId: number) => boolean): ScheduledAudio | undefined {
    return this.#waiting.find(({ id }) => isRunnable(id));
  }
}

function comesBefore(one: ScheduledAudio, other: ScheduledAudio): boolean {
  return one.virtualTime < other.virtualTime || (one.virtualTime === other.virtualTime && one.id < other.id);
}
