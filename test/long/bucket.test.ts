import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openBucket } from '../../src/audio/media/bucket.ts';
import type { Timings } from '../../src/audio/schema.ts';
import { checkBucket, checkObjects } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import { readRows } from '../api/stored-rows.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { copyDatabase, isOnPostgres, openTestDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { selectCases } from '../fixtures/scale.ts';
import {
  createTemporaryFolder,
  type Envelope,
  runCommand,
  runProcess,
  startTestServer,
  type TestServer,
  withNewSite,
} from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { type Swift, type SwiftBucket, startSwift } from '../fixtures/swift.ts';

const sentences = ['The harbor is open.', 'The bridge is closed.', 'The lighthouse is lit.', 'The market is quiet.'];
const toHtml = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('');
const article = toHtml(sentences);
/** Of a server whose bucket is away or hangs. */
const maxRequestMs = 10_000;

let swift: Swift;
let bucket: SwiftBucket;
let server: TestServer;

beforeAll(async () => {
  swift = await startSwift();
  bucket = await swift.createBucket();
  server = await startTestServer({ env: { ...bucket.env, LECTERN_OBJECT_GRACE_DAYS: '0' } });
});
afterAll(async () => {
  await server.stop('SIGKILL');
  await swift.stop();
});

/** Deletes the files that could be served without the bucket. */
function forgetFiles(data: string): void {
  rmSync(join(data, 'media'), { recursive: true, force: true });
}

async function generateAndWait(site: TestServer, postId: string, content = article): Promise<string> {
  expect((await site.generate({ post_id: postId, content })).status).toBe(202);
  return waitForUrl(site, postId);
}

async function waitForUrl(site: TestServer, postId: string): Promise<string> {
  const record = await site.waitUntilFinished(postId);
  expect(record).toMatchObject({ status: 'ready' });
  return record.audio_url ?? '';
}

function listObjects(data: string, where = 'true') {
  return readRows<{ key: string; state: string; byte_count: number }>(
    data,
    `select key, state, byte_count from object where ${where} order by changed_at`,
  );
}

function getObjectKey(data: string, url: string): string {
  const mediaKey = /([\w-]+)\.mp3$/.exec(url)?.[1];
  const query = `select object_key from version where media_key = '${mediaKey}'`;
  return readRows<{ object_key: string }>(data, query)[0]?.object_key ?? '';
}

async function listSounds(of: SwiftBucket = bucket): Promise<string[]> {
  return (await of.list()).filter((key) => key.startsWith('sound/'));
}

/** As `lectern check` does. */
function checkSound(data: string, { env }: SwiftBucket): Promise<string> {
  const config = readConfig({ data }, env);
  const opened = openBucket(config);
  if (opened === undefined) throw new Error('no bucket');
  return checkBucket(config, opened);
}

function countSpoken(site: TestServer): Promise<number> {
  return fetch(`${site.url}/metrics`)
    .then((response) => response.text())
    .then((text) => Number(/^lectern_segments_total\{source="spoken"\} (\d+)$/m.exec(text)?.[1]));
}

/** Starts a proxy before a bucket. @param respond may change a request, or respond in its place */
function startBucketProxy(
  { env }: SwiftBucket,
  respond: (request: Request, forward: (request: Request) => Promise<Response>) => Response | Promise<Response>,
) {
  const sound = env['LECTERN_SOUND'] ?? '';
  const target = new URL(/endpoint=([^&]+)/.exec(sound)?.[1] ?? '');
  const forward = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(new URL(pathname + search, target), request);
  };
  const proxy = Bun.serve({ port: 0, fetch: (request) => respond(request, forward) });
  const address = sound.replace(target.origin, proxy.url.origin);
  return { env: { ...env, LECTERN_SOUND: address }, [Symbol.dispose]: () => proxy[Symbol.dispose]() };
}

