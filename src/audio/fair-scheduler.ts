import type { Priority } from '../database/schema.ts';

/** Further voices of a text wait behind everything. */
export type Urgency = Priority | 'further';

/** What the schedule knows of an unfinished audio. */
export interface Scheduled {
  readonly id: number;
  readonly siteId: number;
  readonly priority: Urgency;
  /** Virtual finish time within its site: lower goes first. */
  readonly turn: number;
}

/** Shares of the workers. High weighs as much as all others that wait together: it goes first, but gets half. */
const weightOf: Record<Urgency, number> = { high: 10, normal: 9, low: 1, further: 0.5 };
const priorities: readonly Urgency[] = ['high', 'normal', 'low', 'further'];

/**
 * Decides whose sentence is spoken next, by virtual time on three levels: priorities share by weight, the sites of a
 * priority share equally, and within a site goes first what would be finished first had the site been served piece by
 * piece. So an archive of a million characters delays nobody's short item, and equal items keep their order.
 */
export class Schedule {
  readonly #lanes = new Map(priorities.map((priority) => [priority, new Lane(weightOf[priority])]));
  readonly #laneOf = new Map<number, Lane>();

  get size(): number {
    return this.#laneOf.size;
  }

  /** @returns the turn of a text accepted now: where its site stands, plus its own length */
  turnOf(siteId: number, priority: Urgency, cost: number): number {
    return this.#lane(priority).servedOf(siteId) + cost;
  }

  /** After a restart a site stands where its earliest text began. */
  resume(audio: Scheduled, cost: number): void {
    this.#lane(audio.priority)
      .site(audio.siteId)
      .resumeAt(audio.turn - cost);
  }

  add(audio: Scheduled): void {
    this.remove(audio.id);
    const lane = this.#lane(audio.priority);
    lane.add(audio);
    this.#laneOf.set(audio.id, lane);
  }

  remove(audioId: number): void {
    this.#laneOf.get(audioId)?.remove(audioId);
    this.#laneOf.delete(audioId);
  }

  /**
   * @param isRunnable whether an audio has work that nobody does yet
   * @returns the audio whose turn it is
   */
  next(isRunnable: (audioId: number) => boolean): Scheduled | undefined {
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
  charge(audio: Scheduled, cost: number): void {
    const lane = this.#lane(audio.priority);
    const waiting = [...this.#lanes.values()].filter((other) => other !== lane && other.size > 0);
    const weightOfOthers = waiting.reduce((sum, other) => sum + other.weight, 0);
    const weight = audio.priority === 'high' ? weightOfOthers || lane.weight : lane.weight;
    lane.charge(audio.siteId, cost, weight);
    // A lane that stands empty saves nothing up.
    for (const other of this.#lanes.values()) if (other.size === 0) other.clock = lane.clock;
  }

  #lane(priority: Urgency): Lane {
    const lane = this.#lanes.get(priority);
    if (lane === undefined) throw new Error(`no such priority: ${priority}`);
    return lane;
  }
}

class Lane {
  readonly weight: number;
  readonly #sites = new Map<number, SiteQueue>();
  readonly #siteOf = new Map<number, SiteQueue>();
  /** Virtual time of the site served last. */
  #now = 0;
  clock = 0;

  constructor(weight: number) {
    this.weight = weight;
  }

  get size(): number {
    return this.#siteOf.size;
  }

  site(siteId: number): SiteQueue {
    const known = this.#sites.get(siteId);
    if (known !== undefined) return known;
    const site = new SiteQueue(this.#now);
    this.#sites.set(siteId, site);
    return site;
  }

  servedOf(siteId: number): number {
    return this.#sites.get(siteId)?.served ?? 0;
  }

  add(audio: Scheduled): void {
    const site = this.site(audio.siteId);
    if (site.size === 0) site.clock = Math.max(site.clock, this.#now);
    site.add(audio);
    this.#siteOf.set(audio.id, site);
  }

  remove(audioId: number): void {
    this.#siteOf.get(audioId)?.remove(audioId);
    this.#siteOf.delete(audioId);
  }

  next(isRunnable: (audioId: number) => boolean): Scheduled | undefined {
    let best: { audio: Scheduled; clock: number } | undefined;
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
  /** By turn, then by id. */
  readonly #waiting: Scheduled[] = [];
  clock: number;
  /** Characters spoken so far: where a text accepted now begins. */
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

  add(audio: Scheduled): void {
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
    const place = this.#waiting.findIndex(({ id }) => id === audioId);
    if (place >= 0) this.#waiting.splice(place, 1);
  }

  next(isRunnable: (audioId: number) => boolean): Scheduled | undefined {
    return this.#waiting.find(({ id }) => isRunnable(id));
  }
}

function comesBefore(one: Scheduled, other: Scheduled): boolean {
  return one.turn < other.turn || (one.turn === other.turn && one.id < other.id);
}
