import { describe, expect, test } from 'bun:test';
import { FairScheduler, type ScheduledAudio } from '../../src/audio/fair-scheduler.ts';
import type { Priority } from '../../src/database/schema.ts';

const sentenceCost = 50;

/** Accepts texts and serves them sentence by sentence, as the queue does. */
class Desk {
  readonly schedule = new FairScheduler();
  /** The ids in the order in which they were finished. */
  readonly finished: number[] = [];
  readonly #left = new Map<number, number>();
  #nextId = 1;

  accept(siteId: number, cost: number, priority: Priority = 'normal'): ScheduledAudio {
    const virtualTime = this.schedule.nextVirtualTime(siteId, priority, cost);
    const audio = { id: this.#nextId, siteId, priority, virtualTime };
    this.#nextId += 1;
    this.add(audio, cost);
    return audio;
  }

  add(audio: ScheduledAudio, cost: number): void {
    this.#left.set(audio.id, cost);
    this.schedule.add(audio);
  }

  /** @returns the audio a sentence of which was spoken */
  speak(): ScheduledAudio {
    const audio = this.schedule.next((id) => (this.#left.get(id) ?? 0) > 0);
    if (audio === undefined) throw new Error('nothing waits');
    this.schedule.charge(audio, sentenceCost);
    const left = (this.#left.get(audio.id) ?? 0) - sentenceCost;
    this.#left.set(audio.id, left);
    if (left <= 0) {
      this.schedule.remove(audio.id);
      this.finished.push(audio.id);
    }
    return audio;
  }

  speakMany(count: number): ScheduledAudio[] {
    return Array.from({ length: count }, () => this.speak());
  }

  speakAll(): number[] {
    while (this.schedule.size > 0) this.speak();
    return this.finished;
  }
}

function shareOf(spoken: readonly ScheduledAudio[], priority: Priority): number {
  return spoken.filter((audio) => audio.priority === priority).length / spoken.length;
}

describe('FairScheduler', () => {
  test('puts a short text before a long one of the same site', () => {
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

  test('gives an idle site no credit', () => {
    const desk = new Desk();
    desk.accept(1, 100_000);
    desk.speakMany(1_000);
    desk.accept(2, 100_000);
    const spoken = desk.speakMany(100);
    expect(spoken.filter(({ siteId }) => siteId === 2).length).toBeWithin(49, 52);
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

  test('does not put a text submitted after a restart before a waiting one', () => {
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

  test('drops a removed text and accepts a changed one', () => {
    const desk = new Desk();
    const one = desk.accept(1, 500);
    const other = desk.accept(1, 500);
    desk.schedule.remove(one.id);
    expect(desk.schedule.size).toBe(1);
    expect(desk.speak().id).toBe(other.id);
    desk.schedule.add(other);
    desk.schedule.add(other);
    expect(desk.schedule.size).toBe(1);
    desk.schedule.remove(other.id);
    expect(desk.schedule.next(() => true)).toBeUndefined();
  });
});
