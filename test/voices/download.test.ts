import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { getConfigPath } from '../../src/voices/inspect.ts';
import { downloadVoice, fetchRegistry, findRegistryVoice, type RegistryVoice } from '../../src/voices/registry.ts';
import { type RegistryEntry, type RegistryFault, startRegistry } from '../fixtures/registry.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { createToneVoice } from '../fixtures/voice.ts';

const registry = await startRegistry();
afterAll(() => registry.stop());

const voice = createToneVoice({ sampleRateHz: 16_000 });
const model = voice.model ?? new Uint8Array();
const card = '# Model card for alba (medium)\n\n* License: CC BY 4.0\n';
const key = 'en_GB-alba-medium';
const modelFile = `${key}.onnx`;
let listed: RegistryEntry;
let folder: string;

beforeEach(() => {
  for (const name of Object.keys(registry.list)) delete registry.list[name];
  registry.faults.clear();
  awaited.clear();
  registry.requests.splice(0);
  listed = registry.addVoice(key, voice, card);
  folder = join(createTemporaryFolder(), 'voices');
});

/** Waits until a number of bytes of the model have arrived. */
const awaited = new Map<number, () => void>();

function cutAt(at: number): RegistryFault {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  awaited.set(at, resolve);
  return { kind: 'cut', at, arrived };
}

async function findVoice(name = key): Promise<RegistryVoice> {
  return findRegistryVoice(await fetchRegistry(registry.url), name);
}

async function downloadTones(options: { license?: string; acceptLicense?: boolean } = {}) {
  const progress: number[] = [];
  const arrival = await downloadVoice(await findVoice(), {
    ...{ folder, license: options.license, acceptLicense: options.acceptLicense === true },
    onProgress: (byteCount, byteMax) => {
      progress.push(byteCount / byteMax);
      const ofModel = byteCount - (byteMax - model.byteLength);
      for (const [at, arrive] of awaited) if (ofModel >= at) arrive();
    },
  });
  expect(readFileSync(arrival.modelPath).equals(model)).toBe(true);
  expect(readFileSync(getConfigPath(arrival.modelPath), 'utf8')).toBe(voice.config ?? '');
  return { ...arrival, progress };
}

async function getRejection(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  const { message, fields } = error as AppError;
  return [message, ...Object.values(fields ?? {}).flat()].join(': ');
}

/** @returns the requested ranges of the model */
function listRanges() {
  return registry.requests.filter(({ file }) => file === modelFile).map(({ range }) => range);
}

describe('a voice of a registry', () => {
  test('is downloaded completely, with its model card and its source', async () => {
    const arrival = await downloadTones();
    expect(arrival).toMatchObject({
      ...{ stem: key, licenseText: card },
      metadata: { source: `${registry.url}/en/en_GB/alba/medium/${modelFile}` },
    });
    expect(arrival.progress.at(-1)).toBe(1);
    expect(arrival.progress).toEqual(arrival.progress.toSorted((a, b) => a - b));
    expect(readdirSync(folder).filter((name) => name.startsWith('.pull'))).toEqual([]);
  });

  test('is found by its key or an alias in any case; otherwise similar ones are suggested', async () => {
    listed.aliases.push('en-gb-alba');
    registry.addVoice('en_GB-alan-low', voice, card);
    for (const name of [key, 'en-gb-alba', key.toUpperCase()]) {
      expect((await findVoice(name)).key).toBe(key);
    }
    expect(await getRejection(findVoice('en_gb-al'))).toBe(
      'Voice en_gb-al not found in the registry. Similar: en_GB-alan-low, en_GB-alba-medium',
    );
    expect(await getRejection(findVoice('xx'))).toBe('Voice xx not found in the registry');
  });

  test('can be in any language', async () => {
    registry.addVoice('pt_PT-tugão-medium', voice, card);
    const { stem, model: file } = await findVoice('pt_PT-tugão-medium');
    expect(stem).toBe('pt_PT-tugão-medium');
    expect(file.url.href).toEndWith('/pt_PT-tug%C3%A3o-medium.onnx');
  });

  test.each([
    [null, 'license missing'],
    ['* License: CC BY-NC 4.0\n', 'forbids commercial use'],
    ['* License: See URL\n', 'unknown license'],
  ])('of such a licence is not even fetched until that is accepted: %j', async (text, problem) => {
    registry.addVoice(key, voice, text);
    expect(await getRejection(downloadTones())).toContain(problem);
    expect(listRanges()).toEqual([]);
    expect((await downloadTones({ acceptLicense: true })).licenseText).toBe(text);
  });

  test('without a license in its card can be installed with a given one', async () => {
    registry.addVoice(key, voice, 'Nothing is known.');
    expect((await downloadTones({ license: 'CC0' })).metadata.license).toBe('CC0');
    registry.addVoice(key, voice, 'License: CC BY-NC 4.0');
    expect(await getRejection(downloadTones({ license: 'CC0' }))).toContain('forbids commercial use');
  });
});

