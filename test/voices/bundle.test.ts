import { describe, expect, test } from 'bun:test';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Header, pack } from 'tar-stream';
import type { BundleManifest } from '../../src/voices/bundle.ts';
import { unpackBundle, writeBundle } from '../../src/voices/bundle.ts';
import type { InstalledVoice } from '../../src/voices/catalog.ts';
import { getConfigPath } from '../../src/voices/inspect.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

const folder = createTemporaryFolder();
const trusted = writeKeyFiles('trusted');
const stranger = writeKeyFiles('stranger');
const stem = 'en_US-choir-low';
const { modelPath, configPath } = await writeVoice(
  folder,
  stem,
  createToneVoice({ sampleRateHz: 16_000, speakers: 2 }),
);
const speakers = [createVoice(0, 'Ann', 'female'), createVoice(1, 'Ben', 'male')];
const model = { speakers, licenseText: 'License: CC0\n' };

function createVoice(speaker: number, name: string, gender: InstalledVoice['gender']): InstalledVoice {
  const files = { modelPath, configPath, contentHash: 'x' };
  return {
    ...{ id: speaker + 5, content_hash: 'x', speaker, name, gender, stem, files },
    ...{ language: 'en', locale: 'en_US', quality: 'low', sample_rate_hz: 16_000 },
    ...{ license: 'CC0', source: 'here', plan_required: 'starter', enabled: 1 },
    ...{ gain_db: 3, real_time_factor: 0.1, installed_at: '2026' },
    ...{ license_accepted_by: null, license_accepted_at: null, license_accepted_text: null },
    ...{ builtin: null, replaced_by: null, deleted_at: null, formerIds: [] },
  };
}

function writeKeyFiles(name: string, { publicKey, privateKey } = generateKeyPairSync('ed25519')) {
  const write = (kind: string, pem: string | Buffer): string => {
    const path = join(folder, `${name}.${kind}.pem`);
    writeFileSync(path, pem);
    return path;
  };
  return {
    key: privateKey,
    privateFile: write('private', privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicFile: write('public', publicKey.export({ type: 'spki', format: 'pem' })),
  };
}

let count = 0;
function createPath(): string {
  count += 1;
  return join(folder, `bundle-${count}.tar`);
}

/** Unpacks a bundle into a separate folder. */
async function read(path: string, keys: readonly string[] = []) {
  const into = join(createTemporaryFolder(), 'voices');
  const bundle = await unpackBundle(path, into, keys);
  return { ...bundle, into };
}

/** @returns the reason why a bundle is rejected, without any remaining file */
async function getRejection(path: string, keys: readonly string[] = []): Promise<string> {
  const into = join(createTemporaryFolder(), 'voices');
  const reason = await unpackBundle(path, into, keys).then(
    () => new Error('it was not refused'),
    (error: unknown) => error,
  );
  expect(reason).toMatchObject({ code: 'operation_failed' });
  expect(existsSync(into) ? readdirSync(into) : []).toEqual([]);
  const { message } = reason as Error;
  expect(message).toMatch(/^[^\n]{5,400}$/);
  return message;
}

type Piece = readonly [name: string, content: string | Uint8Array, header?: Partial<Header>];

/** Writes any tar file. */
async function writeTar(pieces: readonly Piece[]): Promise<string> {
  const archive = pack();
  for (const [name, content, header] of pieces) {
    const bytes = Buffer.from(content as Uint8Array);
    if (header?.type === undefined) archive.entry({ name, ...header }, bytes);
    else archive.entry({ name, size: 0, ...header }, '');
  }
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const path = createPath();
  writeFileSync(path, Buffer.concat(chunks));
  return path;
}

function createPart(name: string, content: string) {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, byte_count: content.length, sha256 };
}

/** A valid manifest of a voice with placeholder files. */
function buildManifest(name: string, changes: Partial<BundleManifest['voices'][0]> = {}): string {
  const manifest: BundleManifest = {
    ...{ format: 1, lectern: '0.1.0', created_at: '2026' },
    voices: [
      {
        ...{ stem: name, license: 'CC0', source: null, license_text: null },
        speakers: [{ speaker: 0, name: 'A', gender: 'neutral' }],
        model: createPart(`${name}.onnx`, 'the model'),
        config: createPart(`${name}.onnx.json`, 'the config'),
        ...changes,
      },
    ],
  };
  return JSON.stringify(manifest);
}
const parts: readonly Piece[] = [
  ['a.onnx', 'the model'],
  ['a.onnx.json', 'the config'],
];

