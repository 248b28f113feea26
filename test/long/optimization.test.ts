import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Database } from '../../src/database/database.ts';
import { createLog } from '../../src/log.ts';
import { acceptIfBetter } from '../../src/speech/optimize/optimize.ts';
import { cpuFingerprint } from '../../src/speech/optimize/outcome.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { startWorkerPool, type WorkerPool } from '../../src/speech/worker-pool.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import { openCatalog } from '../../src/voices/catalog.ts';
import { type OptimizerCache, openOptimizerCache } from '../../src/voices/optimizer-cache.ts';
import { createOptimizer, type Optimizer, startOptimizerJob } from '../../src/voices/optimizer-job.ts';
import type { FullVoice } from '../../src/voices/schema.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listChildren } from '../fixtures/processes.ts';
import { createTemporaryFolder, runCommand, startTestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { createBrokenVoice, createToneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';

const machine = 'a'.repeat(64);
const otherMachine = 'b'.repeat(64);
const tones = createToneVoice({ sampleRateHz: 16_000 });
const ids = [1, 0, 20, 0, 25, 0, 14, 0, 2];

/** @param rewritten a model that claims to be a faster original */
function optimizeInto(path: string, rewritten: Voice, speedRatioMin: number, original = tones) {
  const config = parseVoiceConfig(tones.config ?? '');
  return acceptIfBetter({ original: getModel(original), rewritten: getModel(rewritten), config }, path, speedRatioMin);
}

function getModel({ model }: Voice): Uint8Array {
  if (model === undefined) throw new Error('this voice has no model');
  return model;
}

/** @returns a tone voice, and a cache with its optimized model */
async function optimizeTones() {
  const folder = createTemporaryFolder();
  const files = await writeVoice(folder, 'en_US-tones-low', tones);
  const contentHash = computeHash(files);
  const cache = openOptimizerCache(join(folder, 'optimized'), machine);
  const outcome = await optimizeInto(cache.claim(contentHash) ?? '', tones, 0);
  await cache.save(contentHash, outcome);
  const found = cache.find(contentHash);
  if (found?.outcome !== 'optimized' || outcome.outcome !== 'optimized') {
    throw new Error('it was not optimized');
  }
  return { folder, cache, contentHash, outcome, original: { ...files, contentHash }, found };
}

function computeHash(files: Parameters<typeof identifyVoice>[0]): string {
  return identifyVoice(files).contentHash;
}

/** Voices that take long to optimize. */
async function judgeBuiltinVoices(cache: OptimizerCache): Promise<void> {
  for (const voice of builtinVoices) {
    const judged = {
      outcome: 'original',
      reason: 'not_faster',
      snr_db: 120,
      speed_ratio: 1,
    } as const;
    await cache.save(computeHash(voice), judged);
  }
}

function computeSha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
}

async function synthesize(files: Parameters<typeof loadVoice>[0]): Promise<Float32Array> {
  const voice = await loadVoice(files);
  const { samples } = await voice.synthesize(ids, 0);
  await voice.close();
  return samples;
}

describe('a rewritten model', () => {
  const path = join(createTemporaryFolder(), 'optimized.onnx');

  test('is rejected if its audio differs, or if it is not faster', async () => {
    const louder = createToneVoice({ sampleRateHz: 16_000, noise: 0.0001 });
    const shorter = createBrokenVoice('short-output');
    const silent = createBrokenVoice('silent-output');
    const noModel = createBrokenVoice('not-onnx');
    const reasons: unknown[] = [];
    for (const [rewritten, ratioMin] of [
      ...[louder, shorter, silent, noModel].map((voice) => [voice, 0] as const),
      [tones, 100] as const,
    ]) {
      const outcome = await optimizeInto(path, rewritten, ratioMin);
      reasons.push(outcome.outcome === 'original' ? outcome.reason : outcome.outcome);
      expect(existsSync(path)).toBe(false);
    }
    expect(reasons).toEqual([...['other_sound', 'other_sound', 'other_sound', 'failed'], 'not_faster']);
  });

  test('is accepted if the difference is not audible', async () => {
    const altered = createToneVoice({ sampleRateHz: 16_000, noise: 0.000004 });
    const outcome = await optimizeInto(path, altered, 0);
    expect(outcome.outcome).toBe('optimized');
    expect(outcome.snr_db).toBeWithin(75, 85);
    rmSync(path);
  });

  test('is not rejected if the disk is full', async () => {
    symlinkSync('/dev/full', path);
    await expect(optimizeInto(path, tones, 0)).rejects.toThrow('Writing the optimized model failed');
    expect(existsSync(path)).toBe(false);
  });

  test('is rejected if both are silent', async () => {
    const silent = createBrokenVoice('silent-output');
    expect(await optimizeInto(path, silent, 0, silent)).toMatchObject({ reason: 'other_sound' });
  });

  test('is loaded from then on, and sounds the same', async () => {
    const { original, found, outcome } = await optimizeTones();
    expect(outcome).toMatchObject({ outcome: 'optimized', snr_db: expect.any(Number) });
    expect(found.snr_db).toBeGreaterThanOrEqual(100);
    expect(await synthesize({ ...original, optimized: found.model })).toEqual(await synthesize(original));
    // Proof that this file is used: other audio under the same name.
    const other = getModel(createToneVoice({ sampleRateHz: 22_050 }));
    writeFileSync(found.model.path, other);
    const sha256 = computeSha256(other);
    const samples = await synthesize({ ...original, optimized: { path: found.model.path, sha256 } });
    expect(samples.length).toBeGreaterThan((await synthesize(original)).length);
  });
});

describe('an optimized model', () => {
  test('that is damaged is deleted, and the original speaks', async () => {
    const { cache, contentHash, original, found } = await optimizeTones();
    const bytes = readFileSync(found.model.path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(found.model.path, bytes);
    expect(await synthesize({ ...original, optimized: found.model })).toEqual(await synthesize(original));
    expect(existsSync(found.model.path)).toBe(false);
    expect(cache.find(contentHash)).toBeUndefined();
  });

  test('that was replaced is not deleted by a process that still requests the previous one', async () => {
    const { cache, contentHash, outcome, original, found } = await optimizeTones();
    const anew = getModel(createToneVoice({ sampleRateHz: 22_050 }));
    writeFileSync(cache.claim(contentHash) ?? '', anew);
    const facts = { sha256: computeSha256(anew), byte_count: anew.byteLength };
    await cache.save(contentHash, { ...outcome, ...facts });
    const kept = cache.find(contentHash);
    expect(kept).toMatchObject(facts);
    expect(await synthesize({ ...original, optimized: found.model })).toEqual(await synthesize(original));
    expect(cache.find(contentHash)).toEqual(kept);
  });

  test('that is truncated or has no record is ignored', async () => {
    const { folder, contentHash, found } = await optimizeTones();
    const findOptimized = () => openOptimizerCache(join(folder, 'optimized'), machine).find(contentHash);
    expect(findOptimized()).toEqual(found);
    const bytes = readFileSync(found.model.path);
    writeFileSync(found.model.path, bytes.subarray(0, 100));
    expect(findOptimized()).toBeUndefined();
    writeFileSync(found.model.path, bytes);
    expect(findOptimized()).toEqual(found);
    const record = found.model.path.replace(/[0-9a-f]+\.onnx$/, 'json');
    writeFileSync(record, readFileSync(record, 'utf8').slice(0, -1));
    expect(findOptimized()).toBeUndefined();
  });

  test('is not used on another CPU, and is deleted when the voice is optimized there', async () => {
    const { folder, cache, contentHash, outcome } = await optimizeTones();
    const there = openOptimizerCache(join(folder, 'optimized'), otherMachine);
    expect(there.find(contentHash)).toBeUndefined();
    const model = getModel(tones);
    writeFileSync(there.claim(contentHash) ?? '', model);
    const facts = { sha256: computeSha256(model), byte_count: model.byteLength };
    await there.save(contentHash, { ...outcome, ...facts });
    expect(cache.find(contentHash)).toBeUndefined();
    const names = readdirSync(join(folder, 'optimized'));
    expect(names.every((name) => name.includes(`-${otherMachine.slice(0, 16)}.`))).toBe(true);
    expect(names).toHaveLength(2);
    there.deleteOthers([]);
    expect(readdirSync(join(folder, 'optimized'))).toEqual([]);
  });
});

test('two processes do not optimize a voice at once; remains of an ended process do not block it', async () => {
  const folder = createTemporaryFolder();
  const cache = openOptimizerCache(folder, machine);
  const contentHash = 'c'.repeat(64);
  const claimed = cache.claim(contentHash) ?? '';
  const getTemporaryName = (pid: number) => claimed.replace(`.${process.pid}.`, `.${pid}.`);
  cache.release(contentHash);
  writeFileSync(getTemporaryName(process.ppid), '');
  expect(cache.claim(contentHash)).toBeUndefined();
  renameSync(getTemporaryName(process.ppid), getTemporaryName(2 ** 22 + 1));
  expect(cache.claim(contentHash)).toBe(claimed);
  expect(cache.claim(contentHash)).toBe(claimed);
  expect(readdirSync(folder)).toEqual([basename(claimed)]);
});

test('temporary files of installed voices are deleted; those that cannot be deleted are reported', () => {
  const folder = createTemporaryFolder();
  const problems: string[] = [];
  const cache = openOptimizerCache(folder, machine, (problem) => problems.push(problem));
  const contentHash = 'c'.repeat(64);
  const claimed = cache.claim(contentHash) ?? '';
  renameSync(claimed, claimed.replace(`.${process.pid}.`, `.${2 ** 22 + 1}.`));
  cache.deleteOthers([contentHash]);
  expect(readdirSync(folder)).toEqual([]);
  const undeletable = claimed.replace(`.${process.pid}.onnx.partial`, '.json');
  mkdirSync(undeletable);
  cache.delete(contentHash);
  expect(problems).toEqual([expect.stringContaining(undeletable)]);
});

test('a file in place of the folder is reported in one line', () => {
  const file = join(createTemporaryFolder(), 'optimized');
  writeFileSync(file, '');
  const cache = openOptimizerCache(file, machine);
  const problem = `Cannot write ${file}: a file is where a folder is needed`;
  expect(() => cache.claim('c'.repeat(64))).toThrow(problem);
  cache.delete('c'.repeat(64));
});

describe('an optimization', () => {
  const folder = createTemporaryFolder();
  const child = {
    deadlineS: 60,
    textCpuLimitS: 20,
    silenceS: 60,
    nativeFolders: [join(folder, 'native')],
    log: createLog('silent'),
  };
  const failed = { outcome: 'original', reason: 'failed' };

  /** @returns a tone voice, and a function that optimizes it */
  async function optimizingTones() {
    const files = await writeVoice(createTemporaryFolder(), 'en_US-tones-low', tones);
    const voice = { ...files, contentHash: computeHash(files) };
    const at = join(createTemporaryFolder(), 'optimized');
    const optimizer = createOptimizer(openOptimizerCache(at, machine), { ...child, memoryMb: 1_500 });
    return { voice, at, optimize: () => optimizer.optimize(voice) };
  }

  test('that was killed is repeated, up to three times', async () => {
    const { at, optimize } = await optimizingTones();
    const optimizeAndKill = () => {
      const before = listChildren(process.pid);
      const optimizing = optimize();
      for (const pid of listChildren(process.pid)) {
        if (!before.includes(pid)) process.kill(pid, 'SIGKILL');
      }
      return optimizing;
    };
    await expect(optimizeAndKill()).rejects.toThrow('SIGKILL');
    await expect(optimizeAndKill()).rejects.toThrow('SIGKILL');
    expect(readdirSync(at)).toEqual([]);
    expect(await optimizeAndKill()).toMatchObject(failed);
  });

  test('that exceeds its memory limit fails at once', async () => {
    // Not the tone voice, whose optimization can end before the memory of the child is measured.
    const [voice] = builtinVoices;
    if (voice === undefined) throw new Error('there are built-in voices');
    const cache = openOptimizerCache(join(createTemporaryFolder(), 'optimized'), machine);
    const optimizer = createOptimizer(cache, { ...child, memoryMb: 1 });
    const files = { ...voice, contentHash: computeHash(voice) };
    expect(await optimizer.optimize(files)).toMatchObject(failed);
  });

  test('leaves no files of a voice that is removed meanwhile', async () => {
    const { voice, at, optimize } = await optimizingTones();
    const optimizing = optimize();
    rmSync(voice.modelPath);
    await expect(optimizing).rejects.toThrow('removed');
    expect(readdirSync(at)).toEqual([]);
  });
});

describe('an idle server', () => {
  const data = createTemporaryFolder();
  const log = createLog('silent');
  const options = {
    deadlineS: 60,
    textCpuLimitS: 20,
    silenceS: 60,
    memoryMb: 1_500,
    nativeFolders: [join(data, 'native')],
    log,
  };
  let database: Database;
  let workers: WorkerPool;

  beforeAll(async () => {
    database = await openTestDatabase(data);
    workers = startWorkerPool({ ...options, count: 1, isLazy: true });
  });
  afterAll(async () => {
    await workers.stop();
    await database.close();
  });

  test('optimizes voices, and again if the result was lost', async () => {
    const folder = join(data, 'voices');
    await writeVoice(folder, 'en_US-tones-low', tones);
    const cache = openOptimizerCache(join(data, 'optimized'), machine);
    const catalog = await openCatalog(database, folder, workers, cache);
    await catalog.waitUntilInspected();
    const optimizer = createOptimizer(cache, options);
    const findTones = async () => (await catalog.voices()).find(({ stem }) => stem.includes('tones'));
    await judgeBuiltinVoices(cache);
    const stop = startOptimizerJob(
      { ...{ catalog, cache, optimizer, workers, log }, onOptimized: async () => {} },
      { pollMs: 20, maxWaitMs: 60_000, retryMs: 60_000 },
    );
    const unknown = { outcome: 'original', reason: 'unknown_architecture' };
    const waitUntilOptimized = () => eventually(async () => (await findTones())?.optimization, 'it is optimized');
    expect(await waitUntilOptimized()).toMatchObject(unknown);
    expect((await findTones())?.files).not.toHaveProperty('optimized');
    const contentHash = (await findTones())?.content_hash ?? '';
    cache.delete(contentHash);
    expect(cache.find(contentHash)).toBeUndefined();
    expect(await waitUntilOptimized()).toMatchObject(unknown);
    await stop();
  });

  test('retries once after a failure', async () => {
    const cache = openOptimizerCache(join(data, 'failed'), machine);
    const catalog = await openCatalog(database, join(data, 'none'), workers, cache);
    const failed = {
      outcome: 'original',
      reason: 'failed',
      snr_db: null,
      speed_ratio: null,
    } as const;
    const hashes = builtinVoices.map(computeHash).toSorted();
    for (const hash of hashes) await cache.save(hash, failed);
    const tried: string[] = [];
    const optimizer: Optimizer = {
      optimize: async ({ contentHash }) => {
        tried.push(contentHash);
        return cache.find(contentHash);
      },
      stop: async () => {},
    };
    const stop = startOptimizerJob(
      { ...{ catalog, cache, optimizer: optimizer, workers, log }, onOptimized: async () => {} },
      { pollMs: 5, maxWaitMs: 0, retryMs: 60_000 },
    );
    await eventually(() => tried.length >= hashes.length, 'one attempt of each');
    await Bun.sleep(100);
    await stop();
    expect(tried.toSorted()).toEqual(hashes);
  });

  test('starts no optimization while stopping, and stops before all voices are checked', async () => {
    const cache = openOptimizerCache(join(data, 'stopped'), machine);
    const catalog = await openCatalog(database, join(data, 'none'), workers, cache);
    const optimizer = createOptimizer(cache, options);
    const looked = Promise.withResolvers<void>();
    const waitForever = (): Promise<void> => {
      looked.resolve();
      return new Promise(() => {});
    };
    const stop = startOptimizerJob(
      {
        ...{ catalog: { ...catalog, waitUntilInspected: waitForever }, cache, optimizer: optimizer, workers, log },
        onOptimized: async () => {},
      },
      { pollMs: 1, maxWaitMs: 0, retryMs: 60_000 },
    );
    await looked.promise;
    await stop();
    const [voice] = await catalog.voices();
    if (voice === undefined) throw new Error('there are built-in voices');
    expect(await optimizer.optimize(voice.files)).toBeUndefined();
    expect(existsSync(join(data, 'stopped'))).toBe(false);
  });
});

describe('a server', () => {
  test('uses optimized models, and optimizes other voices when idle', async () => {
    const data = createTemporaryFolder();
    const cache = openOptimizerCache(join(data, 'optimized'), cpuFingerprint());
    await judgeBuiltinVoices(cache);
    const folder = join(data, 'voices');
    const files = await writeVoice(folder, 'en_US-tones-low', tones);
    await writeVoice(folder, 'en_US-usual-low', createToneVoice({ sampleRateHz: 22_050 }));
    // Twice the sample rate, so that the duration shows which model was used.
    const optimized = getModel(createToneVoice({ sampleRateHz: 32_000 }));
    writeFileSync(cache.claim(computeHash(files)) ?? '', optimized);
    await cache.save(computeHash(files), {
      ...{ outcome: 'optimized', snr_db: 120, speed_ratio: 1 },
      ...{ sha256: computeSha256(optimized), byte_count: optimized.byteLength },
    });

    const server = await startTestServer({ data, env: { LECTERN_OPTIMIZE_VOICES: 'on' }, voices: 'built-in' });
    const { viewer } = createSiteUsers(server, server.siteId);
    const findVoice = async (name: string) => {
      const { data: list } = await viewer.request<{ voices: FullVoice[] }>('GET', '/v1/voices');
      return list.voices.find((voice) => voice.name === name);
    };
    const measureDuration = async (name: string): Promise<number> => {
      const voice = await eventually(() => findVoice(name), `${name} is known`);
      const content = 'The lighthouse opens at nine. The keeper shows the old lamp to everyone.';
      await server.generate({ post_id: name, content, voice_id: voice.id });
      const record = await server.waitUntilFinished(name);
      expect([record.status, record.error]).toEqual(['ready', undefined]);
      return record.duration_seconds ?? 0;
    };
    /** @returns the number of bytes of samples from ad-hoc synthesis */
    const measureSpeech = async (name: string): Promise<number> => {
      const voice = await findVoice(name);
      const response = await server.request('/v1/audio/speech', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ model: 'lectern', voice: String(voice?.id), response_format: 'pcm' },
          input: 'The lighthouse opens at nine.',
        }),
      });
      expect(response.status).toBe(200);
      return (await response.arrayBuffer()).byteLength;
    };
    const measureSample = async (name: string): Promise<number> => {
      const sample = await viewer.fetch(`/v1/voices/${(await findVoice(name))?.id}/sample.mp3`);
      return (await sample.arrayBuffer()).byteLength;
    };
    try {
      const ratio = (await measureDuration('Tones')) / (await measureDuration('Usual'));
      expect(ratio).toBeGreaterThan(1.5);
      expect((await measureSpeech('Tones')) / (await measureSpeech('Usual'))).toBeGreaterThan(1.5);
      expect((await measureSample('Tones')) / (await measureSample('Usual'))).toBeGreaterThan(1.4);
      const found = await eventually(
        async () => (await findVoice('Usual'))?.optimization ?? undefined,
        'an idle server optimizes',
      );
      expect(found).toMatchObject({ outcome: 'original', reason: 'unknown_architecture' });
    } finally {
      await server.stop();
    }
  });
});

