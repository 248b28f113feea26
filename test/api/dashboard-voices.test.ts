import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FullVoice } from '../../src/voices/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { selectCases } from '../fixtures/scale.ts';
import { type Envelope, startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser } from '../fixtures/site-users.ts';
import { createBrokenVoice, createToneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';
import { buildArticle } from './articles.ts';

type Voices = { voices: FullVoice[] };

const server = await startServerForFile({ voices: 'built-in' });
const users = createSiteUsers(server, server.siteId);
const folder = join(server.data, 'voices');

let count = 0;
/** A new voice with a unique config. */
function createVoice(options: Partial<Parameters<typeof createToneVoice>[0]> = {}): Voice {
  const voice = createToneVoice({ sampleRateHz: 16_000, ...options });
  count += 1;
  return { ...voice, config: JSON.stringify({ ...JSON.parse(voice.config ?? ''), fresh: count }) };
}

async function send(user: SiteUser, stem: string, { model, config }: Voice, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ license: 'CC0', ...fields })) {
    if (value !== '') form.set(name, value);
  }
  // A copy, because the type of a file's parts wants a plain buffer.
  if (model !== undefined) form.set('model', new File([Uint8Array.from(model)], `${stem}.onnx`));
  if (config !== undefined) form.set('config', new File([config], `${stem}.onnx.json`));
  const response = await user.fetch('/v1/voices', { method: 'POST', body: form });
  const { message, data, errors } = (await response.json()) as Envelope<Voices>;
  return { status: response.status, message, data, errors };
}

async function importVoice(stem: string, fields: Record<string, string> = {}): Promise<FullVoice> {
  const { status, data } = await send(users.admin, stem, createVoice(), fields);
  expect(status).toBe(201);
  const [voice] = data.voices;
  if (voice === undefined) throw new Error('no voice was installed');
  return voice;
}

/** Without inspection by a worker. */
async function addVoice(stem: string): Promise<FullVoice> {
  await installVoice(server.data, stem, createVoice(), 0);
  const { data } = await users.viewer.request<Voices>('GET', '/v1/voices');
  const voice = data.voices.at(-1);
  if (voice === undefined) throw new Error('no voice was installed');
  return voice;
}

async function findVoice(id: number): Promise<FullVoice | undefined> {
  const { data } = await users.viewer.request<Voices>('GET', '/v1/voices');
  return data.voices.find((voice) => voice.id === id);
}

describe('voices', () => {
  test('are listed in full for signed-in users', async () => {
    const { status, data } = await users.outsider.request<Voices>('GET', '/v1/voices');
    expect(status).toBe(200);
    expect(data.voices.slice(0, 6)).toEqual([
      {
        ...{
          id: 1,
          name: 'Aspen',
          type: 'neural',
          language: 'en',
          locale: 'en_US',
          gender: 'female',
        },
        ...{ quality: 'medium', sample_rate: 24_000, plan_required: 'starter', enabled: true },
        ...{ license: expect.any(String), source: expect.any(String), builtin: true },
        ...{ sample_url: `${server.url}/v1/voices/1/sample.mp3`, installed_at: expect.any(String) },
        ...{ license_status: 'free', license_accepted: null },
        ...{ gain_db: expect.any(Number), real_time_factor: null, optimization: null },
      },
      expect.objectContaining({ id: 2, name: 'Cedar', language: 'en', gender: 'male' }),
      expect.objectContaining({ id: 3, name: 'Saule', language: 'fr', gender: 'female' }),
      expect.objectContaining({ id: 4, name: 'Encina', language: 'es', gender: 'female' }),
      expect.objectContaining({ id: 5, name: 'Roble', language: 'es', gender: 'male' }),
      expect.objectContaining({ id: 6, name: 'Buche', language: 'de', gender: 'female' }),
    ]);
    expect(await collectStatuses(users, (user) => user.request('GET', '/v1/voices'))).toEqual([
      401, 200, 200, 200, 200,
    ]);
  });
});