describe('a voice bundle', () => {
  test('contains voices with their speakers, names, license and bytes', async () => {
    const path = createPath();
    const manifest = await writeBundle(path, [model], undefined);
    expect(manifest.voices[0]).toMatchObject({
      ...{ stem, license: 'CC0', source: 'here' },
      model: { name: `${stem}.onnx`, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      license_text: { name: `${stem}.license.txt`, byte_count: 13 },
    });
    const { stagedVoices, isVerified } = await read(path);
    expect(isVerified).toBe(false);
    const [arrival] = stagedVoices;
    expect(arrival).toMatchObject({
      ...{ stem, metadata: { license: 'CC0', source: 'here' }, licenseText: 'License: CC0\n' },
    });
    expect(arrival?.speakers?.get(1)).toEqual({ name: 'Ben', gender: 'male' });
    const arrived = arrival?.modelPath ?? '';
    expect(readFileSync(arrived).equals(readFileSync(modelPath))).toBe(true);
    expect(readFileSync(getConfigPath(arrived)).equals(readFileSync(configPath))).toBe(true);
  });

  test('does not replace a file, and is not written if its key is invalid', async () => {
    const path = createPath();
    writeFileSync(path, 'mine');
    await expect(writeBundle(path, [model], undefined)).rejects.toThrow('it is there already');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const other = createPath();
    await expect(writeBundle(other, [model], configPath)).rejects.toThrow('not an Ed25519 private key');
    await expect(writeBundle(other, [model], trusted.publicFile)).rejects.toThrow('private key');
    expect(existsSync(other)).toBe(false);
  });
});

describe('a signature', () => {
  test('is required if keys are given, and can be by any of them', async () => {
    const path = createPath();
    await writeBundle(path, [model], trusted.privateFile);
    const keys = [stranger.publicFile, trusted.publicFile];
    expect((await read(path, keys)).isVerified).toBe(true);
    expect(await getRejection(path, [stranger.publicFile])).toMatch(/not signed by a trusted key/);
    expect((await read(path)).isVerified).toBe(false);
  });

  test('that is missing or wrong is rejected before any file is unpacked', async () => {
    const unsigned = createPath();
    await writeBundle(unsigned, [model], undefined);
    expect(await getRejection(unsigned, [trusted.publicFile])).toMatch(/is not signed$/);
    const manifest = buildManifest('a');
    const createSignature = (text: string, key: KeyObject) => sign(null, Buffer.from(text), key).toString('base64');
    const bundle = (signature: string) =>
      writeTar([['manifest.json', manifest], ['manifest.sig', signature], ...parts]);
    const good = await bundle(createSignature(manifest, trusted.key));
    expect((await read(good, [trusted.publicFile])).isVerified).toBe(true);
    for (const signature of [createSignature(`${manifest} `, trusted.key), 'AAAA', '', '\u0000ÿ']) {
      const rejection = await bundle(signature);
      expect(await getRejection(rejection, [trusted.publicFile])).toMatch(/not signed by a trusted key/);
    }
    // Too late: the signature must be verified before files are unpacked.
    const late = await writeTar([
      ['manifest.json', manifest],
      ...parts,
      ['manifest.sig', createSignature(manifest, trusted.key)],
    ]);
    expect(await getRejection(late, [trusted.publicFile])).toMatch(/is not signed$/);
  });

  test('requires an Ed25519 key', async () => {
    const other = writeKeyFiles('other', generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    await expect(writeBundle(createPath(), [model], other.privateFile)).rejects.toThrow('not an Ed25519 private key');
    const path = createPath();
    await writeBundle(path, [model], trusted.privateFile);
    expect(await getRejection(path, [other.publicFile])).toMatch(/not an Ed25519 public key/);
  });

  test('is verified with public keys only', async () => {
    const path = createPath();
    await writeBundle(path, [model], trusted.privateFile);
    expect(await getRejection(path, [trusted.privateFile])).toMatch(/not an Ed25519 public key/);
    expect(await getRejection(path, [configPath])).toMatch(/not an Ed25519 public key/);
    expect(await getRejection(path, [join(folder, 'none.pem')])).toMatch(/^Reading key .* failed \(ENOENT\)/);
  });
});

describe('a hostile bundle', () => {
  test('is a valid bundle with one change: the valid one is read', async () => {
    const { stagedVoices: arrivals } = await read(await writeTar([['manifest.json', buildManifest('a')], ...parts]));
    expect(arrivals.map((arrival) => arrival.stem)).toEqual(['a']);
  });

  test.each<[string, readonly Piece[], RegExp]>([
    ['is empty', [], /the file is empty/],
    ['has no manifest', parts, /the manifest is not the first entry/],
    ['has its manifest last', [...parts, ['manifest.json', buildManifest('a')]], /the manifest is not the first entry/],
    ['has a manifest that is no JSON', [['manifest.json', '{'], ...parts], /not JSON/],
    ['is of another format', [['manifest.json', '{"format":2}']], /manifest is invalid at/],
    [
      'lacks a part',
      [
        ['manifest.json', buildManifest('a')],
        ['a.onnx', 'the model'],
      ],
      /is missing/,
    ],
    [
      'has a part twice',
      [['manifest.json', buildManifest('a')], ...parts, ['a.onnx', 'the model']],
      /"a\.onnx" is not in the manifest or appears twice/,
    ],
    [
      'has a part that nobody asked for',
      [['manifest.json', buildManifest('a')], ['../evil', 'x'], ...parts],
      /"\.\.\/evil" is not in the manifest/,
    ],
    [
      'has other bytes than it says',
      [
        ['manifest.json', buildManifest('a')],
        ['a.onnx', 'THE model'],
        ['a.onnx.json', 'the config'],
      ],
      /a\.onnx has the wrong SHA-256/,
    ],
    [
      'has more bytes than it says',
      [
        ['manifest.json', buildManifest('a')],
        ['a.onnx', 'the model is long'],
      ],
      /a\.onnx has the wrong size/,
    ],
    [
      'has a link in it',
      [
        ['manifest.json', buildManifest('a')],
        ['a.onnx', '', { type: 'symlink', linkname: '/etc' }],
      ],
      /is not a regular file/,
    ],
    [
      'has a folder in it',
      [
        ['manifest.json', buildManifest('a')],
        ['a.onnx', '', { type: 'directory' }],
      ],
      /is not a regular file/,
    ],
    ['leads out of the folder', [['manifest.json', buildManifest('../a')]], /contains (an )?invalid file names?/],
    ['hides its files', [['manifest.json', buildManifest('.a')]], /contains (an )?invalid file names?/],
    [
      'writes on terminals',
      [['manifest.json', buildManifest('a', { license: 'MIT\u001b[31m' })]],
      /manifest is invalid at/,
    ],
    [
      'names a part after another file',
      [['manifest.json', buildManifest('a', { model: createPart('../a.onnx', 'the model') })]],
      /contains (an )?invalid file names?/,
    ],
    [
      'is too large',
      [['manifest.json', buildManifest('a', { model: { ...createPart('a.onnx', ''), byte_count: 600_000_000 } })]],
      /manifest is invalid at \/voices\/0\/model\/byte_count/,
    ],
    ['has a huge manifest', [['manifest.json', ' '.repeat(5_000_000)]], /manifest\.json is too/],
    [
      'has a huge signature',
      [['manifest.json', buildManifest('a')], ['manifest.sig', 'A'.repeat(5_000)], ...parts],
      /manifest\.sig is too large/,
    ],
  ])('that %s is refused, and nothing of it is left', async (_, pieces, reason) => {
    expect(await getRejection(await writeTar(pieces))).toMatch(reason);
  });

  test('that contains a voice twice, in any case, is rejected', async () => {
    const lowerCase = JSON.parse(buildManifest('a'));
    const upperCase = JSON.parse(buildManifest('A'));
    const voices = [...lowerCase.voices, ...upperCase.voices];
    const path = await writeTar([['manifest.json', JSON.stringify({ ...lowerCase, voices })], ...parts]);
    expect(await getRejection(path)).toMatch(/it contains a voice twice/);
  });

  test('that is truncated anywhere is rejected', async () => {
    const whole = readFileSync(await writeTar([['manifest.json', buildManifest('a')], ...parts]));
    for (const length of [1, 300, 512, 700, 1_200, 1_536, 2_000, 2_050]) {
      const path = createPath();
      writeFileSync(path, whole);
      truncateSync(path, length);
      expect(await getRejection(path)).toMatch(/the tar file is incomplete or invalid|is missing|the file is empty/);
    }
  });

  test('that is no tar file, or does not exist, is rejected', async () => {
    const path = createPath();
    writeFileSync(path, 'x'.repeat(10_000));
    expect(await getRejection(path)).toMatch(/the tar file is incomplete or invalid/);
    expect(await getRejection(join(folder, 'none.tar'))).toMatch(/File/);
    expect(await getRejection(folder)).toMatch(/File/);
  });
});