describe('audio in a bucket', () => {
  test('is stored as one object, and its frames are removed from the segment rows', async () => {
    const site = await withNewSite(server);
    const url = await generateAndWait(site, 'stored');
    const key = getObjectKey(server.data, url);
    expect(key).toMatch(new RegExp(`^sound/${site.siteId}/\\d+-[\\w-]{12}\\.mp3$`));
    const object = await bucket.get(key);
    expect(listObjects(server.data, `key = '${key}'`)).toEqual([{ key, state: 'live', byte_count: object.byteLength }]);
    const rows = readRows<{ bytes: number; byte_count: number; object_key: string }>(
      server.data,
      `select length(frames) as bytes, byte_count, object_key from segment where site_id = ${site.siteId}`,
    );
    expect(rows).toHaveLength(sentences.length);
    for (const row of rows) expect(row).toMatchObject({ bytes: 0, object_key: key });

    const fromFile = await (await fetch(url)).bytes();
    forgetFiles(server.data);
    const fromBucket = await (await fetch(url)).bytes();
    expect(Buffer.compare(fromFile, object)).toBe(0);
    expect(Buffer.compare(fromBucket, object)).toBe(0);
    const timings = (await (await fetch(url.replace('.mp3', '.json'))).json()) as Timings;
    expect(timings.segments).toHaveLength(sentences.length);
  });

  test('supports ranges and has the same headers as audio in the database', async () => {
    const site = await withNewSite(server);
    const url = await generateAndWait(site, 'ranges', article.repeat(8));
    const object = await bucket.get(getObjectKey(server.data, url));
    forgetFiles(server.data);
    const part = await fetch(url, { headers: { range: 'bytes=100-299' } });
    expect(part.status).toBe(206);
    expect(Object.fromEntries(part.headers)).toMatchObject({
      'content-range': `bytes 100-299/${object.byteLength}`,
      'content-length': '200',
      'content-type': 'audio/mpeg',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      etag: expect.stringMatching(/^"[\w-]+\.mp3"$/),
    });
    expect(Buffer.compare(await part.bytes(), object.subarray(100, 300))).toBe(0);
    const tail = await fetch(url, { headers: { range: 'bytes=-50' } });
    expect(Buffer.compare(await tail.bytes(), object.subarray(-50))).toBe(0);
    expect((await fetch(url, { headers: { range: `bytes=${object.byteLength}-` } })).status).toBe(416);
    const etag = part.headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(object.byteLength));
    // It required no download.
    expect(object.byteLength).toBeGreaterThan(128 * 1024);
    expect(existsSync(join(server.data, 'media'))).toBe(false);
  });

  test('gets a new object after a correction, which synthesizes only the changed sentence', async () => {
    const site = await withNewSite(server);
    const before = await generateAndWait(site, 'corrected');
    const segmentCount = await countSpoken(site);
    const after = await generateAndWait(site, 'corrected', toHtml(sentences.with(1, 'The bridge is open again.')));
    expect((await countSpoken(site)) - segmentCount).toBe(1);
    const [oldKey, newKey] = [getObjectKey(server.data, before), getObjectKey(server.data, after)];
    expect(newKey).not.toBe(oldKey);
    // The old version remains available.
    forgetFiles(server.data);
    expect((await fetch(before)).status).toBe(200);
    expect(Buffer.compare(await (await fetch(after)).bytes(), await bucket.get(newKey))).toBe(0);
    const places = readRows<{ object_key: string; count: number }>(
      server.data,
      `select object_key, count(*) as count from segment where site_id = ${site.siteId} group by 1 order by 2`,
    );
    expect(places).toEqual([
      { object_key: oldKey, count: 1 },
      { object_key: newKey, count: sentences.length },
    ]);
    const { stdout, code } = await runCommand(['check', '--audios', '--data', server.data], { env: bucket.env });
    expect(stdout).toContain('match their certificates');
    expect(code).toBe(0);
  });

  test('is deleted with its post, and generated again when the post is restored', async () => {
    const site = await withNewSite(server);
    const url = await generateAndWait(site, 'deleted');
    const key = getObjectKey(server.data, url);
    expect((await site.request('/v1/audio/deleted', { method: 'DELETE' })).status).toBe(200);
    expect((await fetch(url)).status).toBe(410);
    await eventually(() => listObjects(server.data, `key = '${key}'`).length === 0, 'the object is deleted');
    expect(await listSounds()).not.toContain(key);
    const { editor } = createSiteUsers(site, site.siteId);
    const path = `/v1/sites/${site.siteId}/posts/deleted/restore`;
    expect((await editor.request('POST', path)).status).toBe(202);
    const restored = await waitForUrl(site, 'deleted');
    expect(restored).not.toBe(url);
    expect(await listSounds()).toContain(getObjectKey(server.data, restored));
  });

  test('is deleted with its site without delay', async () => {
    const site = await withNewSite(server);
    const other = await withNewSite(server);
    const key = getObjectKey(server.data, await generateAndWait(site, 'site'));
    const record = getObjectKey(server.data, await generateAndWait(other, 'other'));
    const { admin } = createSiteUsers(site, site.siteId);
    expect((await admin.request('DELETE', `/v1/sites/${site.siteId}?permanently=true`)).status).toBe(200);
    await eventually(async () => !(await listSounds()).includes(key), 'the object is deleted');
    expect(await listSounds()).toContain(record);
  });

  test('that the bucket has lost is generated again once', async () => {
    const site = await withNewSite(server);
    const url = await generateAndWait(site, 'lost');
    const key = getObjectKey(server.data, url);
    await bucket.drop(key);
    forgetFiles(server.data);
    const responses = await Promise.all(['GET', 'HEAD', 'GET'].map((method) => fetch(url, { method })));
    expect(responses.map(({ status }) => status)).toEqual([410, 410, 410]);
    const again = await waitForUrl(site, 'lost');
    expect(again).not.toBe(url);
    expect(getObjectKey(server.data, again)).not.toBe(key);
    forgetFiles(server.data);
    expect((await fetch(again)).status).toBe(200);
    expect(listObjects(server.data, `site_id = ${site.siteId} and state = 'live'`)).toHaveLength(1);
    expect(
      readRows<object>(
        server.data,
        `select id from version where audio_id in
      (select audio.id from audio join post on post.id = post_id where site_id = ${site.siteId})`,
      ),
    ).toHaveLength(2);
  });
});

