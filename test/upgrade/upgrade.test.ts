import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { checkDatabase } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { eventually } from '../fixtures/eventually.ts';
import { selectCases } from '../fixtures/scale.ts';
import {
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { type Receiver, startReceiver } from '../fixtures/webhook-receiver.ts';
import { type FrozenFacts, type GenerateBody, unpackFrozen, unpackTar } from './frozen-folder.ts';

const frozen = join(import.meta.dir, 'frozen');
const earlierVoices = join(import.meta.dir, '../../voices/earlier');
const main = join(import.meta.dir, '../../src/main.ts');
const clock = join(import.meta.dir, 'frozen-clock.ts');

/** The voices of each build by id, with their current successors. Every run has the earliest build, the long one all. */
const folders = {
  '24-two-voices': { replaced: true, speakers: ['Cedar', 'Aspen'] },
  '24-five-voices': { replaced: false, speakers: ['Aspen', 'Cedar', 'Saule', 'Encina', 'Roble'] },
  '24-six-voices': { replaced: false, speakers: ['Aspen', 'Cedar', 'Saule', 'Encina', 'Roble', 'Buche'] },
};
test('every frozen data folder is tested', () => {
  const archives = readdirSync(frozen).map((name) => name.replace('.tar.gz', ''));
  expect(archives.toSorted()).toEqual(Object.keys(folders).toSorted());
});

describe.each(selectCases(Object.entries(folders)))('a data folder of %s', (name, { replaced, speakers }) => {
  let server: TestServer;
  let facts: FrozenFacts;
  let receiver: Receiver;
  let token: string;

  beforeAll(async () => {
    const unpacked = await unpackFrozen(join(frozen, `${name}.tar.gz`));
    facts = unpacked.facts;
    receiver = startReceiver();
    redirectWebhook(unpacked.data, `${receiver.url}/hook`);
    server = await startTestServer({
      ...{ data: unpacked.data, key: facts.key, voices: 'built-in' },
      command: [process.execPath, '--preload', clock, main],
      env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1', FROZEN_AT: facts.frozenAt },
    });
    token = await signIn(server, facts);
  });

  afterAll(async () => {
    await server.stop();
    await receiver.stop();
  });

  const show = async <T>(path: string): Promise<T> => {
    const response = await server.request(path, { headers: { authorization: `Bearer ${token}`, 'x-api-key': '' } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as Envelope<T>).data;
  };

  test('keeps its posts, its pause, its users and its settings', async () => {
    for (const { post_id, language } of facts.queued) {
      expect((await server.status(post_id, post_id === 'queued-fr' ? 'fr' : language)).status).toMatch(
        /pending|generating/,
      );
    }
    const queue = await runCommand(['queue', 'show', '--data', server.data, '--json']);
    expect(JSON.parse(queue.stdout)).toMatchObject({ paused: { by: 'command line' } });
    const site = await show<{ default_voice_id: number; extra_voices: number[]; bit_rate_kbps: number }>(
      '/v1/sites/paper',
    );
    expect(site.bit_rate_kbps).toBe(32);
    const { voices } = await show<{ voices: { id: number; name: string; enabled: boolean }[] }>('/v1/voices');
    const getName = (id: number | undefined) => voices.find((voice) => voice.id === id)?.name;
    expect(getName(site.default_voice_id)).toBe(speakers[1] ?? '');
    expect(site.extra_voices.map(getName)).toEqual([speakers[0]]);
    const { items: sources } = await show<{ items: { url: string; voice_id: number }[] }>('/v1/sites/paper/sources');
    expect(sources.map(({ url, voice_id }) => [url, getName(voice_id)])).toEqual([[facts.feedSourceUrl, speakers[0]]]);
    const { items: pronunciations } = await show<{ items: { word: string }[] }>('/v1/sites/paper/pronunciations');
    expect(pronunciations.map(({ word }) => word)).toEqual(['Ellery']);
  });

  test('plays its audio as before', async () => {
    const record = await server.status('ready');
    expect(record.status).toBe('ready');
    const mp3 = await (await fetch(`${server.url}${facts.ready.url}`)).bytes();
    expect(new Bun.CryptoHasher('sha256').update(mp3).digest('hex')).toBe(facts.ready.sha256);
    expect((await decodeMp3(mp3)).warnings).toBe('');
    const extra = await fetch(`${server.url}/v1/public/audio?domain=www.paper.example&post_id=ready&voice_id=1`);
    const { data } = (await extra.json()) as Envelope<{ audio_url: string; voice: { name: string } }>;
    expect(data.voice.name).toBe(facts.voices.find(({ id }) => id === 1)?.name ?? '');
    expect((await decodeMp3(await (await fetch(data.audio_url)).bytes())).warnings).toBe('');
    const repeated = await server.generate({ ...facts.ready.request });
    expect(repeated.status).toBe(200);
    expect((await server.status('ready')).audio_url).toBe(record.audio_url);
  });

  test('accepts every voice id of the earlier build', async () => {
    for (const { id, language } of facts.voices) {
      const content = 'The voice of the earlier build is still accepted by the new one.';
      const response = await server.generate({ post_id: `voice-${id}`, content, voice_id: id });
      expect([id, response.status]).toEqual([id, 202]);
      const { data } = (await response.json()) as Envelope<{ language: string; voice_replaced?: boolean }>;
      expect([data.language, data.voice_replaced ?? false]).toEqual([language, replaced]);
    }
  });

  test('finishes every accepted post, and delivers the webhook', async () => {
    await runCommand(['queue', 'resume', '--data', server.data]);
    for (const body of facts.queued) {
      const record = await waitUntilFinished(server, body);
      expect([body.post_id, record.status, record.voice_replaced ?? false]).toEqual([body.post_id, 'ready', replaced]);
      const mp3 = await (await fetch(record.audio_url ?? '')).bytes();
      expect((await decodeMp3(mp3)).warnings).toBe('');
    }
    await eventually(() => {
      const posts = receiver.received.map(
        ({ body }) => (JSON.parse(body) as { data: { post_id: string } }).data.post_id,
      );
      return ['ready', ...facts.queued.map(({ post_id }) => post_id)].every((id) => posts.includes(id));
    }, 'the webhook has all messages, also the one from before');
  });

  test('synthesizes a corrected article again, and serves the old audio until then', async () => {
    const { request } = facts.ready;
    const before = (await server.status('ready')).audio_url;
    await server.generate({ ...request, content: `${request.content}<p>The keeper lit the lamp at nine.</p>` });
    const record = await server.waitUntilFinished('ready');
    expect(record.status).toBe('ready');
    expect(record.audio_url).not.toBe(before);
    const certificate = await server.request('/v1/audio/ready/certificate');
    const { data } = (await certificate.json()) as Envelope<{ certificate: { segments: { voice_id: number }[] } }>;
    expect(new Set(data.certificate.segments.map(({ voice_id }) => voice_id))).toEqual(new Set([record.voice_id]));
  });

  test('continues the count of its plays', async () => {
    const analytics = await show<{ totals: { plays: number } }>('/v1/sites/paper/analytics');
    expect(analytics.totals.plays).toBe(facts.plays);
  });

  if (replaced) {
    test('restores the ids of its voices when they are installed from files or from a bundle', async () => {
      const runVoice = async (...words: string[]) => {
        const { code, stdout, stderr } = await runCommand(['voice', ...words]);
        if (code !== 0) throw new Error(stderr);
        return stdout;
      };
      const [alder, linden] = ['alder', 'linden'].map((name) => join(earlierVoices, `en_US-${name}-low.onnx`));
      await runVoice('add', alder ?? '', '--accept-license', '--data', server.data);
      const [other, bundle] = [createTemporaryFolder(), join(createTemporaryFolder(), 'linden.tar')];
      await runVoice('add', linden ?? '', '--accept-license', '--data', other);
      await runVoice('bundle', bundle, 'en_US-linden-low', '--data', other);
      await runVoice('import', bundle, '--accept-license', '--data', server.data);
      const { voices } = JSON.parse(await runVoice('list', '--json', '--data', server.data)) as {
        voices: { id: number; name: string; enabled: boolean }[];
      };
      for (const { id, name } of facts.voices) expect(voices).toContainEqual(expect.objectContaining({ id, name }));
      for (const { id } of facts.voices) {
        const content = 'The voice of the earlier build was installed again, and speaks.';
        await server.generate({ post_id: `again-${id}`, content, voice_id: id });
        const record = await server.waitUntilFinished(`again-${id}`);
        expect([record.status, record.voice_id, record.voice_replaced ?? false]).toEqual(['ready', id, false]);
      }
    });
  }

  test('passes lectern check, including its audio', async () => {
    await server.stop();
    expect(await checkDatabase(readConfig({ data: server.data }, {}))).toContain('passed the integrity check');
    const audios = await runCommand(['check', '--audios', '--data', server.data]);
    expect([audios.code, audios.stdout.match(/^FAIL.*$/gm)]).toEqual([0, null]);
  });

  test('is backed up before, for the earlier build', async () => {
    const folder = join(server.data, 'backups');
    const [backup = ''] = readdirSync(folder);
    expect(backup).toMatch(/-schema-24\.tar$/);
    const unpacked = createTemporaryFolder();
    await unpackTar(join(folder, backup), unpacked);
    const database = new BetterSqlite(join(unpacked, 'lectern.db'), { readonly: true });
    expect(database.pragma('user_version', { simple: true })).toBe(facts.schema);
    expect(database.prepare('select count(*) as n from audio').get()).not.toEqual({ n: 0 });
    database.close();
    const restored = join(createTemporaryFolder(), 'data');
    const { code, stderr } = await runCommand(['restore', join(folder, backup), '--data', restored]);
    expect([code, stderr]).toEqual([0, '']);
  });
});

/** The receiver of the earlier build does not exist any more. */
function redirectWebhook(data: string, url: string): void {
  const database = new BetterSqlite(join(data, 'lectern.db'));
  database.prepare('update webhook_endpoint set url = ?').run(url);
  database.close();
}

async function signIn(server: TestServer, { email, password }: FrozenFacts): Promise<string> {
  const response = await fetch(`${server.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return ((await response.json()) as Envelope<{ token: string }>).data.token;
}

/** Waits for a post in its language. */
async function waitUntilFinished(server: TestServer, { post_id }: GenerateBody) {
  const language = post_id === 'queued-fr' ? 'fr' : undefined;
  await eventually(
    async () => /ready|failed/.test((await server.status(post_id, language)).status),
    `${post_id} is done`,
  );
  return server.status(post_id, language);
}
