import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { addDefaultVoice, installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { watchSegments } from '../fixtures/segment-log.ts';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

/** Each crash takes as much CPU time. */
const timeLimitS = 4;
setDefaultTimeout(300_000);

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

const harmless = '<p>Number one does no harm.</p><p>Number two does no harm.</p>';

describe('a sentence that crashes every worker', () => {
  test('makes its post fail with a plain reason after two timeouts, while others continue', async () => {
    const data = createTemporaryFolder();
    const stalling = createStallingVoice({ symbols: 'j', stall: 'endless' });
    await installVoice(data, 'en_US-stalling-low', stalling, 0);
    const { key } = await createSite(data);
    const voice_id = await findVoiceId(data, 'en_US-stalling-low');
    const log = watchSegments(data);
    const server = await startTestServer({
      data,
      key,
      flags: ['--workers', '2'],
      env: { LECTERN_WORKER_DEADLINE_S: `${timeLimitS}` },
    });
    running.push(server);
    const bad = '<p>This sentence is fine. The yellow one is what nobody can speak. So is this.</p>';
    await server.generate({ post_id: 'bad', content: bad, voice_id });
    await server.generate({ post_id: 'good', content: harmless, voice_id });
    expect(await server.waitUntilFinished('good')).toMatchObject({ status: 'ready' });
    expect((await server.status('bad')).status).toBe('generating');
    const [site] = log.readRows<{ domain: string }>('select domain from site_domain');
    const query = new URLSearchParams({ domain: site?.domain ?? '', post_id: 'bad' });
    const stream = await fetch(`${server.url}/v1/public/audio/stream?${query}`);
    expect(stream.status).toBe(200);
    const cut = expect(stream.bytes()).rejects.toThrow();
    expect(await server.waitUntilFinished('bad')).toMatchObject({
      status: 'failed',
      error: `Synthesis of a sentence failed: time limit of ${timeLimitS} s exceeded`,
    });
    // A listener must not mistake the intact sentence for the whole article.
    await cut;
    const countTimeouts = () => server.log().match(/worker timed out/g)?.length ?? 0;
    // On a loaded machine the harmless sentence can reach the limit, too.
    await eventually(() => countTimeouts() >= 2, 'the log has two messages');
    await server.generate({ post_id: 'later', content: `${harmless}<p>More.</p>`, voice_id });
    expect((await server.waitUntilFinished('later')).status).toBe('ready');
    expect(log.readRows('select id from version where media_key is null')).toEqual([]);
  });

  test('is synthesized in parts if that helps, and as a whole again with the next correction', async () => {
    const data = createTemporaryFolder();
    const stalling = createStallingVoice({ symbols: 'j', stall: 'endless', atOnce: 2 });
    await installVoice(data, 'en_US-stalling-low', stalling, 0);
    const { key } = await createSite(data);
    const voice_id = await findVoiceId(data, 'en_US-stalling-low');
    const env = { LECTERN_WORKER_DEADLINE_S: `${timeLimitS}` };
    const server = await startTestServer({ data, key, env });
    running.push(server);
    const countTimeouts = () => server.log().match(/worker timed out/g)?.length ?? 0;
    const fine = 'This sentence is fine.';
    const content = `<p>${fine} The yellow one is what nobody can speak to you.</p>`;
    await server.generate({ post_id: 'parts', content, voice_id });
    expect(await server.waitUntilFinished('parts')).toMatchObject({ status: 'ready' });
    const before = await eventually(() => countTimeouts() || undefined, 'the log has a message');
    await server.generate({
      post_id: 'parts',
      content: content.replace(fine, 'So is this.'),
      voice_id,
    });
    expect(await server.waitUntilFinished('parts')).toMatchObject({ status: 'ready' });
    await eventually(() => countTimeouts() > before, 'the log has another message');
  });
});

describe('a voice that crashes every worker at its first use', () => {
  test('makes the post fail with a plain reason', async () => {
    const data = createTemporaryFolder();
    // Otherwise each new worker loads the hanging voice as the default one.
    await addDefaultVoice(data);
    const hanging = createStallingVoice({ symbols: 'ə', stall: 'endless' });
    await installVoice(data, 'en_US-hanging-low', hanging, null);
    const { key } = await createSite(data);
    const voice_id = await findVoiceId(data, 'en_US-hanging-low');
    const env = { LECTERN_WORKER_DEADLINE_S: '2' };
    const server = await startTestServer({ data, key, env });
    running.push(server);
    await server.generate({ post_id: 'a', content: harmless, voice_id });
    expect(await server.waitUntilFinished('a')).toMatchObject({
      status: 'failed',
      error: 'Voice Hanging failed: measuring the loudness crashed the worker',
    });
  });
});

describe('a text over the CPU time limit', () => {
  test('makes its post fail after one attempt with that reason, while others continue', async () => {
    const data = createTemporaryFolder();
    const { key } = await createSite(data);
    const env = { LECTERN_TEXT_CPU_S: '1' };
    const server = await startTestServer({ data, key, flags: ['--workers', '1'], env });
    running.push(server);
    const content = '<li>XIV'.repeat(70_000);
    await server.generate({ post_id: 'bad', content });
    await server.generate({ post_id: 'good', content: harmless });
    expect(await server.waitUntilFinished('bad')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('CPU time limit of 1 s exceeded). Shorten'),
    });
    expect(await server.waitUntilFinished('good')).toMatchObject({ status: 'ready' });
    expect(server.log().match(/worker timed out/g)).toHaveLength(1);
  });
});
