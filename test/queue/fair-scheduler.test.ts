import { describe, expect, test } from 'bun:test';
import { FairScheduler, type ScheduledWork } from '../../src/audio/fair-scheduler.ts';
import type { Priority } from '../../src/database/schema.ts';

const sentenceCost = 50;
const sentenceSeconds = 0.1;

/** Accepts texts and runs them sentence by sentence, like the queue. */
class Desk {
  readonly schedule: FairScheduler;
  /** Ids in the order of completion. */
  readonly finished: number[] = [];
  /** Worker seconds of a sentence, if they differ. */
  readonly secondsBySite = new Map<number, number>();
  readonly #left = new Map<number, number>();
  #nextId = 1;

  constructor(schedule = new FairScheduler()) {
    this.schedule = schedule;
  }

  accept(siteId: number, cost: number, priority: ScheduledWork['priority'] = 'normal'): ScheduledWork {
    const virtualTime = this.schedule.nextVirtualTime(siteId, priority, cost);
    const audio = { id: this.#nextId, siteId, priority, virtualTime };
    this.#nextId += 1;
    this.add(audio, cost);
    return audio;
  }

  add(audio: ScheduledWork, cost: number): void {
    this.#left.set(audio.id, cost);
    this.schedule.add(audio);
  }

  /** @returns the audio whose sentence was synthesized */
  speak(): ScheduledWork {
    const audio = this.schedule.next(({ id }) => (this.#left.get(id) ?? 0) > 0);
    if (audio === undefined) throw new Error('no text waits');
    const end = this.schedule.start(audio, sentenceCost);
    this.schedule.charge(audio, this.secondsBySite.get(audio.siteId ?? 0) ?? sentenceSeconds);
    end();
    const left = (this.#left.get(audio.id) ?? 0) - sentenceCost;
    this.#left.set(audio.id, left);
    if (left <= 0) {
      this.schedule.remove(audio);
      this.finished.push(audio.id);
    }
    return audio;
  }

  speakMany(count: number): ScheduledWork[] {
    return Array.from({ length: count }, () => this.speak());
  }

  speakAll(): number[] {
    while (this.schedule.size > 0) this.speak();
    return this.finished;
  }
}

function shareOf(spoken: readonly ScheduledWork[], priority: ScheduledWork['priority']): number {
  return spoken.filter((audio) => audio.priority === priority).length / spoken.length;
}

describe('FairScheduler', () => {
  test('schedules a short text before a long one of the same site', () => {
    const desk = new Desk();
    desk.accept(1, 200_000);
    desk.speakMany(100);
    const short = desk.accept(1, 300);
    expect(desk.speakMany(6).map(({ id }) => id)).toEqual(Array(6).fill(short.id));
  });

  test('gives a short text of another site every second sentence beside a long one', () => {
    const desk = new Desk();
    desk.accept(1, 200_000);
    desk.speakMany(100);
    const short = desk.accept(2, 300);
    const until = desk.speakMany(12).filter(({ id }) => id === short.id);
    expect(until).toHaveLength(6);
  });

  test('shares equally between two sites, however many texts each has', () => {
    const desk = new Desk();
    desk.accept(1, 100_000);
    for (let i = 0; i < 300; i += 1) desk.accept(2, 500);
    const spoken = desk.speakMany(1_000);
    expect(spoken.filter(({ siteId }) => siteId === 1)).toHaveLength(500);
  });

  test('shares worker seconds, not characters', () => {
    const desk = new Desk();
    desk.secondsBySite.set(2, 7 * sentenceSeconds);
    desk.accept(1, 200_000);
    desk.accept(2, 200_000);
    const spoken = desk.speakMany(800);
    expect(spoken.filter(({ siteId }) => siteId === 2).length).toBeWithin(98, 103);
  });

  test('shares equally between sites, regardless of their priorities', () => {
    const desk = new Desk();
    desk.accept(1, 100_000, 'high');
    desk.accept(1, 100_000);
    desk.accept(2, 100_000, 'low');
    const spoken = desk.speakMany(1_000);
    expect(spoken.filter(({ siteId }) => siteId === 1).length).toBeWithin(499, 502);
  });

  test('schedules an interactive text first, and charges its site', () => {
    const desk = new Desk();
    for (const siteId of [1, 2, 3, 4]) desk.accept(siteId, 100_000);
    desk.speakMany(403);
    const waited = desk.accept(1, 500, 'interactive');
    expect(desk.speakMany(10).map(({ id }) => id)).toEqual(Array(10).fill(waited.id));
    desk.accept(1, 100_000, 'interactive');
    const spoken = desk.speakMany(2_000);
    expect(spoken.filter(({ siteId }) => siteId === 1).length).toBeWithin(480, 550);
    const interactive = shareOf(
      spoken.filter(({ siteId }) => siteId === 1),
      'interactive',
    );
    expect(interactive).toBeWithin(0.45, 0.6);
  });

  test('gives background work a twentieth while other work waits', () => {
    const desk = new Desk();
    desk.accept(1, 500_000, 'further');
    desk.speakMany(1_000);
    desk.accept(2, 100_000, 'low');
    const spoken = desk.speakMany(1_000);
    expect(shareOf(spoken, 'further')).toBeWithin(0.04, 0.06);
  });

  test('forgives a debt that would block a site for hours', () => {
    const desk = new Desk();
    const paused = desk.accept(1, 1_000_000);
    const other = desk.accept(2, 1_000_000);
    // The first one has no runnable task for a long time.
    for (let second = 0; second < 3_600; second += 1) desk.schedule.charge(other, 1);
    expect(desk.speakMany(1_200).every(({ id }) => id === paused.id)).toBe(true);
    expect(desk.speakMany(100).filter(({ id }) => id === other.id).length).toBeWithin(48, 51);
  });

  test('gives an idle site no credit', () => {
    const desk = new Desk();
    desk.accept(1, 100_000);
    desk.speakMany(1_000);
    desk.accept(2, 100_000);
    const spoken = desk.speakMany(100);
    expect(spoken.filter(({ siteId }) => siteId === 2).length).toBeWithin(49, 52);
  });

  test('gives a site the credit of no site whose work has ended', () => {
    const desk = new Desk();
    const ended = [desk.accept(1, 100_000)];
    const busy = desk.accept(2, 100_000);
    desk.schedule.charge(busy, 50);
    ended.push(desk.accept(3, 100_000));
    for (const audio of ended) desk.schedule.remove(audio);
    desk.accept(4, 100_000);
    expect(desk.speakMany(100).filter(({ siteId }) => siteId === 4).length).toBeWithin(49, 52);
  });

  test('finishes equal texts of a site in the order of submission', () => {
    const desk = new Desk();
    const ids = Array.from({ length: 20 }, () => desk.accept(1, 500).id);
    expect(desk.speakAll()).toEqual(ids);
  });

  test('finishes equal texts in order when they are submitted during synthesis of others', () => {
    const desk = new Desk();
    const ids: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      ids.push(desk.accept(1, 500).id);
      desk.speakMany(3);
    }
    expect(desk.speakAll()).toEqual(ids);
  });

  test.each<{ others: Priority[] }>([{ others: ['normal'] }, { others: ['low'] }, { others: ['normal', 'low'] }])(
    'puts high first, but gives it no more than half while others wait: $others',
    ({ others }) => {
      const desk = new Desk();
      for (const priority of others) desk.accept(1, 100_000, priority);
      desk.speakMany(10);
      desk.accept(1, 100_000, 'high');
      expect(desk.speakMany(2).some(({ priority }) => priority === 'high')).toBe(true);
      const share = shareOf(desk.speakMany(1_000), 'high');
      expect(share).toBeWithin(0.48, 0.505);
    },
  );

  test('starts with high priority when all are submitted at once', () => {
    const desk = new Desk();
    desk.accept(1, 1_000, 'low');
    desk.accept(1, 1_000);
    desk.accept(1, 1_000, 'high');
    expect(desk.speak().priority).toBe('high');
  });

  test.each<{ others: Priority[] }>([{ others: ['normal'] }, { others: ['high'] }, { others: ['high', 'normal'] }])(
    'lets low progress under any load: $others',
    ({ others }) => {
      const desk = new Desk();
      for (const priority of others) desk.accept(1, 200_000, priority);
      desk.accept(2, 100_000, 'low');
      const share = shareOf(desk.speakMany(1_000), 'low');
      expect(share).toBeGreaterThan(0.04);
    },
  );

  test('starts an empty priority at the clock of the others', () => {
    const desk = new Desk();
    desk.accept(1, 500_000);
    desk.speakMany(2_000);
    desk.accept(1, 100_000, 'low');
    expect(shareOf(desk.speakMany(200), 'low')).toBeLessThan(0.15);
    desk.accept(1, 100_000, 'high');
    expect(shareOf(desk.speakMany(200), 'high')).toBeLessThan(0.52);
  });

  test('continues in the same order when it is rebuilt from the rows', () => {
    const desk = new Desk();
    const costs = [5_000, 300, 700, 300, 2_000];
    const rows = costs.map((cost) => ({ cost, audio: desk.accept(1, cost) }));
    const again = new Desk();
    for (const { audio, cost } of rows) {
      again.schedule.resume(audio, cost);
      again.add(audio, cost);
    }
    expect(again.speakAll()).toEqual(desk.speakAll());
  });

  test('does not schedule a text submitted after a restart before a waiting one', () => {
    const desk = new Desk();
    desk.accept(1, 2_000);
    desk.speakMany(40);
    const waiting = { cost: 500, audio: desk.accept(1, 500) };
    const again = new Desk();
    again.schedule.resume(waiting.audio, waiting.cost);
    again.add({ ...waiting.audio, id: 1 }, waiting.cost);
    const turn = again.schedule.nextVirtualTime(1, 'normal', 500);
    expect(turn).toBeGreaterThanOrEqual(waiting.audio.virtualTime);
  });

  test('gives a text from a machine without workers the same place as the speaking machine does', () => {
    const accepting = new FairScheduler();
    const speaking = new Desk(new FairScheduler((served) => accepting.addServed(served)));
    speaking.accept(1, 10_000);
    speaking.speakMany(60);
    const place = accepting.nextVirtualTime(1, 'normal', 500);
    expect(place).toBe(3_500);
    expect(place).toBe(speaking.schedule.nextVirtualTime(1, 'normal', 500));
    expect(accepting.nextVirtualTime(2, 'normal', 500)).toBe(500);
    const late = new FairScheduler();
    late.addServed({ siteId: 1, priority: 'normal', characters: 50, total: 3_050 });
    expect(late.nextVirtualTime(1, 'normal', 500)).toBe(3_550);
  });

  test('chooses the site that received least, looking at few of thousands', () => {
    const schedule = new FairScheduler();
    const receivedS = new Map<number | null, number>();
    for (let siteId = 1; siteId <= 1_000; siteId += 1) {
      schedule.add({ id: siteId, siteId, priority: 'normal', virtualTime: 1_000 });
      receivedS.set(siteId, 0);
    }
    let lookCount = 0;
    for (let task = 0; task < 2_000; task += 1) {
      const work = schedule.next(() => {
        lookCount += 1;
        return true;
      });
      if (work === undefined) throw new Error('no text waits');
      const before = receivedS.get(work.siteId) ?? Number.NaN;
      expect(before).toBe(Math.min(...receivedS.values()));
      const seconds = 0.5 + (task % 7);
      schedule.charge(work, seconds);
      receivedS.set(work.siteId, before + seconds);
    }
    expect(lookCount).toBe(2_000);
  });

  test('chooses among some texts as among all', () => {
    const desk = new Desk();
    const [first, second, third] = [1, 2, 3].map((siteId) => desk.accept(siteId, 1_000)) as [
      ScheduledWork,
      ScheduledWork,
      ScheduledWork,
    ];
    const further = desk.accept(1, 500, 'further');
    const interactive = desk.accept(3, 500, 'interactive');
    for (const [audio, seconds] of [
      [first, 5],
      [second, 3],
      [third, 4],
      [further, 1],
    ] as const) {
      desk.schedule.charge(audio, seconds);
    }
    const choose = (...among: ScheduledWork[]) => desk.schedule.next((audio) => audio !== third, new Set(among));
    expect(choose(first, second)).toBe(second);
    expect(choose(further, first)).toBe(first);
    expect(choose(further, third)).toBe(further);
    expect(choose(first, second, interactive)).toBe(interactive);
    expect(choose(third)).toBeUndefined();
  });

  test('drops a removed text and accepts a changed one', () => {
    const desk = new Desk();
    const first = desk.accept(1, 500);
    const second = desk.accept(1, 500);
    desk.schedule.remove(first);
    expect(desk.schedule.size).toBe(1);
    expect(desk.speak().id).toBe(second.id);
    desk.schedule.add(second);
    desk.schedule.add(second);
    expect(desk.schedule.size).toBe(1);
    desk.schedule.remove(second);
    expect(desk.schedule.next(() => true)).toBeUndefined();
  });
});
