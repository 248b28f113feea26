import { describe, expect, test } from 'bun:test';
import type { PendingSegment } from '../../src/audio/pending-segments.ts';
import { PendingSegments } from '../../src/audio/pending-segments.ts';

/** @param length of its synthesis */
function createSegment(length: number): PendingSegment {
  return {
    hash: crypto.randomUUID(),
    characters: length,
    params: {
      voice: { modelPath: '', configPath: '', contentHash: '' },
      ...{ speaker: 0, ids: Array(length).fill(1), audiblePhonemes: length, pauseMs: 0, gainDb: 0 },
      ...{ sampleRateHz: 16_000, bitRateKbps: 64, inferenceCount: 1, speed: 1 },
    },
  };
}

/**
 * Simulates two workers.
 * @returns positions in the order of their start, each with the first unfinished position at that time
 */
function synthesizeAll(lengths: readonly number[]) {
  const pending = new PendingSegments(2);
  pending.add(lengths.map(createSegment));
  const unfinished = new Set(lengths.keys());
  const running: { place: number; until: number; leave: () => void }[] = [];
  const started: { place: number; firstUnfinished: number; isFirstRunning: boolean }[] = [];
  let now = 0;
  while (unfinished.size > 0) {
    while (running.length < 2) {
      const taken = pending.acquire(true);
      if (taken === undefined) break;
      const { position, characters } = taken;
      const leave = () => pending.release(taken);
      running.push({ place: position, until: now + characters, leave });
      const firstUnfinished = Math.min(...unfinished);
      const isFirstRunning = running.some((segment) => segment.place === firstUnfinished);
      started.push({ place: position, firstUnfinished, isFirstRunning });
    }
    running.sort((a, b) => a.until - b.until);
    const done = running.shift();
    if (done === undefined) throw new Error('nobody works');
    now = done.until;
    done.leave();
    unfinished.delete(done.place);
  }
  return { started, now };
}

describe('the segments of a text with two workers', () => {
  test('start in order until few are left', () => {
    const { started } = synthesizeAll(Array.from({ length: 40 }, (_, index) => 10 + ((index * 7) % 13)));
    const inOrder = started.slice(0, 32).map(({ place }) => place);
    expect(inOrder).toEqual(Array.from({ length: 32 }, (_, index) => index));
    expect(started.map(({ place }) => place).slice(32)).not.toEqual(
      Array.from({ length: 8 }, (_, index) => 32 + index),
    );
  });

  test('always run the next one of a listener', () => {
    for (let shift = 0; shift < 13; shift += 1) {
      const lengths = Array.from({ length: 14 }, (_, index) => 10 + ((index * 7 + shift) % 13));
      expect(synthesizeAll(lengths).started.filter(({ isFirstRunning }) => !isFirstRunning)).toEqual([]);
    }
  });

  test('finish earlier than in order if a long one is last', () => {
    // In order: half of the short ones, then only the long one.
    expect(synthesizeAll([...Array(8).fill(10), 40]).now).toBeLessThan(80);
    expect(synthesizeAll([...Array(8).fill(10), 40]).now).toBeGreaterThanOrEqual(60);
  });
});
