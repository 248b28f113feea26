import type { Priority } from '../database/schema.ts';

/** `further`: extra voices of a text, which have the lowest priority. */
export type SchedulingPriority = Priority | 'further';
/** `interactive`: a text that a client waits for. */
type WorkPriority = SchedulingPriority | 'interactive';

/** Who uses the workers. Null: the installation. */
export interface WorkOwner {
  readonly siteId: number | null;
  readonly priority: WorkPriority;
}

/** An audio, or a text that a client waits for. */
export interface ScheduledWork extends WorkOwner {
  readonly id: number;
  /** Virtual finish time within its site, in characters: lower goes first. */
  readonly virtualTime: number;
}

/** What a task takes, so that a text which another machine accepts gets the right place. */
export interface ServedCharacters extends WorkOwner {
  readonly characters: number;
  /** Of all tasks of the site in the priority that the machine knows of. */
  readonly total: number;
}

/**
 * Shares of a site's priorities. High weighs as much as all lower priorities that wait: it goes first, but gets half. So
 * does interactive.
 */
const priorityWeights: Record<WorkPriority, number> = { interactive: 20, high: 10, normal: 9, low: 1, further: 1 };
const foreground: readonly WorkPriority[] = ['interactive', 'high', 'normal', 'low'];
/** Of all worker seconds while both wait. */
const tierWeights = { foreground: 19, background: 1 };
/** Worker seconds that interactive work may use ahead of its share: a client waits. */
const interactiveLeadS = 2;
/** Worker seconds of debt after which the rest is forgiven: a site that was alone must not wait for hours. */
const maxDebtS = 120;
/** Weight of the last measurement in the estimate for the next task. */
const smoothing = 0.2;

/**
 * Chooses the work that gets the next free worker, by virtual time: extra voices get a twentieth, sites share equally,
 * in measured worker seconds; the priorities of a site share by weight; and within a priority the work with the earliest
 * virtual finish time goes first. So no site delays another, whatever its texts, and an archive of a million characters does
 * not delay a short post.
 */
export class FairScheduler<Work extends ScheduledWork = ScheduledWork> {
  readonly #foreground = new Tier<Work>(tierWeights.foreground, foreground);
  readonly #background = new Tier<Work>(tierWeights.background, ['further']);
  readonly #tiers = [this.#foreground, this.#background];
  readonly #lanes = new Map<Work, Lane<Work>>();
  readonly #onServed: ((served: ServedCharacters) => void) | undefined;

  /** @param onServed called for each task that starts */
  constructor(onServed?: (served: ServedCharacters) => void) {
    this.#onServed = onServed;
  }

  get size(): number {
    return this.#lanes.size;
  }