test('a bucket is identified by a marker; in another bucket no object counts as lost', async () => {
  const site = await withNewSite(server);
  const url = await generateAndWait(site, 'marked');
  const marker = (await bucket.list()).find((key) => key.startsWith('lectern-marker-')) ?? '';
  const key = getObjectKey(server.data, url);
  const object = await bucket.get(key);
  await Promise.all([bucket.drop(marker), bucket.drop(key)]);
  forgetFiles(server.data);
  expect((await fetch(url)).status).toBe(503);
  await expect(checkSound(server.data, bucket)).rejects.toThrow(
    /^The bucket \S+ is not that of this database: it has no object lectern-/,
  );
  expect(listObjects(server.data, `key = '${key}' and state = 'live'`)).toHaveLength(1);
  expect((await site.status('marked')).status).toBe('ready');
  await bucket.put(marker, 'any file');
  await bucket.put(key, object as Uint8Array<ArrayBuffer>);
  expect(Buffer.compare(await (await fetch(url)).bytes(), object)).toBe(0);
});

test('a bucket belongs to one database: another one is refused, a copied one is not', async () => {
  const listMarkers = async () => (await bucket.list()).filter((key) => key.startsWith('lectern-marker-'));
  const markers = await listMarkers();
  const refusal =
    /The bucket \S+ belongs to another database, which has marked it by the object lectern-marker-\S+\. Set/;
  const other = createTemporaryFolder();
  const started = await runProcess(['serve', '--data', other, '--port', '0'], { env: bucket.env });
  expect([started.code, started.stderr]).toEqual([1, expect.stringMatching(refusal)]);
  expect(await listMarkers()).toEqual(markers);
  const copy = createTemporaryFolder();
  copyDatabase(server.data, copy);
  expect(await checkSound(copy, bucket)).toContain('none missing');
  // Its own one, which it has chosen already; two servers that start at the same time write it once.
  const free = await swift.createBucket();
  const checks = await Promise.all([checkSound(other, free), checkSound(other, free)]);
  expect(new Set(checks)).toEqual(new Set(['0 objects in the bucket, none missing']));
  const fresh = await swift.createBucket();
  const newFolder = createTemporaryFolder();
  await (await openTestDatabase(newFolder)).close();
  await Promise.all([checkSound(newFolder, fresh), checkSound(newFolder, fresh)]);
  for (const { list } of [free, fresh]) {
    expect((await list()).toSorted()).toEqual([expect.stringMatching(/^lectern-marker-/), 'lectern-probe']);
  }
  await fresh.put('lectern-marker-later', 'of another database');
  await expect(checkSound(newFolder, fresh)).rejects.toThrow(refusal);
});

