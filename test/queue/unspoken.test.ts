import { describe, expect, test } from 'bun:test';
import type { PendingSegment } from '../../src/audio/pending-segments.ts';
import { PendingSegments } from '../../src/audio/pending-segments.ts';

/** A segment as long as it is told. */
function segment(length: number): PendingSegment {
  return {
    hash: crypto.randomUUID(),
    cost: length,
    params: {
      voice: { modelPath: '', configPath: '', contentHash: '' },
      ...{ speaker: 0, ids: Array(length).fill(1), audiblePhonemes: length, pauseMs: 0, gainDb: 0 },
      ...{ sampleRateHz: 16_000, bitRateKbps: 64, inferenceCount: 1, speed: 1 },
    },
  };
}

/**
 * Has two workers speak segments, each as long as it takes.
 * @returns places in the order in which they were begun, and for each what was the first that was not spoken then
 */
function speakAll(lengths: readonly number[]) {
  const unspoken = new PendingSegments(2);
  unspoken.add(lengths.map(segment));
  const left = new Set(lengths.keys());
  const atWork: { place: number; until: number; leave: () => void }[] = [];
  const begun: { place: number; firstLeft: number; isFirstInWork: boolean }[] = [];
  let now = 0;
  while (left.size > 0) {
    while (atWork.length < 2) {
      const taken = unspoken.acquire(true);
      if (taken === undefined) break;
      const { position, cost } = taken;
      const leave = () => unspoken.release(taken);
      atWork.push({ place: position, until: now + cost, leave });
      const firstLeft = Math.min(...left);
      const isFirstInWork = atWork.some((one) => one.place === firstLeft);
      begun.push({ place: position, firstLeft, isFirstInWork });
    }
    atWork.sort((one, other) => one.until - other.until);
    const done = atWork.shift();
    if (done === undefined) throw new Error('nobody works');
    now = done.until;
    done.leave();
    left.delete(done.place);
  }
  return { begun, now };
}

describe('what is left of a text for two workers', () => {
  test('is spoken in order, until few are left', () => {
    const { begun } = speakAll(Array.from({ length: 40 }, (_, index) => 10 + ((index * 7) % 13)));
    const inOrder = begun.slice(0, 32).map(({ place }) => place);
    expect(inOrder).toEqual(Array.from({ length: 32 }, (_, index) => index));
    expect(begun.map(({ place }) => place).slice(32)).not.toEqual(Array.from({ length: 8 }, (_, index) => 32 + index));
  });

  test('has what a listener hears next in work at all times', () => {
    for (let shift = 0; shift < 13; shift += 1) {
      const lengths = Array.from({ length: 14 }, (_, index) => 10 + ((index * 7 + shift) % 13));
      expect(speakAll(lengths).begun.filter(({ isFirstInWork }) => !isFirstInWork)).toEqual([]);
    }
  });

  test('ends sooner with a long one at the end than in order', () => {
    // In order: half of the short ones, and then the long one alone.
    expect(speakAll([...Array(8).fill(10), 40]).now).toBeLessThan(80);
    expect(speakAll([...Array(8).fill(10), 40]).now).toBeGreaterThanOrEqual(60);
  });
});