  /** @returns the virtual finish time of a text accepted now: that of its site, plus its own length */
  nextVirtualTime(siteId: number, priority: WorkPriority, characters: number): number {
    return (this.#tier(priority).findLane({ siteId, priority })?.served ?? 0) + characters;
  }

  /** After a restart a site continues where its earliest text started. */
  resume(work: ScheduledWork, characters: number): void {
    this.#tier(work.priority)
      .account(work.siteId)
      .lane(work.priority)
      .resumeAt(work.virtualTime - characters);
  }

  /** Counts a task that another machine started. */
  addServed({ siteId, priority, characters, total }: ServedCharacters): void {
    const lane = this.#tier(priority).account(siteId).lane(priority);
    lane.served = Math.max(lane.served + characters, total);
  }

  add(work: Work): void {
    this.remove(work);
    const tier = this.#tier(work.priority);
    raiseToActive(tier, this.#tiers);
    this.#lanes.set(work, tier.add(work));
  }

  remove(work: Work): void {
    const lane = this.#lanes.get(work);
    if (lane === undefined) return;
    this.#lanes.delete(work);
    this.#tier(work.priority).remove(work, lane);
  }

  /** Puts work behind the other work of its site and priority. */
  rotate(work: Work): void {
    this.#lanes.get(work)?.rotate(work);
  }

  /**
   * @param isRunnable whether it has a task that may start now
   * @param among chooses one of these works; default: of all
   */
  next(isRunnable: (work: Work) => boolean, among?: ReadonlySet<Work>): Work | undefined {
    for (const tier of this.#tiers.toSorted((a, b) => a.clock - b.clock)) {
      const work = tier.next(isRunnable, among);
      if (work !== undefined) return work;
    }
    return undefined;
  }

  /**
   * Counts a task that starts, with an estimate of its worker seconds.
   * @param characters for the order within the site
   * @returns takes the estimate back, when the task has ended
   */
  start({ siteId, priority }: WorkOwner, characters: number): () => void {
    const tier = this.#tier(priority);
    const account = tier.account(siteId);
    const lane = account.lane(priority);
    lane.served += characters;
    if (characters > 0) this.#onServed?.({ siteId, priority, characters, total: lane.served });
    const estimate = account.meanTaskS;
    tier.advance(account, estimate);
    return () => tier.advance(account, -estimate);
  }

  /** Counts measured worker seconds. */
  charge({ siteId, priority }: WorkOwner, seconds: number): void {
    const tier = this.#tier(priority);
    tier.clock += seconds / tier.weight;
    tier.charge(siteId, priority, seconds);
  }

  #tier(priority: WorkPriority): Tier<Work> {
    return priority === 'further' ? this.#background : this.#foreground;
  }
}

/** One of several that share by their clocks: the lowest goes first. */
interface Competitor {
  /** Virtual time: worker seconds received, by weight. */
  clock: number;
  /** Number of waiting works. */
  readonly size: number;
}

/** @returns the lowest clock of those that wait; undefined if none does */
function findLowestClock(all: Iterable<Competitor>): number | undefined {
  let lowest: number | undefined;
  for (const { clock, size } of all) if (size > 0 && (lowest === undefined || clock < lowest)) lowest = clock;
  return lowest;
}

/** Call it before work is added: a site without work earns no credit. */
function raiseToActive(competitor: Competitor, all: Iterable<Competitor>, lowest = findLowestClock(all)): void {
  if (competitor.size > 0) return;
  if (lowest !== undefined) competitor.clock = Math.max(competitor.clock, lowest);
  else for (const { clock } of all) competitor.clock = Math.max(competitor.clock, clock);
}

/** The sites that have foreground work, or background work. */
class Tier<Work extends ScheduledWork> implements Competitor {
  readonly weight: number;
  readonly #priorities: readonly WorkPriority[];
  readonly #accounts = new Map<number | null, Account<Work>>();
  /** Sites with work in their order, so that a choice among thousands of sites looks at a few. */
  readonly #active: Account<Work>[] = [];
  /** Those with interactive work, which may go before their turn. */
  readonly #interactive = new Set<Account<Work>>();
  #arrivalCount = 0;
  clock = 0;
  size = 0;

  constructor(weight: number, priorities: readonly WorkPriority[]) {
    this.weight = weight;
    this.#priorities = priorities;
  }

  account(siteId: number | null): Account<Work> {
    return this.#accounts.getOrInsertComputed(siteId, () => new Account(this.#priorities));
  }

  findLane({ siteId, priority }: WorkOwner): Lane<Work> | undefined {
    return this.#accounts.get(siteId)?.lane(priority);
  }

  add(work: Work): Lane<Work> {
    const account = this.account(work.siteId);
    if (account.size === 0) {
      raiseToActive(account, this.#accounts.values(), this.#active[0]?.clock);
      this.#limitDebt(account);
      this.#arrivalCount += 1;
      account.arrival = this.#arrivalCount;
      this.#activate(account);
    }
    this.size += 1;
    if (work.priority === 'interactive') this.#interactive.add(account);
    return account.add(work);
  }

  remove(work: Work, lane: Lane<Work>): void {
    const account = this.account(work.siteId);
    account.remove(work, lane);
    this.size -= 1;
    if (work.priority === 'interactive' && lane.size === 0) this.#interactive.delete(account);
    if (account.size === 0) this.#deactivate(account);
  }

  next(isRunnable: (work: Work) => boolean, among?: ReadonlySet<Work>): Work | undefined {
    const isEligible = among === undefined ? isRunnable : (work: Work) => among.has(work) && isRunnable(work);
    let best: (Turn & { readonly work: Work }) | undefined;
    for (const account of this.#interactive) {
      const work = account.next(isEligible);
      if (work === undefined) continue;
      const leadS = work.priority === 'interactive' ? interactiveLeadS : 0;
      const candidate = { clock: account.clock - leadS, arrival: account.arrival, work };
      if (best === undefined || compareTurns(candidate, best) < 0) best = candidate;
    }
    for (const account of among === undefined ? this.#active : this.#listAccounts(among)) {
      if (best !== undefined && compareTurns(best, account) < 0) break;
      const work = this.#interactive.has(account) ? undefined : account.next(isEligible);
      if (work !== undefined) return work;
    }
    return best?.work;
  }

  /** @returns the sites of some works, in their order */
  #listAccounts(works: ReadonlySet<Work>): Account<Work>[] {
    const own = [...works].filter(({ priority }) => this.#priorities.includes(priority));
    const accounts = new Set(own.map(({ siteId }) => this.account(siteId)));
    return [...accounts].sort(compareTurns);
  }

  charge(siteId: number | null, priority: WorkPriority, seconds: number): void {
    const account = this.account(siteId);
    account.charge(priority, seconds);
    this.advance(account, seconds);
    this.#limitDebt(account);
  }

  /** @param seconds negative: takes an estimate back */
  advance(account: Account<Work>, seconds: number): void {
    this.#setClock(account, account.clock + seconds);
  }

  #limitDebt(account: Account<Work>): void {
    const [first] = this.#active;
    const max = first === undefined ? account.clock : first.clock + maxDebtS;
    if (account.clock > max) this.#setClock(account, max);
  }

