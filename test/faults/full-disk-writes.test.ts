import { afterAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { correctCounters, listWrongCounters } from '../../src/audio/counters.ts';
import { createBackup, restore } from '../../src/backup/backup.ts';
import { unpack } from '../../src/build/native.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { AppError } from '../../src/errors.ts';
import { openExportFolder } from '../../src/export/folder.ts';
import { FileError, writeFileAtomically, writeFileAtomicallySync } from '../../src/files.ts';
import { BodyLimits, setRequestContext } from '../../src/http/request-context.ts';
import { createLog } from '../../src/log.ts';
import { acceptIfBetter } from '../../src/speech/optimize/optimize.ts';
import type { OptimizeOutcome } from '../../src/speech/optimize/outcome.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { unpackBundle, writeBundle } from '../../src/voices/bundle.ts';
import type { InstalledVoice } from '../../src/voices/catalog.ts';
import { openOptimizerCache } from '../../src/voices/optimizer-cache.ts';
import { downloadVoice, fetchRegistry, findRegistryVoice } from '../../src/voices/registry.ts';
import { receiveVoiceUpload } from '../../src/voices/voice-files.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { startRegistry } from '../fixtures/registry.ts';
import { createSite, createTemporaryFolder, runCommand } from '../fixtures/server.ts';
import { listFileSizes, listLevels, mountSmallDisk, pageBytes } from '../fixtures/small-disk.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

const disk = mountSmallDisk(4 * 1024 * 1024);
const folder = join(disk.path, 'folder');
const voice = createToneVoice({ sampleRateHz: 16_000 });
const model = voice.model ?? new Uint8Array();
const installed = createTemporaryFolder();
const stem = 'en_US-tones-low';
const voiceFiles = await writeVoice(installed, stem, voice);
afterAll(() => disk.remove());

/**
 * Runs a function at every level of free space.
 * @param work resolves when its files are written
 * @param check checks the folder; `isDone`: whether the work has succeeded
 */
async function runAtEachLevel(
  levels: readonly number[],
  work: () => Promise<unknown>,
  check: (isDone: boolean) => void,
): Promise<void> {
  let doneCount = 0;
  for (const free of levels) {
    disk.enlarge();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    disk.leave(free);
    const error = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) doneCount += 1;
    else {
      expect(error).toBeInstanceOf(AppError);
      expect((error as Error).message).toMatch(/the disk is full|Check the disk|cannot store anything/);
    }
    const remaining = Object.keys(listFileSizes(folder)).filter((name) => name.endsWith('.partial'));
    expect([free, remaining]).toEqual([free, []]);
    check(error === undefined);
  }
  // Otherwise the levels would not be tested.
  expect(doneCount).toBeGreaterThan(0);
  expect(doneCount).toBeLessThan(levels.length);
}

function createBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + seed) % 251);
}

function computeSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @returns a request as received by a server */
function postForm(body: FormData): Request {
  const request = new Request('http://localhost/', { method: 'POST', body });
  setRequestContext(request, {
    ...{ id: 'upload', address: () => '127.0.0.1', responseHeaders: {}, setIdleTimeout: () => {} },
    bodyLimits: new BodyLimits({ bodyMemoryMb: 64, bodyRatePeriodS: 10 }),
  });
  return request;
}

/** The files of a write with enough space. */
async function runWithSpace(work: () => Promise<unknown>): Promise<Record<string, string>> {
  disk.enlarge();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  await work();
  return computeChecksums();
}

function computeChecksums(): Record<string, string> {
  const names = Object.keys(listFileSizes(folder));
  return Object.fromEntries(names.map((name) => [name, computeSha256(readFileSync(join(folder, name)))]));
}

function computeSize(): number {
  return Object.values(listFileSizes(folder)).reduce((sum, size) => sum + Math.ceil(size / pageBytes) * pageBytes, 0);
}

