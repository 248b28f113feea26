import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArticle } from '../api/articles.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { type RegistryServer, startRegistry } from '../fixtures/registry.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { createBrokenVoice, createToneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly file: string;
  readonly enabled: boolean;
  readonly license: string | null;
  readonly license_status: string;
  readonly license_accepted: { by: string; text: string } | null;
  readonly gain_db: number | null;
  readonly real_time_factor: number | null;
}
type Voices = { voices: Shown[] };

let server: TestServer;
let users: SiteUsers;
let registry: RegistryServer;
/** Folder of an admin's files. */
const folder = createTemporaryFolder();

beforeAll(async () => {
  server = await startTestServer();
  users = createSiteUsers(server, server.siteId);
  registry = await startRegistry();
});
afterAll(async () => {
  await registry.stop();
  await server.stop('SIGKILL');
});

/** Runs `lectern voice …` on the server's data folder. @returns its JSON value */
async function runVoice<T = Voices>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCommand(['voice', ...words, '--json', ...getDataOption(words)]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

/** @returns the one line of a command that must fail */
async function runFailing(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['voice', ...words, ...getDataOption(words)]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr.trimEnd();
}

function getDataOption(words: readonly string[]): string[] {
  return words.includes('--data') ? [] : ['--data', server.data];
}

/** Voices that the running server has at its next request. */
async function listVoiceIds(file: string): Promise<number[]> {
  const { data } = await users.viewer.request<{ voices: { id: number; name: string }[] }>('GET', '/v1/voices');
  return data.voices.filter(({ name }) => name.startsWith(file)).map(({ id }) => id);
}

let count = 0;
/** Writes a new voice into a separate folder. */
async function writeNewVoice(name: string, voice: Voice = createToneVoice({ sampleRateHz: 16_000 })) {
  count += 1;
  const config = voice.config ?? '{}';
  const unique = config.startsWith('{"audio":') ? config : JSON.stringify({ ...JSON.parse(config), fresh: count });
  const subfolder = join(folder, String(count));
  return writeVoice(subfolder, name, { ...voice, config: unique });
}

describe('voice add', () => {
  test('installs a voice, which a running server has at its next request', async () => {
    const { modelPath } = await writeNewVoice('en_GB-hazel-low');
    const card = join(modelPath, '../MODEL_CARD');
    writeFileSync(card, '# Model card\n\n* License: CC BY 4.0\n');
    const { voices } = await runVoice('add', modelPath, '--gender', 'female', '--plan', 'growth');
    expect(voices).toMatchObject([
      {
        ...{ name: 'Hazel', file: 'en_GB-hazel-low', gender: 'female', plan_required: 'growth' },
        ...{ license: 'CC BY 4.0', license_status: 'free', license_accepted: null },
        ...{ gain_db: expect.any(Number), real_time_factor: expect.any(Number), enabled: true },
      },
    ]);
    const [hazel] = voices;
    expect(await listVoiceIds('Hazel')).toEqual([hazel?.id ?? 0]);
    expect(readLastEntry(server.data, 'voice.installed')).toMatchObject({
      ...{ actor: 'command line', subject: 'Hazel', after: { id: hazel?.id } },
    });
    expect(existsSync(modelPath)).toBe(true);
    expect(await runFailing('add', modelPath)).toBe('lectern: Voice en_GB-hazel-low already exists');
    // Undo is still possible.
    await users.admin.request('DELETE', `/v1/voices/${hazel?.id}`);
    expect((await runVoice('add', modelPath)).voices).toMatchObject([{ id: hazel?.id, enabled: true }]);
  });

  test('requires a license, and records who accepted that there is none', async () => {
    const { modelPath } = await writeNewVoice('en_US-bare-low');
    expect(await runFailing('add', modelPath)).toBe(
      'lectern: en_US-bare-low: license missing. An admin must accept it. (--accept-license)',
    );
    expect(await listVoiceIds('Bare')).toEqual([]);
    const { voices } = await runVoice('add', modelPath, '--accept-license');
    expect(voices[0]).toMatchObject({
      license_accepted: { by: 'command line', text: 'license missing' },
    });
    expect(readLastEntry(server.data, 'voice.license_accepted')).toMatchObject({
      ...{ actor: 'command line', subject: 'Bare', after: { accepted: 'license missing' } },
    });
    const { stdout } = await runCommand(['voice', 'list', '--data', server.data]);
    expect(stdout).toMatch(/^.* Bare .* - \(missing, accepted by command line\)$/m);
    expect(stdout).toMatch(/^.* Hazel .* CC BY 4\.0$/m);
  });

  test('reports an error in one line', async () => {
    const broken = await writeNewVoice('en_US-broken-low', createBrokenVoice('wrong-input-names'));
    expect(await runFailing('add', broken.modelPath, '--license', 'MIT')).toMatch(
      /^lectern: Voice validation failed: the model is not a Piper voice/,
    );
    expect(await runFailing('add', join(folder, 'none.onnx'))).toMatch(/File .*none\.onnx not found$/);
    expect(await runFailing('add', folder)).toMatch(/is not a file$/);
    const rejection = await runCommand(['voice', 'pull', 'x', '--from', 'ftp://a', '--data', folder]);
    expect([rejection.code, rejection.stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
  });
});

describe('a voice', () => {
  test('can be disabled, enabled and tested, with all speakers or one', async () => {
    const { modelPath } = await writeNewVoice(
      'en_US-choir-low',
      createToneVoice({ sampleRateHz: 16_000, speakers: 2 }),
    );
    const { voices } = await runVoice('add', modelPath, '--license', 'MIT');
    const [first, second] = voices;
    const body = { post_id: 'choir', content: buildArticle('choir'), voice_id: second?.id };
    expect((await runVoice('disable', 'en_US-choir-low')).voices.map(({ enabled }) => enabled)).toEqual([false, false]);
    expect((await server.generate(body)).status).toBe(422);
    expect((await runVoice('enable', String(second?.id))).voices).toHaveLength(1);
    expect((await server.generate(body)).status).toBe(202);
    expect(readLastEntry(server.data, 'voice.updated')).toMatchObject({
      ...{ actor: 'command line', before: { enabled: false }, after: { enabled: true } },
    });

    const file = join(folder, 'said.mp3');
    const result = await runVoice<{ id: number; real_time_factor: number }>(
      ...['test', String(first?.id), '--text', 'The lighthouse opens at nine.', '-o', file],
    );
    expect(result).toMatchObject({ id: first?.id, file, duration_seconds: expect.any(Number) });
    expect((await decodeMp3(await Bun.file(file).bytes())).samples.length).toBeGreaterThan(16_000);

    await server.waitUntilFinished('choir');
    expect(await runFailing('remove', 'en_US-choir-low')).toBe(
      'lectern: Voice en_US-choir-low is in use: 0 sites, 1 post: choir (test-site)',
    );
    expect(existsSync(join(server.data, 'voices/en_US-choir-low.onnx'))).toBe(true);
    expect((await server.generate({ ...body, voice_id: 1 })).status).toBe(202);
    expect(await runVoice<unknown>('remove', String(first?.id))).toEqual({
      ...{ file: 'en_US-choir-low', removed: voices.map(({ id }) => id) },
    });
    expect(await listVoiceIds('Choir')).toEqual([]);
    expect(await runFailing('remove', 'aspen')).toBe(
      'lectern: Built-in voices cannot be removed. Disable the voice instead.',
    );
    expect(await runFailing('test', 'nobody')).toMatch(/^lectern: Voice nobody not found. Available: /);
  });
});

describe('a voice whose files are deleted', () => {
  // On PostgreSQL its model is in the database: test/long/stored-voices.test.ts.
  test.skipIf(isOnPostgres)(
    'is reported by check while a site uses it, and is not replaced by another voice',
    async () => {
      const data = createTemporaryFolder();
      const elsewhere = ['--data', data];
      const { modelPath } = await writeNewVoice('en_US-lost-low');
      const { voices } = await runVoice('add', modelPath, '--license', 'MIT', ...elsewhere);
      const id = String(voices[0]?.id);
      await runCommand(['site', 'create', '--name', 'A', '--domain', 'a.example', ...elsewhere]);
      await runCommand(['site', 'update', '1', '--default-voice', id, ...elsewhere]);
      for (const end of ['', '.json']) rmSync(join(data, `voices/en_US-lost-low.onnx${end}`));
      const { code, stdout } = await runCommand(['check', ...elsewhere]);
      expect(code).toBe(1);
      expect(stdout).toContain(`FAIL voice     ${id}, Lost: files missing, still used by a, 0 posts`);
    },
  );
});

describe('a bundle', () => {
  test('moves voices to another installation, with a signature', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = join(folder, 'key.pem');
    const trusted = join(folder, 'trusted.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(trusted, publicKey.export({ type: 'spki', format: 'pem' }));
    const { modelPath } = await writeNewVoice('en_US-moved-low');
    const nonCommercial = ['--license', 'CC BY-NC 4.0', '--accept-license', '--name', 'Mover'];
    const { voices } = await runVoice('add', modelPath, ...nonCommercial);
    const [moved] = voices;
    const file = join(folder, 'voices.tar');
    const result = await runVoice<{ signed: boolean }>('bundle', file, 'Mover', '--sign', key);
    expect(result).toMatchObject({ signed: true, voices: [{ stem: 'en_US-moved-low' }] });
    expect(await runFailing('bundle', join(folder, 'b.tar'), 'aspen')).toMatch(
      /is a built-in voice and cannot be bundled/,
    );

    const elsewhere = ['--data', createTemporaryFolder()];
    const unsigned = join(folder, 'unsigned.tar');
    await runVoice('bundle', unsigned, 'Mover');
    const env = { LECTERN_VOICE_TRUSTED_KEYS: trusted };
    const refused = await runCommand(['voice', 'import', unsigned, ...elsewhere], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toEndWith(`lectern: ${unsigned} is not signed\n`);
    expect(await runFailing('import', file, '--verify', trusted, ...elsewhere)).toMatch(
      /en_US-moved-low: license "CC BY-NC 4\.0" forbids commercial use/,
    );
    const imported = await runVoice<Voices & { signature: string }>(
      ...['import', file, '--verify', trusted, '--accept-license', ...elsewhere],
    );
    expect(imported).toMatchObject({
      signature: 'verified',
      voices: [{ name: 'Mover', license: 'CC BY-NC 4.0', gain_db: moved?.gain_db }],
    });
    expect(await runFailing('import', file)).toMatch(/Voice en_US-moved-low/);
  });
});

describe('voice pull', () => {
  test('lists the voices of a registry, downloads one and installs it', async () => {
    const config = JSON.stringify({
      ...JSON.parse(createToneVoice({ sampleRateHz: 16_000 }).config ?? ''),
      pulled: true,
    });
    registry.addVoice('en_GB-alba-medium', { ...createToneVoice({ sampleRateHz: 16_000 }), config }, 'License: CC0\n');
    const from = ['--from', registry.url];
    expect(await runVoice<unknown>('pull', '--list', 'alb', ...from)).toEqual({
      mirror: registry.url,
      voices: [{ key: 'en_GB-alba-medium', locale: 'en_GB', quality: 'medium', speakers: 1, size_mb: 0 }],
    });
    const { voices } = await runVoice('pull', 'en_GB-alba-medium', ...from);
    expect(voices).toMatchObject([{ name: 'Alba', license: 'CC0', source: expect.stringContaining(registry.url) }]);
    expect(await listVoiceIds('Alba')).toEqual(voices.map(({ id }) => id));
    expect(await runFailing('pull', 'nothing', ...from)).toBe('lectern: Voice nothing not found in the registry');
    registry.requests.splice(0);
    expect(await runFailing('pull', 'en_GB-alba-medium', ...from)).toMatch(/Voice en_GB-alba-medium already exists$/);
    expect(registry.requests.filter(({ file }) => file.endsWith('.onnx'))).toEqual([]);
    // Undo is still possible.
    await users.admin.request('DELETE', `/v1/voices/${voices[0]?.id}`);
    expect((await runVoice('pull', 'en_GB-alba-medium', ...from)).voices).toMatchObject([{ id: voices[0]?.id }]);
  });
});
