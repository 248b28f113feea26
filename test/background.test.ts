import { describe, expect, test } from 'bun:test';
import pino from 'pino';
import { Jobs } from '../src/background.ts';
import { createLog } from '../src/log.ts';
import { eventually } from './fixtures/eventually.ts';

const hour = 3_600_000;
const createJobs = () => new Jobs(createLog('silent'));

describe('a periodic job', () => {
  test('runs again after a wake-up during its run, never twice at the same time', async () => {
    const jobs = createJobs();
    const ends: (() => void)[] = [];
    const job = jobs.every('test', { intervalMs: hour }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    });
    expect(ends).toHaveLength(1);
    job.wake();
    await Bun.sleep(5);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await eventually(() => ends.length === 2, 'the second run');
    ends[1]?.();
    await jobs.stop();
    expect(ends).toHaveLength(2);
  });

  test('runs once for each delayed wake-up, also while another delay is running', async () => {
    const jobs = createJobs();
    let runs = 0;
    const job = jobs.every('test', { intervalMs: hour }, async () => {
      runs += 1;
    });
    job.wake(10);
    job.wake(30);
    await eventually(() => runs === 3, 'a run for each of two wake-ups');
    await jobs.stop();
  });

  test('runs when it is due, and always after a failure', async () => {
    const jobs = createJobs();
    let runs = 0;
    let isDue = true;
    jobs.every('test', { intervalMs: 1, isDue: () => isDue }, async () => {
      runs += 1;
      if (runs === 3) isDue = false;
      if (runs === 3 || runs === 4) throw new Error('fails');
    });
    await eventually(() => runs === 5, 'two more runs than were due');
    await Bun.sleep(20);
    expect(runs).toBe(5);
    await jobs.stop();
  });

  test('logs an outage once per reason', async () => {
    const lines: string[] = [];
    const jobs = new Jobs(pino({ level: 'warn' }, { write: (line) => lines.push(line) }));
    const outcomes = ['disk full', 'disk full', 'locked', 'locked', undefined, 'locked'];
    let runs = 0;
    jobs.every('test', { intervalMs: 1 }, async () => {
      const failure = outcomes[runs];
      runs += 1;
      if (failure !== undefined) throw new Error(failure);
    });
    await eventually(() => runs > outcomes.length, 'all runs');
    await jobs.stop();
    const reasons = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message);
    expect(reasons).toEqual(['disk full', 'locked', 'locked']);
  });

  test('ends before the server does', async () => {
    const jobs = createJobs();
    const steps: string[] = [];
    jobs.every('test', { intervalMs: hour }, async () => {
      await jobs.repeat(async () => {
        steps.push('batch');
        return true;
      });
      steps.push('end');
    });
    await eventually(() => steps.length > 1, 'a second batch');
    await jobs.stop();
    expect(steps.at(-1)).toBe('end');
  });
});

describe('a queue of tasks', () => {
  test('runs one task per key at a time, and returns the running ones when it stops', async () => {
    const jobs = createJobs();
    const queue = jobs.createQueue('test', { concurrency: 2, failureDelayMs: 0 });
    const started: string[] = [];
    let wasAborted = false;
    const add = (key: string, name: string) =>
      queue.add(key, async (signal) => {
        started.push(name);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        wasAborted = true;
      });
    add('a', 'first');
    add('a', 'ignored');
    add('b', 'second');
    add('c', 'waits');
    await eventually(() => started.length === 2, 'two tasks');
    const busy = queue.listKeys();
    await jobs.stop();
    expect(wasAborted).toBe(true);
    expect(queue.listKeys().size).toBe(0);
    // As they were when they were listed.
    expect([busy.has('a'), busy.has('c'), busy.has('d')]).toEqual([true, true, false]);
    add('e', 'too late');
    expect(started).toEqual(['first', 'second']);
  });
});
