import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArticle } from '../api/articles.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { selectCases } from '../fixtures/scale.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { type Swift, type SwiftBucket, startSwift } from '../fixtures/swift.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

let postgres: PostgresServer;

beforeAll(() => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
});
afterAll(() => postgres?.remove());

/** Every run has the database, the long one also a bucket. */
describe.each(selectCases(['database', 'bucket'] as const))('voices of machines with sound in the %s', (place) => {
  let address: string;
  let swift: Swift | undefined;
  let bucket: SwiftBucket | undefined;
  let first: TestServer;
  let second: TestServer;
  const sources = createTemporaryFolder();

  const startMachine = async (key?: string): Promise<TestServer> => {
    const data = createTemporaryFolder();
    writeFileSync(join(data, 'lectern.toml'), `database = "${address}"\n`, { mode: 0o600 });
    const env = { ...bucket?.env, ...(key === undefined ? {} : { LECTERN_BASE_URL: first.url }) };
    return startTestServer({ data, env, ...(key === undefined ? {} : { key }) });
  };
  const runLectern = (machine: TestServer, ...words: string[]) =>
    runCommand([...words, '--data', machine.data], { env: bucket?.env ?? {} });
  /** @returns its id */
  const addVoice = async (machine: TestServer, stem: string, sampleRateHz: number): Promise<number> => {
    const language = stem.slice(0, 5);
    const { modelPath } = await writeVoice(sources, stem, createToneVoice({ sampleRateHz, language }));
    const added = await runLectern(machine, 'voice', 'add', modelPath, '--accept-license', '--json');
    expect(added.stderr).toBe('');
    return (JSON.parse(added.stdout) as { voices: { id: number }[] }).voices[0]?.id ?? 0;
  };
  const listFetched = (machine: TestServer) => {
    const folder = join(machine.data, 'fetched-voices');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.onnx')) : [];
  };
  const listStored = () =>
    query<{ stem: string; content_hash: string; object_key: string | null; removed: boolean; lost: boolean }>(
      address,
      `select stem, content_hash, object_key, removed_at is not null as removed, lost_at is not null as lost
        from stored_voice order by stem`,
    );
  const findStored = (stem: string) => listStored().find((voice) => voice.stem === stem);
  const lose = async (stem: string): Promise<void> => {
    const key = findStored(stem)?.object_key;
    if (key != null) await bucket?.drop(key);
    else execute(address, `delete from stored_voice_part where model_key = '${findStored(stem)?.content_hash}'`);
  };
  const getAudio = (postId: string) =>
    query<{ status: string; error: string | null; fence: number; voice_id: number; claimed_by: number | null }>(
      address,
      `select audio.status, audio.error, fence, voice_id, claimed_by from audio join post on post.id = post_id where external_id = '${postId}'`,
    )[0];

  beforeAll(async () => {
    address = createDatabase(postgres.address);
    swift = place === 'bucket' ? await startSwift() : undefined;
    bucket = await swift?.createBucket();
    first = await startMachine();
    second = await startMachine(first.key);
  });
  afterAll(async () => {
    await Promise.all([first?.stop('SIGKILL'), second?.stop('SIGKILL')]);
    await swift?.stop();
  });

  test('a voice installed on one machine is fetched by another at its first use', async () => {
    const id = await addVoice(first, 'en_US-birch-low', 24_000);
    const fileName = `own-${findStored('en_US-birch-low')?.content_hash}.onnx`;
    expect(findStored('en_US-birch-low')?.object_key === null).toBe(place === 'database');
    const { admin } = createSiteUsers(second, second.siteId);
    const listed = await admin.request<{ voices: { id: number }[] }>('GET', '/v1/voices');
    expect(listed.data.voices.map((voice) => voice.id)).toContain(id);
    const sample = await admin.fetch(`/v1/voices/${id}/sample.mp3`);
    expect(sample.status).toBe(200);
    // The first machine synthesized the sample; the second one has not needed the model yet.
    expect(listFetched(second)).not.toContain(fileName);
    const preview = await second.request('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tts-1', voice: String(id), input: 'The harbor is open.' }),
    });
    expect(preview.status).toBe(200);
    expect(listFetched(second)).toContain(fileName);
  });

  test('files copied into a voices folder are available on the other machines', async () => {
    await writeVoice(join(second.data, 'voices'), 'en_US-maple-low', createToneVoice({ sampleRateHz: 22_050 }));
    await second.request('/v1/audio/none/status');
    await eventually(() => findStored('en_US-maple-low') !== undefined, 'the voice is stored');
    const { stdout } = await runLectern(first, 'voice', 'list');
    expect(stdout).toContain('en_US-maple-low');
  });

  test('the name of a voice is unique on all machines', async () => {
    const { modelPath } = await writeVoice(
      join(sources, 'other'),
      'en_US-birch-low',
      createToneVoice({ sampleRateHz: 48_000 }),
    );
    const again = await runLectern(second, 'voice', 'add', modelPath, '--accept-license');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('Voice en_US-birch-low already exists')]);
    expect(existsSync(join(second.data, 'voices', 'en_US-birch-low.onnx.json'))).toBe(false);
  });

  test('a post whose voice one machine cannot get is generated by a machine that has it, which stores it again', async () => {
    const id = await addVoice(first, 'en_US-cherry-low', 32_000);
    await lose('en_US-cherry-low');
    first.process.kill('SIGSTOP');
    const posted = await second.generate({ post_id: 'lost', content: buildArticle('lost'), voice_id: id });
    expect([posted.status, await posted.text()]).toEqual([202, expect.any(String)]);
    await second.waitForLogLine('fetching voice failed');
    await eventually(() => findStored('en_US-cherry-low')?.lost === true, 'it is deleted');
    expect(getAudio('lost')?.status).not.toBe('failed');
    first.process.kill('SIGCONT');
    expect(await second.waitUntilFinished('lost')).toMatchObject({ status: 'ready' });
    expect(getAudio('lost')?.voice_id).toBe(id);
    await eventually(() => findStored('en_US-cherry-low')?.lost === false, 'the voice is stored again');
  });

  test('a voice that no machine has for ten minutes counts as uninstalled', async () => {
    const id = await addVoice(first, 'en_US-damson-low', 44_100);
    rmSync(join(first.data, 'voices', 'en_US-damson-low.onnx'));
    rmSync(join(first.data, 'voices', 'en_US-damson-low.onnx.json'));
    const posted = await first.generate({ post_id: 'gone', content: buildArticle('gone'), voice_id: id });
    expect(posted.status).toBe(202);
    expect(await first.waitUntilFinished('gone')).toMatchObject({ status: 'ready' });
    await lose('en_US-damson-low');
    // The folder itself is the one that workers may read.
    for (const { data } of [first, second]) {
      for (const name of readdirSync(join(data, 'fetched-voices'))) rmSync(join(data, 'fetched-voices', name));
    }
    const changed = { post_id: 'gone', content: buildArticle('gone and changed'), voice_id: id };
    expect((await first.generate(changed)).status).toBe(202);
    const isAwaited = () => query(address, 'select since from missing_voice').length === 1;
    await eventually(isAwaited, 'the machines wait');
    expect(getAudio('gone')?.status).not.toBe('failed');
    execute(address, `update missing_voice set since = '2020-01-01T00:00:00.000Z'`);
    // As with one machine.
    expect(await first.waitUntilFinished('gone')).toMatchObject({ status: 'ready', voice_replaced: true });
  });

  test('a voice removed on one machine is removed from the others', async () => {
    const id = await addVoice(first, 'en_GB-elder-low', 16_000);
    const key = findStored('en_GB-elder-low')?.object_key;
    const removed = await runLectern(second, 'voice', 'remove', String(id));
    expect(removed.code).toBe(0);
    expect((await runLectern(first, 'voice', 'list')).stdout).not.toContain('en_GB-elder-low');
    const inFolder = join(first.data, 'voices', 'en_GB-elder-low.onnx');
    await eventually(() => !existsSync(inFolder), 'its files are deleted');
    expect(findStored('en_GB-elder-low')?.removed).toBe(true);
    if (key != null) {
      expect(query(address, `select state from object where key = '${key}'`)).toEqual([{ state: 'deleting' }]);
    }
    expect(await addVoice(second, 'en_GB-elder-low', 16_000)).toBe(id);
    expect(findStored('en_GB-elder-low')?.removed).toBe(false);
  });

  test('a move includes the user-installed voices', async () => {
    await Promise.all([first.stop(), second.stop()]);
    const target = createTemporaryFolder();
    const moved = await runLectern(second, 'move', target);
    expect(moved).toMatchObject({ code: 0 });
    const names = readdirSync(join(target, 'voices'));
    expect(names).toEqual(expect.arrayContaining(['en_US-birch-low.onnx', 'en_US-birch-low.onnx.json']));
    if (bucket !== undefined) {
      const { stdout } = await runLectern(second, 'check');
      expect(stdout).toMatch(/^ok {3}voice +Birch: /m);
      expect(stdout).toMatch(/^ok {3}sound +\d+ objects in the bucket, none missing$/m);
    }
    const { stdout } = await runCommand(['voice', 'list', '--data', target]);
    for (const stem of ['en_US-birch-low', 'en_US-maple-low', 'en_GB-elder-low']) expect(stdout).toContain(stem);
  });
});