test('a missing bucket is named with what to do, by the log of a server and by commands', async () => {
  const env = { ...bucket.env, LECTERN_SOUND: bucket.env['LECTERN_SOUND']?.replace('://', '://missing-') ?? '' };
  const site = await startTestServer({ env });
  try {
    await eventually(() => site.log().includes('audio storage unavailable'), 'the log names the bucket');
    expect(site.log()).toContain('"problem":"status 404 NoSuchBucket","remedy":"Create the bucket, or correct LECTERN');
    const { stdout, code } = await runCommand(['check', '--data', site.data], { env });
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/FAIL sound +The bucket \S+\/missing-\S+ cannot be used: status 404 NoSuchBucket\. Create/),
    ]);
  } finally {
    await site.stop('SIGKILL');
  }
});

test('a key without the right to read is named with what to do', async () => {
  using proxy = startBucketProxy(bucket, (request, forward) =>
    request.method === 'GET' ? new Response('<Code>AccessDenied</Code>', { status: 403 }) : forward(request),
  );
  const started = await runProcess(['serve', '--data', createTemporaryFolder(), '--port', '0'], { env: proxy.env });
  expect([started.code, started.stderr]).toEqual([
    1,
    expect.stringMatching(
      /The bucket \S+ cannot be used: status 403 AccessDenied\. Permit the key to read, write, list/,
    ),
  ]);
});

test('a bucket that is unreachable at the first start is marked when it is available', async () => {
  let isAvailable = false;
  const fresh = await swift.createBucket();
  using proxy = startBucketProxy(fresh, (request, forward) =>
    isAvailable ? forward(request) : new Response(null, { status: 503 }),
  );
  const site = await startTestServer({ env: proxy.env });
  try {
    expect(await fresh.list()).toEqual([]);
    isAvailable = true;
    const isMarked = async () => (await fresh.list()).some((key) => key.startsWith('lectern-marker-'));
    await eventually(isMarked, 'the bucket is marked');
  } finally {
    await site.stop('SIGKILL');
  }
});

test('a range is read even if the server ignores Range', async () => {
  using proxy = startBucketProxy(bucket, (request, forward) => {
    request.headers.delete('range');
    return forward(request);
  });
  const behindProxy = openBucket(readConfig({}, proxy.env));
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
  await bucket.put('whole', content);
  const read = async (start: number, end: number) => Buffer.from((await behindProxy?.read('whole', start, end)) ?? []);
  for (const [start, end] of [
    [0, 200_000],
    [70_000, 170_000],
    [199_999, 200_000],
  ] as const) {
    expect(Buffer.compare(await read(start, end), content.subarray(start, end))).toBe(0);
  }
  expect(read(199_000, 200_001)).rejects.toThrow('Audio replaced or deleted');
  expect(read(300_000, 300_001)).rejects.toThrow('Audio replaced or deleted');
  await bucket.drop('whole');
});

test('a live stream waits for sentences that are in the bucket', async () => {
  let isReadable = true;
  using proxy = startBucketProxy(await swift.createBucket(), (request, forward) => {
    const isRead = request.method === 'GET' && new URL(request.url).pathname.includes('/sound/');
    return isRead && !isReadable ? new Response(null, { status: 503 }) : forward(request);
  });
  const another = await startTestServer({ env: proxy.env });
  try {
    const site = await withNewSite(another, { domains: ['waiting.example'] });
    const first = '<p>This sentence is new.</p>';
    await generateAndWait(site, 'before');
    isReadable = false;
    // Its other sentences are those of the first post.
    expect((await site.generate({ post_id: 'after', content: first + article })).status).toBe(202);
    const query = new URLSearchParams({ domain: 'waiting.example', post_id: 'after' });
    const stream = await fetch(`${site.url}/v1/public/audio/stream?${query}`);
    expect(stream.status).toBe(200);
    const received = stream.bytes();
    const isUnavailable = async () => (await fetch(`${site.url}/readyz`)).status === 503;
    await Promise.race([received, eventually(isUnavailable, 'the bucket is unavailable')]);
    isReadable = true;
    const mp3 = await (await fetch(await waitForUrl(site, 'after'))).bytes();
    const frames = await received;
    expect(frames.byteLength).toBeGreaterThan(mp3.byteLength - 10_000);
    expect(Buffer.compare(mp3.subarray(-frames.byteLength), frames)).toBe(0);
  } finally {
    await another.stop('SIGKILL');
  }
});

test('requests to the bucket are counted in the metrics', async () => {
  const site = await withNewSite(server);
  const url = await generateAndWait(site, 'measured');
  forgetFiles(server.data);
  await (await fetch(url)).bytes();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('\nlectern_bucket_available 1\n');
  for (const method of ['PUT', 'GET']) {
    const pattern = new RegExp(
      `^lectern_bucket_request_duration_seconds_count\\{method="${method}",outcome="done"\\} [1-9]`,
      'm',
    );
    expect(metrics).toMatch(pattern);
  }
});