describe('a voice', () => {
  test('can be imported by an admin and used without a restart', async () => {
    const facts = { name: 'Hazel', gender: 'female', license: 'CC0', plan_required: 'growth' };
    const voice = await importVoice('en_GB-hazel-low', facts);
    expect(voice).toMatchObject({ ...facts, builtin: false, enabled: true, source: null });
    expect(existsSync(join(folder, 'en_GB-hazel-low.onnx'))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
    expect(await findVoice(voice.id)).toEqual(voice);
    expect(readLastEntry(server.data, 'voice.installed')).toMatchObject({
      ...{ actor: users.admin.email, subject: 'Hazel', after: { id: voice.id, gender: 'female' } },
    });
    await server.generate({ post_id: 'by-hazel', content: buildArticle('hazel'), voice_id: voice.id });
    expect(await server.waitUntilFinished('by-hazel')).toMatchObject({ status: 'ready' });
  });

  test('with several speakers becomes several voices', async () => {
    const { status, data } = await send(users.admin, 'en_US-choir-low', createVoice({ speakers: 3 }), {
      source: 'here',
    });
    expect(status).toBe(201);
    expect(data.voices).toHaveLength(3);
    expect(new Set(data.voices.map(({ name }) => name)).size).toBe(3);
    const [first] = data.voices;
    expect((await users.admin.request('DELETE', `/v1/voices/${first?.id}`)).status).toBe(200);
    for (const { id } of data.voices) expect(await findVoice(id)).toBeUndefined();
  });

  // voices/broken.test.ts has all of them in every run.
  test.each(
    selectCases([
      ['wrong-input-names', /not a Piper voice/],
      ['not-onnx', /not a readable, self-contained ONNX/],
      ['config-not-json', /the config is not JSON/],
      ['config-without-sample-rate', /audio\.sample_rate/],
      ['silent-output', /./],
      ['nan-output', /./],
    ] as const),
  )('that is %s is refused with the reason, and nothing is left of it', async (kind, reason) => {
    const { status, message, errors } = await send(users.admin, kind, createBrokenVoice(kind));
    expect([status, message]).toEqual([422, 'Validation failed']);
    expect(errors?.['model']?.[0]).toMatch(reason);
    expect(readdirSync(folder).filter((name) => /broken|part|-output|config-/.test(name))).toEqual([]);
    expect(readdirSync(folder)).not.toContain(`${kind}.onnx`);
  });

  test('with a restrictive license is rejected until an admin accepts it, which is recorded', async () => {
    const voice = createVoice();
    const nonCommercial = { license: 'CC BY-NC 4.0' };
    const refused = await send(users.admin, 'en_US-terms-low', voice, nonCommercial);
    expect([refused.status, refused.errors]).toEqual([
      422,
      {
        accept_license: ['en_US-terms-low: license "CC BY-NC 4.0" forbids commercial use. An admin must accept it.'],
      },
    ]);
    expect(readdirSync(folder).filter((name) => /terms|part/.test(name))).toEqual([]);
    const accepted = { ...nonCommercial, accept_license: 'true' };
    const { status, data } = await send(users.admin, 'en_US-terms-low', voice, accepted);
    expect(status).toBe(201);
    const acceptance = {
      by: users.admin.email,
      at: expect.any(String),
      text: 'license "CC BY-NC 4.0" forbids commercial use',
    };
    expect(await findVoice(data.voices[0]?.id ?? 0)).toMatchObject({
      ...{ license_status: 'non_commercial', license_accepted: acceptance },
    });
    expect(readLastEntry(server.data, 'voice.license_accepted')).toMatchObject({
      ...{ actor: users.admin.email, subject: 'Terms' },
      after: { license: 'CC BY-NC 4.0', accepted: acceptance.text },
    });
  });

  test('has the license of its model card; without a card the request must name it', async () => {
    const buildForm = (card: string) => {
      const { model, config } = createVoice();
      const form = new FormData();
      form.set('model', new File([Uint8Array.from(model ?? [])], 'en_US-carded-low.onnx'));
      form.set('config', new File([config ?? ''], 'c.json'));
      form.set('model_card', new File([card], 'MODEL_CARD'));
      return users.admin.fetch('/v1/voices', { method: 'POST', body: form });
    };
    const none = await buildForm('# Model card\n\n* License: See URL\n');
    expect(((await none.json()) as Envelope<Voices>).errors).toHaveProperty('accept_license');
    const { data } = (await (await buildForm('* License: CC BY 4.0\n')).json()) as Envelope<Voices>;
    expect(data.voices).toMatchObject([{ license: 'CC BY 4.0', license_status: 'free' }]);
    const response = await users.viewer.request('GET', `/v1/voices/${data.voices[0]?.id}/license`);
    expect(response.data).toEqual({ text: '* License: CC BY 4.0\n' });
    const builtin = await users.viewer.request('GET', '/v1/voices/1/license');
    expect(builtin.data).toEqual({ text: null });
    expect((await buildForm('x'.repeat(300_000))).status).toBe(413);
  });

  test('of the voices folder has an unaccepted license until an admin accepts it', async () => {
    await writeVoice(folder, 'en_US-dropped-low', createVoice());
    const findVoiceByName = async () => {
      const { data } = await users.viewer.request<Voices>('GET', '/v1/voices');
      return data.voices.find(({ name }) => name === 'Dropped');
    };
    const dropped = await eventually(findVoiceByName, 'it is seen');
    expect(dropped).toMatchObject({ license_status: 'missing', license_accepted: null });
    const path = `/v1/voices/${dropped.id}`;
    const changed = await users.admin.request<FullVoice>('PATCH', path, { accept_license: true });
    expect(changed.data.license_accepted).toMatchObject({ by: users.admin.email });
    expect(readLastEntry(server.data, 'voice.license_accepted')).toMatchObject({ subject: 'Dropped' });
  });

  test('is rejected if a file is missing, its name is invalid, or a field is wrong', async () => {
    const { model, config } = createVoice();
    const getImportErrors = async (stem: string, voice: Voice, fields = {}) => {
      const { status, errors } = await send(users.admin, stem, voice, fields);
      return [status, Object.keys(errors ?? {})];
    };
    expect(await getImportErrors('a', { model, config: undefined })).toEqual([422, ['config']]);
    expect(await getImportErrors('a', { model: undefined, config })).toEqual([422, ['model']]);
    expect(await getImportErrors('.hidden', { model, config })).toEqual([422, ['model']]);
    expect(await getImportErrors('a', { model, config }, { gender: 'robot' })).toEqual([422, ['gender']]);
    const plain = await users.admin.request('POST', '/v1/voices', {});
    expect(plain.status).toBe(415);
    const torn = await users.admin.fetch('/v1/voices', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="model"; filename="a.onnx"\r\n\r\nabc',
    });
    expect(torn.status).toBe(400);
    const headers = { 'content-type': 'multipart/form-data; boundary=' };
    const unbound = await users.admin.fetch('/v1/voices', { method: 'POST', headers, body: 'x' });
    expect(unbound.status).toBe(400);
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('cannot be imported twice with equal bytes or an equal name', async () => {
    const voice = createVoice();
    expect((await send(users.admin, 'en_US-twice-low', voice)).status).toBe(201);
    const name = await send(users.admin, 'en_US-twice-low', createVoice());
    expect([name.status, name.message]).toEqual([409, 'Voice en_US-twice-low already exists']);
    const bytes = await send(users.admin, 'en_US-again-low', voice);
    expect([bytes.status, bytes.message]).toEqual([
      409,
      expect.stringMatching(/^Voice already installed: \d+, Twice$/),
    ]);
    expect((await send(users.admin, 'en_US-aspen-medium', createVoice())).status).toBe(409);
  });

  test('can be renamed, disabled and assigned to a plan by admins', async () => {
    const voice = await addVoice('en_US-changed-low');
    const path = `/v1/voices/${voice.id}`;
    const change = { name: 'Juniper', enabled: false, plan_required: 'enterprise' };
    const changed = await users.admin.request<FullVoice>('PATCH', path, change);
    expect([changed.status, changed.data]).toEqual([200, { ...voice, ...change } as FullVoice]);
    expect(readLastEntry(server.data, 'voice.updated')).toMatchObject({
      ...{ actor: users.admin.email, subject: 'Changed', after: change },
      before: { name: 'Changed', enabled: true, plan_required: 'starter' },
    });
    const body = { post_id: 'disabled', content: buildArticle('disabled'), voice_id: voice.id };
    expect((await server.generate(body)).status).toBe(422);
    expect((await users.admin.request('PATCH', '/v1/voices/1', { enabled: true })).status).toBe(200);
    for (const invalidInputs of [{ name: ' ' }, { enabled: 'no' }, { plan_required: 'gold' }]) {
      const { status, errors } = await users.admin.request('PATCH', path, invalidInputs);
      expect([status, Object.keys(errors ?? {})]).toEqual([422, Object.keys(invalidInputs)]);
    }
    expect((await users.admin.request('PATCH', '/v1/voices/999', { enabled: true })).status).toBe(404);
  });

  test('is gone when it is removed, and back after Undo, which is possible for a minute', async () => {
    const voice = await addVoice('en_US-missed-low');
    const path = `/v1/voices/${voice.id}`;
    const before = await findVoice(voice.id);
    const removed = await users.admin.request('DELETE', path);
    expect([removed.status, removed.message]).toEqual([200, 'Voice removed']);
    expect(readLastEntry(server.data, 'voice.removed')).toMatchObject({ before: { id: voice.id } });
    expect(await findVoice(voice.id)).toBeUndefined();
    expect((await users.admin.fetch(`${path}/sample.mp3`)).status).toBe(404);
    expect((await users.admin.request('DELETE', path)).status).toBe(404);
    const post = { post_id: 'missed', content: buildArticle('a missed voice'), voice_id: voice.id };
    expect((await server.generate(post)).status).toBe(422);
    const site = `/v1/sites/${server.siteId}/voices`;
    expect((await users.editor.request('PATCH', site, { extra_voices: [voice.id] })).status).toBe(422);

    const restore = (user: SiteUser) => user.request<FullVoice>('POST', `${path}/restore`);
    expect(await collectStatuses(users, restore)).toEqual([401, 403, 403, 403, 200]);
    expect(await findVoice(voice.id)).toEqual(before);
    expect((await users.admin.fetch(`${path}/sample.mp3`)).status).toBe(200);
    expect(readLastEntry(server.data, 'voice.restored')).toMatchObject({ subject: voice.name });
    expect((await restore(users.admin)).status).toBe(404);

    await users.admin.request('DELETE', path);
    const aMinuteAgo = new Date(Date.now() - 61_000).toISOString();
    changeRows(server.data, 'update voice set deleted_at = ? where deleted_at is not null', aMinuteAgo);
    expect((await restore(users.admin)).status).toBe(404);
  });

  test('with several speakers is removed and restored as a whole', async () => {
    const { data } = await send(users.admin, 'en_US-duo-low', createVoice({ speakers: 2 }));
    const ids = data.voices.map(({ id }) => id);
    const list = () => Promise.all(ids.map(findVoice));
    const before = await list();
    await users.admin.request('DELETE', `/v1/voices/${ids[1]}`);
    expect(await list()).toEqual([undefined, undefined]);
    expect((await users.admin.request('POST', `/v1/voices/${ids[0]}/restore`)).status).toBe(200);
    expect(await list()).toEqual(before);
  });

  test('gets its former id when it is installed again after its removal, also under another name', async () => {
    const bytes = createVoice();
    const { data } = await send(users.admin, 'en_US-gone-low', bytes);
    const id = data.voices[0]?.id ?? 0;
    for (const stem of ['en_US-gone-low', 'en_US-renamed-low']) {
      await users.admin.request('DELETE', `/v1/voices/${id}`);
      const again = await send(users.admin, stem, bytes);
      expect([again.status, again.data.voices[0]?.id]).toEqual([201, id]);
      expect((await users.admin.request('POST', `/v1/voices/${id}/restore`)).status).toBe(404);
    }
    expect(readdirSync(folder).filter((name) => name.includes('gone'))).toEqual([]);
  });

  test('that is in use or built in cannot be removed', async () => {
    const voice = await addVoice('en_US-used-low');
    const path = `/v1/voices/${voice.id}`;
    const site = `/v1/sites/${server.siteId}`;
    const posts = { post_id: 'used/1', content: buildArticle('used'), voice_id: voice.id };
    await server.generate(posts);
    await users.editor.request('PATCH', `${site}/voices`, { extra_voices: [voice.id] });
    const used = await users.admin.request('DELETE', path);
    expect([used.status, used.message]).toEqual([409, 'Voice en_US-used-low is in use: 1 site, 1 post']);
    expect(used.errors).toEqual({ sites: ['test-site'], posts: ['used/1 (test-site)'] });
    expect(existsSync(join(folder, 'en_US-used-low.onnx'))).toBe(true);
    await users.editor.request('PATCH', `${site}/voices`, { extra_voices: [] });
    await server.waitUntilFinished('used/1');
    await users.editor.request('DELETE', `${site}/posts/${encodeURIComponent('used/1')}`);
    await eventually(async () => (await users.admin.request('DELETE', path)).status === 200, 'it can be removed');
    const builtin = await users.admin.request('DELETE', '/v1/voices/1');
    expect([builtin.status, builtin.message]).toEqual([
      409,
      'Built-in voices cannot be removed. Disable the voice instead.',
    ]);
  });

  test('speaks any text for admins, and a sample for every user', async () => {
    const response = await users.admin.fetch('/v1/voices/1/test', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'The lighthouse opens at nine.' }),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const mp3 = await response.bytes();
    const { samples, sampleRateHz } = await decodeMp3(mp3);
    expect(samples.length / sampleRateHz).toBeGreaterThan(1);
    const otherwise = await users.admin.fetch('/v1/voices/1/test', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Lighthouse', alias: 'The lighthouse opens at nine.' }),
    });
    expect(await otherwise.bytes()).toEqual(mp3);
    const [voice] = (await users.viewer.request<Voices>('GET', '/v1/voices')).data.voices;
    const path = new URL(voice?.sample_url ?? '').pathname;
    const sample = await users.viewer.fetch(path);
    expect([sample.status, sample.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect((await users.viewer.fetch(path)).headers.get('content-length')).toBe(sample.headers.get('content-length'));
    const silent = await users.admin.request('POST', '/v1/voices/1/test', { text: '…' });
    expect([silent.status, Object.keys(silent.errors ?? {})]).toEqual([422, ['text']]);
    expect((await users.admin.request('POST', '/v1/voices/99/test')).status).toBe(404);
  });

  test('can be managed by admins only', async () => {
    const admins = [401, 403, 403, 403];
    const checkAccess = async (request: (user: SiteUser) => Promise<{ status: number }>) =>
      (await collectStatuses(users, request)).slice(0, 4);
    expect(await checkAccess((user) => send(user, 'en_US-mine-low', createVoice()))).toEqual(admins);
    expect(await checkAccess((user) => user.request('PATCH', '/v1/voices/2', { enabled: true }))).toEqual(admins);
    expect(await checkAccess((user) => user.request('DELETE', '/v1/voices/2'))).toEqual(admins);
    expect(await checkAccess((user) => user.fetch('/v1/voices/2/test', { method: 'POST' }))).toEqual(admins);
    const sample = await checkAccess((user) => user.fetch('/v1/voices/2/sample.mp3'));
    expect(sample).toEqual([401, 200, 200, 200]);
  });
});