describe('a file', () => {
  const content = createBytes(10 * pageBytes + 123);
  const path = join(folder, 'file');
  const before = createBytes(5_000, 7);
  async function* splitContent(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += 3_333) yield content.subarray(at, at + 3_333);
  }

  test('is complete or absent, however little space is left', async () => {
    for (const write of [
      () => writeFileAtomically(path, splitContent(), { byteCount: content.length }),
      async () => writeFileAtomicallySync(path, content, { sha256: computeSha256(content) }),
      () => writeFileAtomically(path, [content], { mustBeNew: true, mode: 0o600 }),
    ]) {
      await runAtEachLevel(listLevels(content.length), write, (isDone) => {
        expect(listFileSizes(folder)).toEqual(isDone ? { file: content.length } : {});
        if (isDone) expect(readFileSync(path).equals(content)).toBe(true);
      });
    }
  });

  test('stays unchanged if there is no space for a new one', async () => {
    const replace = async () => {
      disk.enlarge();
      writeFileSync(path, before);
      disk.leave(8 * pageBytes);
      await writeFileAtomically(path, splitContent());
    };
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await expect(replace()).rejects.toThrow(`Cannot write ${path}: the disk is full`);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('with an unexpected length or checksum does not appear', async () => {
    await runWithSpace(async () => {
      const invalidInputs = [
        { byteCount: content.length + 1 },
        { sha256: '0'.repeat(64) },
        { sha256: computeSha256(before), byteCount: content.length },
      ];
      for (const expected of invalidInputs) {
        const writing = writeFileAtomically(path, splitContent(), expected);
        await expect(writing).rejects.toBeInstanceOf(FileError);
        expect(() => writeFileAtomicallySync(path, content, expected)).toThrow(FileError);
      }
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('whose content ends with an error does not appear, and the error is thrown', async () => {
    async function* yieldThenThrow(): AsyncGenerator<Uint8Array> {
      yield content;
      throw new RangeError('no more');
    }
    await runWithSpace(async () => {
      await expect(writeFileAtomically(path, yieldThenThrow())).rejects.toThrow(new RangeError('no more'));
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that must be new replaces no other, not even one created during the write', async () => {
    await runWithSpace(async () => {
      async function* yieldAfterReplacement(): AsyncGenerator<Uint8Array> {
        yield content;
        writeFileSync(path, before);
      }
      const problem = `Cannot write ${path}: it is there already`;
      const writing = writeFileAtomically(path, yieldAfterReplacement(), { mustBeNew: true });
      await expect(writing).rejects.toThrow(problem);
      await expect(writeFileAtomically(path, [content], { mustBeNew: true })).rejects.toThrow(problem);
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('replaces neither a device nor a folder', async () => {
    await expect(writeFileAtomically('/dev/null', [content])).rejects.toThrow('not a regular file');
    await expect(writeFileAtomically(folder, [content])).rejects.toThrow('it is a folder');
  });
});

describe('on a disk with any amount of space', () => {
  test('an export contains complete files only', async () => {
    const audio = createBytes(6 * pageBytes + 1);
    const names = ['audio/a.mp3', 'posts/a.html', 'page.css'] as const;
    async function* splitContent(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < audio.length; at += 5_000) yield audio.subarray(at, at + 5_000);
    }
    const exportAll = async () => {
      const exported = await openExportFolder(folder, 'site', names, false);
      await exported.writeStream(names[0], audio.length, splitContent, () => {});
      await exported.write(names[1], createBytes(9_000));
      await exported.write(names[2], createBytes(3_000));
      return exported.finish();
    };
    const whole = await runWithSpace(exportAll);
    const { 'lectern-export.json': _, ...files } = whole;
    expect(Object.keys(files).sort()).toEqual([...names].sort());
    await runAtEachLevel(listLevels(computeSize() + 2 * pageBytes), exportAll, (isDone) => {
      const { 'lectern-export.json': manifest, ...found } = computeChecksums();
      expect(whole).toMatchObject(found);
      if (manifest !== undefined) {
        JSON.parse(readFileSync(join(folder, 'lectern-export.json'), 'utf8'));
      }
      if (isDone) expect(found).toEqual(files);
    });
  });

  test('a backup and a restored data folder are complete or absent', async () => {
    const data = createTemporaryFolder();
    await openSqlite(data).close();
    const voices = join(data, 'voices');
    await writeVoice(voices, stem, voice);
    const archive = join(folder, 'backup.tar');
    const make = () =>
      createBackup({ database: undefined, data, voices, configFile: join(data, 'lectern.toml') }, archive);
    await runWithSpace(make);
    const bytes = computeSize();
    const source = join(createTemporaryFolder(), 'backup.tar');
    writeFileSync(source, readFileSync(archive));
    await runAtEachLevel(listLevels(2 * bytes, 3 * pageBytes), make, (isDone) => {
      expect(readdirSync(folder)).toEqual(isDone ? ['backup.tar'] : []);
    });
    const levels = listLevels(2 * bytes + 20 * pageBytes, 4 * pageBytes);
    const put = () => restore(source, folder);
    await runAtEachLevel(levels, put, (isDone) => {
      expect(existsSync(join(folder, 'restoring'))).toBe(false);
      expect(existsSync(join(folder, 'lectern.db'))).toBe(isDone);
    });
    await runWithSpace(put);
    expect(readFileSync(join(folder, 'voices', `${stem}.onnx`)).equals(model)).toBe(true);
  });

  test('a bundle of voices and its unpacked files are complete or absent', async () => {
    const files = { ...voiceFiles, contentHash: 'x' };
    const speaker = { stem, files, license: 'CC0', source: null, speaker: 0, name: 'Ann' };
    const speakers = [{ ...speaker, gender: 'female' } as unknown as InstalledVoice];
    const bundle = join(folder, 'voices.tar');
    const make = () => writeBundle(bundle, [{ speakers, licenseText: 'CC0\n' }], undefined);
    const whole = await runWithSpace(make);
    expect(Object.keys(whole)).toEqual(['voices.tar']);
    const source = join(createTemporaryFolder(), 'voices.tar');
    writeFileSync(source, readFileSync(bundle));
    await runAtEachLevel(listLevels(computeSize()), make, (isDone) => {
      expect(Object.keys(listFileSizes(folder))).toEqual(isDone ? ['voices.tar'] : []);
      if (isDone) expect(readFileSync(bundle).length).toBe(readFileSync(source).length);
    });
    const open = () => unpackBundle(source, folder, []);
    await runWithSpace(open);
    await runAtEachLevel(listLevels(computeSize()), open, (isDone) => {
      expect(readdirSync(folder)).toHaveLength(isDone ? 3 : 0);
    });
  });

  test('an uploaded or downloaded voice is complete or absent', async () => {
    const form = new FormData();
    form.set('model', new File([Buffer.from(model)], `${stem}.onnx`));
    form.set('config', new File([voice.config ?? ''], `${stem}.onnx.json`));
    const upload = () => receiveVoiceUpload(postForm(form), folder);
    await runWithSpace(upload);
    await runAtEachLevel(listLevels(computeSize()), upload, (isDone) => {
      expect(readdirSync(folder)).toHaveLength(isDone ? 2 : 0);
    });

    // The file is not even opened, but the form is read to its end.
    form.set('model', new File([createBytes(1_000_000)], `${stem}.onnx`));
    const nowhere = postForm(form);
    rmSync(folder, { recursive: true });
    symlinkSync('/proc/self', folder);
    await expect(receiveVoiceUpload(nowhere, folder)).rejects.toThrow('cannot store anything');
    rmSync(folder);

    const registry = await startRegistry();
    registry.addVoice('en_US-tones-low', voice, '* License: CC BY 4.0\n');
    const listed = findRegistryVoice(await fetchRegistry(registry.url), 'en_US-tones-low');
    const options = { license: undefined, acceptLicense: false, onProgress: () => {} };
    const pull = () => downloadVoice(listed, { ...options, folder });
    await runWithSpace(pull);
    await runAtEachLevel(listLevels(computeSize() + 2 * pageBytes), pull, (isDone) => {
      // A partial download is resumed later, under a separate name.
      const final = readdirSync(folder).filter((name) => !name.startsWith('.pull-'));
      expect(final).toHaveLength(isDone ? 2 : 0);
    });
    await registry.stop();
  });

  test('an optimized model is complete and recorded, or ignored', async () => {
    const contentHash = 'c'.repeat(64);
    const optimized = createBytes(5 * pageBytes + 77);
    const outcome: OptimizeOutcome = {
      ...{ outcome: 'optimized', snr_db: 120, speed_ratio: 2 },
      ...{ sha256: computeSha256(optimized), byte_count: optimized.length },
    };
    const cache = openOptimizerCache(join(folder, 'optimized'), 'a'.repeat(64));
    const keep = async () => {
      const into = cache.claim(contentHash) ?? '';
      try {
        writeAsMuchAsFits(into, optimized);
        await cache.save(contentHash, outcome);
      } finally {
        cache.release(contentHash);
      }
    };
    const keepOrSay = () =>
      keep().catch((error: unknown) => {
        const short = /it has \d+ bytes, not 20557/.test(String(error));
        throw short ? new AppError('operation_failed', 'the disk is full') : error;
      });
    await runWithSpace(keep);
    await runAtEachLevel(listLevels(computeSize()), keepOrSay, (isDone) => {
      const found = cache.find(contentHash);
      expect(found?.outcome).toBe(isDone ? 'optimized' : undefined);
      if (found?.outcome === 'optimized') {
        expect(readFileSync(found.model.path).equals(optimized)).toBe(true);
      }
      const models = Object.entries(listFileSizes(folder)).filter(([name]) => name.endsWith('.onnx'));
      expect(models.every(([, size]) => size === optimized.length)).toBe(true);
    });
  });

  test('the runtime does not accept an optimized model that is truncated', async () => {
    const config = parseVoiceConfig(voice.config ?? '');
    const into = join(folder, 'optimized.onnx');
    const optimize = () => acceptIfBetter({ original: model, rewritten: model, config }, into, 0);
    await runWithSpace(optimize);
    const size = computeSize();
    for (const free of [0, pageBytes, size - pageBytes]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      disk.leave(free);
      await expect(optimize()).rejects.toThrow('Writing the optimized model failed');
      expect(readdirSync(folder)).toEqual([]);
    }
    disk.leave(size + pageBytes);
    expect(await optimize()).toMatchObject({ outcome: 'optimized' });
  });

  test('a native library is complete or absent', async () => {
    const content = createBytes(6 * pageBytes + 5);
    const path = join(createTemporaryFolder(), 'addon');
    writeFileSync(path, content);
    const file = { name: 'addon.node', path, sha256: computeSha256(content) };
    const put = async () => unpack([file], folder);
    await runAtEachLevel(listLevels(content.length), put, (isDone) => {
      const sizes = Object.values(listFileSizes(folder));
      expect(sizes).toEqual(isDone ? [content.length] : []);
    });
  });

  test('commands that write a file report that the disk is full, and leave no file', async () => {
    const data = createTemporaryFolder();
    const mp3 = join(folder, 'said.mp3');
    const csv = join(folder, 'lexicon.csv');
    await runCommand(['lexicon', 'add', 'gif', 'jif', '--data', data]);
    const commands = [
      { path: mp3, words: ['say', 'The tide is out.', '-o', mp3] },
      { path: csv, words: ['lexicon', 'export', '-o', csv, '--data', data] },
    ];
    for (const { path, words } of commands) {
      await runWithSpace(async () => {
        disk.leave(0);
        const { code, stderr } = await runCommand(words);
        expect([code, stderr.split('\n').at(-2)]).toEqual([1, `lectern: Cannot write ${path}: the disk is full`]);
        expect(readdirSync(folder)).toEqual([]);
        disk.enlarge();
        expect((await runCommand(words)).code).toBe(0);
        expect(readdirSync(folder)).toHaveLength(1);
      });
    }
  });
});

/** Like a program that ignores the result of a write. */
function writeAsMuchAsFits(path: string, content: Uint8Array): void {
  try {
    writeFileSync(path, content);
  } catch {
    // The file is shorter then.
  }
}

// PostgreSQL stores them on a disk of its own.
test.skipIf(isOnPostgres)(
  'wrong counters do not prevent a start on a full disk, and are corrected at the next one',
  async () => {
    disk.enlarge();
    rmSync(folder, { recursive: true, force: true });
    const { siteId } = await createSite(folder);
    const database = openSqlite(folder);
    const invalidInput = { site_id: siteId, name: 'posts.2020-01', amount: 7 };
    await database.write(siteId, (db) => db.insertInto('site_counter').values(invalidInput).execute());
    disk.leave(0);
    await correctCounters(database, createLog('silent'));
    expect(await listWrongCounters(database.read)).toHaveLength(1);
    disk.enlarge();
    await correctCounters(database, createLog('silent'));
    expect(await listWrongCounters(database.read)).toEqual([]);
    await database.close();
  },
);
