import { afterAll, describe, expect, test } from 'bun:test';
import { SynthesisPool } from '../../src/audio/ad-hoc/synthesis-pool.ts';
import { WorkScheduler, type WorkSource } from '../../src/audio/work-scheduler.ts';
import { createLog } from '../../src/log.ts';
import { startWorkerPool } from '../../src/speech/worker-pool.ts';

const log = createLog('silent');
const limits = { deadlineS: 60, textCpuLimitS: 20, silenceS: 60, memoryMb: 1_500, nativeFolders: [] };
const workers = startWorkerPool({ ...limits, count: 1, isLazy: true, log });
afterAll(() => workers.stop());

/** @returns a site that always has a task; each task adds its name to `order` */
function addBusySite(scheduler: WorkScheduler, order: string[]): { source: WorkSource; end: () => void } {
  let hasWork = true;
  const call = scheduler.createCall(() => source);
  const source: WorkSource = {
    ...{ id: 1, siteId: 1, priority: 'normal', virtualTime: 0, isTextNext: false, nextVoiceHash: undefined },
    get hasWork() {
      return hasWork;
    },
    nextTask: () => ({
      characters: 50,
      run: async () => {
        order.push('post');
        await call('ping', {});
      },
    }),
  };
  return {
    source,
    end: () => {
      hasWork = false;
    },
  };
}

describe('WorkScheduler with one worker', () => {
  test('runs the tasks of an interactive text one after another, before posts of other sites', async () => {
    const scheduler = new WorkScheduler(workers, log);
    const order: string[] = [];
    const { source, end } = addBusySite(scheduler, order);
    scheduler.add(source);
    scheduler.fill();
    const slot = new SynthesisPool(scheduler).acquire(2);
    for (const step of ['read', 'plan', 'speak']) {
      await slot.call('ping', {});
      order.push(step);
      // Time for which a client processes a result before its next call.
      for (let count = 0; count < 20; count += 1) await Promise.resolve();
    }
    end();
    slot.release();
    await scheduler.onIdle();
    expect(order.join(' ')).toContain('read plan speak');
  });
});

describe('SynthesisPool', () => {
  test('reserves capacity for two texts of every site', () => {
    const pool = new SynthesisPool(new WorkScheduler(workers, log));
    const acquire = (siteId: number, count: number) => Array.from({ length: count }, () => pool.acquire(siteId));
    const busy = 'Too many concurrent synthesis requests';
    const slots = acquire(1, 16);
    expect(() => pool.acquire(1)).toThrow(busy);
    slots.push(...acquire(2, 16), ...acquire(3, 2));
    expect(() => pool.acquire(3)).toThrow(busy);
    for (const slot of slots) slot.release();
    expect(acquire(3, 16)).toHaveLength(16);
  });
});

describe('WorkerPool', () => {
  test('runs a task even if the first start of a worker failed', async () => {
    const pool = startWorkerPool({ ...limits, count: 1, isLazy: true, log });
    const program = process.execPath;
    process.execPath = '/missing';
    try {
      const response = pool.call('ping', {});
      process.execPath = program;
      expect(await response).toBeNull();
    } finally {
      process.execPath = program;
      await pool.stop();
    }
  });

  test('replaces a worker at once if its first task was cancelled', async () => {
    const pool = startWorkerPool({ ...limits, count: 1, log });
    const controller = new AbortController();
    const content = `<p>${'B c. '.repeat(90_000)}`;
    const cancelled = pool.call('read', { title: null, content, language: 'en' }, { signal: controller.signal });
    const next = pool.call('ping', {});
    controller.abort();
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(pool.state()).toHaveLength(1);
    expect(await next).toBeNull();
    await pool.stop();
  });
});