  #setClock(account: Account<Work>, clock: number): void {
    if (account.size > 0) this.#deactivate(account);
    account.clock = clock;
    if (account.size > 0) this.#activate(account);
  }

  #activate(account: Account<Work>): void {
    this.#active.splice(findPlace(this.#active, account, compareTurns), 0, account);
  }

  #deactivate(account: Account<Work>): void {
    this.#active.splice(findPlace(this.#active, account, compareTurns), 1);
  }
}

/** What orders the sites with work: no two are equal. */
type Turn = Pick<Account<ScheduledWork>, 'clock' | 'arrival'>;

function compareTurns(a: Turn, b: Turn): number {
  return a.clock - b.clock || a.arrival - b.arrival;
}

/** @returns the index in a sorted list at which an item is, or belongs */
function findPlace<Item>(sorted: readonly Item[], item: Item, compare: (a: Item, b: Item) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle];
    if (other !== undefined && compare(other, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The worker seconds of a site, and its waiting work by priority. */
class Account<Work extends ScheduledWork> implements Competitor {
  /** Highest first. */
  readonly #lanes: readonly Lane<Work>[];
  clock = 0;
  size = 0;
  /** Numbers the sites by when they got their first work. */
  arrival = 0;
  /** Moving average of worker seconds. */
  meanTaskS = 0;

  constructor(priorities: readonly WorkPriority[]) {
    this.#lanes = priorities.map((priority) => new Lane(priority));
  }

  lane(priority: WorkPriority): Lane<Work> {
    const lane = this.#lanes.find((lane) => lane.priority === priority);
    if (lane === undefined) throw new Error(`no such priority: ${priority}`);
    return lane;
  }

  add(work: Work): Lane<Work> {
    const lane = this.lane(work.priority);
    raiseToActive(lane, this.#lanes);
    this.size += 1;
    lane.add(work);
    return lane;
  }

  remove(work: Work, lane: Lane<Work>): void {
    this.size -= 1;
    lane.remove(work);
  }

  next(isRunnable: (work: Work) => boolean): Work | undefined {
    let best: { work: Work; rank: number } | undefined;
    for (const lane of this.#lanes) {
      // Equal ranks: the higher priority.
      if (best !== undefined && lane.rank >= best.rank) continue;
      const work = lane.next(isRunnable);
      if (work !== undefined) best = { work, rank: lane.rank };
    }
    return best?.work;
  }

  charge(priority: WorkPriority, seconds: number): void {
    const lane = this.lane(priority);
    const lower = this.#lanes.slice(this.#lanes.indexOf(lane) + 1).filter(({ size }) => size > 0);
    const weightOfLower = lower.reduce((sum, { weight }) => sum + weight, 0);
    lane.clock += seconds / (lane.goesFirst ? weightOfLower || lane.weight : lane.weight);
    this.meanTaskS += smoothing * (seconds - this.meanTaskS);
  }
}

/** The waiting work of a site in one priority. */
class Lane<Work extends ScheduledWork> implements Competitor {
  readonly priority: WorkPriority;
  readonly weight: number;
  /** By virtual time, then by id. */
  readonly #waiting: Work[] = [];
  clock = 0;
  /** Characters of the tasks so far: where a text accepted now starts. */
  served = 0;

  constructor(priority: WorkPriority) {
    this.priority = priority;
    this.weight = priorityWeights[priority];
  }

  get size(): number {
    return this.#waiting.length;
  }

  get goesFirst(): boolean {
    return this.priority === 'interactive' || this.priority === 'high';
  }

  get rank(): number {
    return this.clock - (this.priority === 'interactive' ? interactiveLeadS / this.weight : 0);
  }

  resumeAt(served: number): void {
    this.served = this.#waiting.length === 0 ? served : Math.min(this.served, served);
  }

  add(work: Work): void {
    this.#waiting.splice(findPlace(this.#waiting, work, compareWork), 0, work);
  }

  remove(work: Work): void {
    const index = this.#waiting.indexOf(work);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  rotate(work: Work): void {
    this.remove(work);
    this.#waiting.push(work);
  }

  next(isRunnable: (work: Work) => boolean): Work | undefined {
    return this.#waiting.find(isRunnable);
  }
}

function compareWork(a: ScheduledWork, b: ScheduledWork): number {
  return a.virtualTime - b.virtualTime || a.id - b.id;
}