describe('a download', () => {
  test('resumes where the connection was lost', async () => {
    registry.faults.set(modelFile, [cutAt(5_000), cutAt(8_000)]);
    await downloadTones();
    expect(listRanges()).toEqual([null, 'bytes=5000-', 'bytes=8000-']);
    const tags = registry.requests.filter(({ range }) => range !== null).map(({ ifRange }) => ifRange);
    expect(tags).toEqual([expect.stringMatching(/^"\w+"$/), expect.stringMatching(/^"\w+"$/)]);
  });

  test('resumes in another run of the program', async () => {
    registry.faults.set(modelFile, [cutAt(5_000), { kind: 'status', status: 403 }]);
    expect(await getRejection(downloadTones())).toMatch(/alba-medium\.onnx failed: status 403$/);
    await downloadTones();
    expect(listRanges()).toEqual([null, 'bytes=5000-', 'bytes=5000-']);
  });

  test('starts again if the registry does not support ranges, or has another file', async () => {
    registry.faults.set(modelFile, [cutAt(5_000), { kind: 'no-ranges' }]);
    await downloadTones();
    expect(listRanges()).toEqual([null, 'bytes=5000-']);

    const before = model.toReversed();
    registry.replace(modelFile, before);
    registry.faults.set(modelFile, [cutAt(5_000), { kind: 'status', status: 403 }]);
    expect(await getRejection(downloadTones())).toContain('403');
    registry.replace(modelFile, model);
    // By its ETag the first 5,000 bytes were of another file.
    await downloadTones();
  });

  test('waits for a registry that is busy', async () => {
    registry.faults.set('MODEL_CARD', [{ kind: 'status', status: 503 }]);
    await downloadTones();
  });

  test('that differs from the list is rejected, and started again once', async () => {
    registry.replace(modelFile, model.toReversed());
    expect(await getRejection(downloadTones())).toMatch(/checksum differs from the registry list$/);
    expect(listRanges()).toEqual([null, null]);
    expect(readdirSync(folder).filter((name) => name.includes('.pull'))).toEqual([expect.stringMatching(/\.part$/)]);
  });

  test('that is longer than the list says is cancelled', async () => {
    const more = new Uint8Array(model.byteLength + 1);
    more.set(model);
    registry.replace(modelFile, more);
    expect(await getRejection(downloadTones())).toMatch(/size differs from the registry list$/);
  });

  test('that does not exist fails at once', async () => {
    registry.faults.set(modelFile, [{ kind: 'status', status: 404 }]);
    expect(await getRejection(downloadTones())).toMatch(/failed: status 404$/);
    expect(listRanges()).toEqual([null]);
  });
});

describe('a list of a registry', () => {
  test('cannot contain paths elsewhere or huge files', async () => {
    const offerChanged = (name: string, change: (files: RegistryEntry['files']) => RegistryEntry['files']) => {
      const spoilt = registry.addVoice(name, voice, card);
      spoilt.files = change(spoilt.files);
    };
    const renameFiles = (to: (path: string) => string) => (files: RegistryEntry['files']) =>
      Object.fromEntries(Object.entries(files).map(([path, file]) => [to(path), file]));
    offerChanged(
      'en_US-up-low',
      renameFiles((path) => `../../${path}`),
    );
    offerChanged(
      'en_US-root-low',
      renameFiles((path) => `/${path}`),
    );
    offerChanged(
      'en_US-host-low',
      renameFiles((path) => `http://evil.example/${path}`),
    );
    offerChanged(
      'en_US-query-low',
      renameFiles((path) => path.replace('/up', '?')),
    );
    offerChanged(
      'en_US-hidden-low',
      renameFiles((path) => path.replace('en_US-hidden', '.hidden')),
    );
    offerChanged('en_US-half-low', (files) =>
      Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith('.json'))),
    );
    offerChanged('en_US-huge-low', (files) =>
      Object.fromEntries(Object.entries(files).map(([path, file]) => [path, { ...file, size_bytes: 1e12 }])),
    );
    offerChanged('en_US-\u001b[31m-low', (files) => files);
    registry.list['broken'] = { key: 'broken', files: {}, aliases: [] };
    const keys = (await fetchRegistry(registry.url)).map((voice) => voice.key);
    expect(keys.filter((name) => name !== 'en_US-query-low')).toEqual([key]);
  });

  test.each([
    ['', /Reading the voice list http:\/\/127\.0\.0\.1:\d+\/voices\.json failed: status 404|not JSON/],
    ['/nowhere', /status 404|not JSON/],
  ])('that is none is said to be none: %j', async (path, reason) => {
    const base = new URL(registry.url);
    expect(await getRejection(fetchRegistry(`${base.origin}${path}`))).toMatch(reason);
  });

  test('of an unreachable registry is reported as such', async () => {
    const gone = await startRegistry();
    await gone.stop();
    expect(await getRejection(fetchRegistry(gone.url))).toMatch(/no response$/);
    expect(existsSync(folder)).toBe(false);
  });
});