describe('voice list', () => {
  test('shows which voices were optimized, and why others were not', async () => {
    const { folder, outcome } = await optimizeTones();
    const data = join(folder, 'data');
    const runLectern = async (...words: string[]) => {
      const env = { LECTERN_OPTIMIZE_VOICES: 'on' };
      const { code, stdout } = await runCommand([...words, '--data', data], { env });
      expect(code).toBe(0);
      return stdout;
    };
    expect(outcome.outcome).toBe('optimized');
    const file = join(folder, 'en_US-tones-low.onnx');
    expect(await runLectern('voice', 'add', file, '--license', 'CC0')).toMatch(
      /Tones .* original: unknown architecture /,
    );
    const { voices } = JSON.parse(await runLectern('voice', 'list', '--json'));
    expect(voices.map(({ optimization }: { optimization: unknown }) => optimization)).toEqual([
      ...builtinVoices.map(() => null),
      { outcome: 'original', reason: 'unknown_architecture', speed_ratio: null, snr_db: null },
    ]);
    const cache = openOptimizerCache(join(data, 'optimized'), cpuFingerprint());
    await judgeBuiltinVoices(cache);
    expect(await runLectern('voice', 'optimize')).toBe('All voices are optimized\n');
    await runLectern('voice', 'remove', 'Tones');
    expect(readdirSync(join(data, 'optimized'))).toHaveLength(builtinVoices.length);
  });
});