describe('an unreachable bucket', () => {
  const listenersDomain = 'listeners.example';
  const getReadiness = async () => {
    const response = await fetch(`${server.url}/readyz`);
    return { status: response.status, errors: ((await response.json()) as Envelope<unknown>).errors ?? {} };
  };

  const outages: [string, () => void, () => Promise<void>][] = [
    ['hanging', () => swift.signal('SIGSTOP'), async () => swift.signal('SIGCONT')],
    ['stopped', () => swift.signal('SIGKILL'), () => swift.restart()],
  ];
  test.each(selectCases(outages))(
    '%s: posts wait, listeners get 503, and everything goes on by itself',
    async (how, begin, end) => {
      const domain = `${how}.example`;
      const site = await withNewSite(server, { domains: [domain] });
      const url = await generateAndWait(site, 'before');
      const longUrl = await generateAndWait(site, 'long', article.repeat(60));
      const longObject = await bucket.get(getObjectKey(server.data, longUrl));
      // At the slowest rate that is waited for, it would take longer than a client waits.
      expect(longObject.byteLength).toBeGreaterThan(2_000_000);
      rmSync(join(server.data, 'media', basename(longUrl)));
      begin();
      const request = async (path: string, init: RequestInit = {}) =>
        (await site.request(path, { ...init, signal: AbortSignal.timeout(maxRequestMs) })).status;
      const body = JSON.stringify({ post_id: 'during', content: article.replaceAll('The', `${how}, the`) });
      const statuses = await Promise.all([
        request(new URL(longUrl).pathname),
        request(new URL(longUrl).pathname, { headers: { range: 'bytes=0-99' } }),
        request('/v1/audio/generate', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
        request('/v1/audio/before/status'),
        request(`/v1/public/audio?domain=${domain}&post_id=before`),
        request('/v1/public/player.js'),
      ]);
      expect(statuses).toEqual([503, 503, 202, 200, 200, 200]);
      await eventually(async () => (await getReadiness()).errors['sound'] !== undefined, 'the server is not ready');
      expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('\nlectern_bucket_available 0\n');
      expect((await site.status('during')).status).not.toBe('ready');
      expect((await fetch(url)).status).toBe(200);
      forgetFiles(server.data);
      const refused = await fetch(url, { headers: { range: 'bytes=0-99' } });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('10');
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
      // No further sentence is synthesized.
      const segmentCount = await countSpoken(site);
      expect(
        (
          await site.generate({
            post_id: 'later',
            content: `<p>This waits, ${how}, until the bucket can be reached again by the server.</p>`,
          })
        ).status,
      ).toBe(202);
      expect(await countSpoken(site)).toBe(segmentCount);
      await end();
      const [during, later] = [await waitForUrl(site, 'during'), await waitForUrl(site, 'later')];
      await eventually(async () => (await getReadiness()).status === 200, 'the server is ready');
      forgetFiles(server.data);
      for (const mp3Url of [url, during, later]) expect((await fetch(mp3Url)).status).toBe(200);
    },
  );

  test('leaves an audio that was started to be synthesized to its end, for its listeners', async () => {
    const site = await withNewSite(server, { domains: [listenersDomain] });
    const { admin } = createSiteUsers(server, site.siteId);
    const pause = (paused: boolean) => admin.request('PATCH', '/v1/queue', { paused });
    const url = await generateAndWait(site, 'earlier');
    const spoken = await countSpoken(site);
    const texts = Array.from({ length: 150 }, (_, index) => `Sentence ${index} of a long article.`);
    await site.generate({ post_id: 'started', content: toHtml(texts) });
    await eventually(async () => (await countSpoken(site)) > spoken, 'the first sentence is synthesized');
    await pause(true);
    expect(await countSpoken(site)).toBeLessThan(spoken + texts.length);
    swift.signal('SIGKILL');
    await eventually(async () => {
      forgetFiles(server.data);
      await (await fetch(url)).bytes();
      return (await getReadiness()).errors['sound'] !== undefined;
    }, 'the server is not ready');
    await pause(false);
    await eventually(async () => (await countSpoken(site)) === spoken + texts.length, 'all sentences are synthesized');
    expect((await site.status('started')).status).toBe('generating');
    const query = new URLSearchParams({ domain: listenersDomain, post_id: 'started' });
    const stream = await fetch(`${server.url}/v1/public/audio/stream?${query}`);
    expect((await stream.bytes()).byteLength).toBeGreaterThan(texts.length * 1_000);
    await swift.restart();
    await waitForUrl(site, 'started');
  });

  test('leaves no orphaned object', async () => {
    // Cancelled uploads are deleted after an hour.
    const hourAgo = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await bucket.put('sound/1/1-left-behind.mp3', 'orphan');
    changeRows(
      server.data,
      "insert into object (key, site_id, byte_count, state, changed_at) values ('sound/1/1-left-behind.mp3', 1, 6, 'writing', ?)",
      hourAgo,
    );
    changeRows(server.data, "update object set changed_at = ? where state = 'writing'", hourAgo);
    await eventually(() => listObjects(server.data, "state <> 'live'").length === 0, 'the orphans are deleted');
    const live = listObjects(server.data)
      .map(({ key }) => key)
      .filter((key) => key.startsWith('sound/'));
    expect((await listSounds()).sort()).toEqual(live.sort());
  });
});

describe('bucket settings', () => {
  test('redirect listeners to the bucket', async () => {
    const own = await swift.createBucket();
    const site = await startTestServer({ env: { ...own.env, LECTERN_SOUND_REDIRECT: 'on' } });
    try {
      const url = await generateAndWait(site, 'redirected');
      const response = await fetch(url, { redirect: 'manual' });
      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toContain('X-Amz-Signature=');
      const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
      expect(part.status).toBe(206);
      const object = await own.get(getObjectKey(site.data, url));
      expect(Buffer.compare(await part.bytes(), object.subarray(10, 20))).toBe(0);
    } finally {
      await site.stop('SIGKILL');
    }
  });

  test('keep earlier audio playable, and cannot be removed while objects exist', async () => {
    const data = createTemporaryFolder();
    const newBucket = await swift.createBucket();
    const first = await startTestServer({ data });
    const inRows = new URL(await generateAndWait(first, 'rows')).pathname;
    const bytes = await (await first.request(inRows)).bytes();
    await first.stop();
    const second = await startTestServer({
      data,
      key: first.key,
      env: { ...newBucket.env, LECTERN_OBJECT_GRACE_DAYS: '0' },
    });
    await generateAndWait(second, 'bucket', toHtml([...sentences, 'This sentence is new.']));
    await second.request('/v1/audio/bucket', { method: 'DELETE' });
    await eventually(() => listObjects(data).length === 0, 'the object is deleted');
    forgetFiles(data);
    expect(Buffer.compare(await (await second.request(inRows)).bytes(), bytes)).toBe(0);
    await generateAndWait(second, 'kept');
    await newBucket.drop(listObjects(data)[0]?.key ?? '');
    await generateAndWait(second, 'present');
    await newBucket.put('sound/0/0-unknown.mp3', 'unknown');
    await newBucket.put('sound/9/9-unknown.mp3', 'unknown');
    const difference =
      /: 1 object is missing or of another size, such as sound.*; 2 objects are unknown to the database/;
    // Swift rounds the time of an object up to a second; objects newer than the check may belong to an upload.
    const checkOwnSound = () => checkSound(data, newBucket).catch((error: Error) => error.message);
    await eventually(async () => difference.test(await checkOwnSound()), 'the check finds the differences');
    // Rows and objects in several batches.
    const { read, close } = await openTestDatabase(data);
    const sameBucket = openBucket(readConfig({ data }, newBucket.env));
    if (sameBucket === undefined) throw new Error('no bucket');
    for (const size of [1, 2]) await expect(checkObjects(read, sameBucket, size)).rejects.toThrow(difference);
    await close();
    await second.stop();
    const { env } = await swift.createBucket();
    const elsewhere = await runProcess(['serve', '--data', data, '--port', '0'], { env });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('is not that of this database')]);
    const without = await runCommand(['serve', '--data', data, '--port', '0']);
    expect(without.stderr).toContain('is in an S3 bucket. Set LECTERN_SOUND');
    const backup = await runCommand(['backup', join(createTemporaryFolder(), 'backup.tar'), '--data', data], {
      env: newBucket.env,
    });
    expect(backup.stdout + backup.stderr).toContain(
      isOnPostgres ? 'PostgreSQL' : 'The audio in the bucket is not in it',
    );
  });
});
