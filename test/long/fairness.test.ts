import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import { type SegmentLog, watchSegments } from '../fixtures/segment-log.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { buildShortParagraphs, measureShareOfFirst, readWorkerSeconds } from '../fixtures/worker-seconds.ts';

setDefaultTimeout(300_000);

const workerCount = 2;
const bookCharacters = 60_000;
const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

/** Two paragraphs of three sentences each. */
const twoParagraphs = `<p>The ferry was late again on Monday. Two hundred people waited on the pier.
The captain blamed the fog.</p><p>A second boat was sent at noon. It took the last passengers home.
Nobody was hurt in the end.</p>`;
/** Longer than these, and tiny compared with a book. */
const tale = buildBook('short tale', 1_500);
const sentencesOfTale = tale.split('. ').length;
/** Tolerance for segments in progress at the start, before the second planning and at the end. */
const sentencesInHand = 6 * workerCount;

/** Unique sentences of about sixty characters. */
function buildBook(name: string, characterCount: number): string {
  const sentences: string[] = [];
  for (let length = 0, number = 1; length < characterCount; number += 1) {
    const sentence = `Chapter ${number} of the ${name} tells how the river rose that night.`;
    sentences.push(sentence);
    length += sentence.length + 1;
  }
  return sentences.join(' ');
}

interface Desk {
  readonly data: string;
  readonly server: TestServer;
  readonly log: SegmentLog;
  readonly otherKey: string;
  start(): Promise<TestServer>;
}

/** @param voices `built-in`: synthesis takes most of the time, as in production */
async function openDesk(workers = workerCount, voices?: 'built-in'): Promise<Desk> {
  const data = createTemporaryFolder();
  const { key } = await createSite(data);
  const other = await createSite(data);
  const log = watchSegments(data);
  const start = async () => {
    const flags = ['--workers', `${workers}`];
    const server = await startTestServer({ data, key, flags, isPreloading: true, ...(voices && { voices }) });
    running.push(server);
    return server;
  };
  return { data, log, otherKey: other.key, start, server: await start() };
}

async function submitPost(server: TestServer, body: Record<string, unknown>, key = server.key) {
  const response = await server.request('/v1/audio/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${server.log().slice(-2_000)}`);
}

async function waitForSegments(log: SegmentLog, count: number) {
  await eventually(() => log.listWritings().length >= count, `${count} segments are written`, 110_000);
  return log.listWritings();
}

/** @returns the number of segments written before the last of these audios was planned */
async function waitUntilPlanned(log: SegmentLog, audioIds: readonly number[]): Promise<number> {
  const counts = await eventually(() => {
    const planned = log.listPlannings().filter(({ audioId }) => audioIds.includes(audioId));
    return planned.length === audioIds.length && planned.map(({ writingCount }) => writingCount);
  }, 'all are planned');
  return Math.max(...counts);
}

/** @returns the number of segments of other audio written between the planning of this one and its end */
async function countOthersUntilReady(log: SegmentLog, audioId: number): Promise<number> {
  const from = await waitUntilPlanned(log, [audioId]);
  const find = () =>
    log.readRows<{ last: number; own: number }>(
      `select max(number) as last, count(*) as own from writing join planned_segment using (hash)
        join audio on audio.version_id = planned_segment.version_id
        where audio.id = ? and audio.status = 'ready'`,
      audioId,
    )[0];
  const { last, own } = await eventually(() => {
    const found = find();
    return found !== undefined && found.own > 0 && found;
  }, 'the short post is ready');
  expect(own).toBe(sentencesOfTale);
  return last - from - own;
}

describe(`the queue with ${bookCharacters} characters in progress`, () => {
  test('lets a short post of the same site overtake, and shares evenly with another site', async () => {
    const { server, log, otherKey } = await openDesk();
    const content = buildBook('long book', bookCharacters);
    await submitPost(server, { post_id: 'book', content });
    await waitForSegments(log, 30);
    await submitPost(server, { post_id: 'same', content: tale });
    expect(await countOthersUntilReady(log, 2)).toBeLessThanOrEqual(sentencesInHand);

    await submitPost(server, { post_id: 'other', content: tale }, otherKey);
    expect(await countOthersUntilReady(log, 3)).toBeLessThanOrEqual(sentencesOfTale + sentencesInHand);
    expect((await server.status('book')).status).toBe('generating');
  });

  test('gives each of two busy sites 40 to 60 percent of the worker seconds', async () => {
    const { server, otherKey } = await openDesk(workerCount, 'built-in');
    await submitPost(server, { post_id: 'one', content: buildBook('first book', bookCharacters / 2) });
    const shorts = Array.from({ length: 40 }, (_, index) => index);
    for (const index of shorts) {
      await submitPost(server, { post_id: `two-${index}`, content: buildBook(`tale ${index}`, 3_000) }, otherKey);
    }
    expect(await measureShareOfFirst(server, [1, 2], 3, 20)).toBeWithin(0.4, 0.6);
  });

  test('shares evenly between previews of one site and posts of another', async () => {
    const { server, otherKey } = await openDesk(1);
    await submitPost(server, { post_id: 'long', content: buildBook('long book', 250_000) }, otherKey);
    let isMeasured = false;
    const body = JSON.stringify({ content: buildBook('preview', 30_000) });
    const headers = { 'content-type': 'application/json' };
    const previewRepeatedly = async () => {
      while (!isMeasured) {
        expect((await server.request('/v1/speech/preview', { method: 'POST', headers, body })).status).toBe(200);
      }
    };
    const previews = [previewRepeatedly(), previewRepeatedly(), previewRepeatedly()];
    // Interactive work may exceed its share by some seconds, and more with its following tasks.
    const share = await measureShareOfFirst(server, [1, 2], 3, 2.5);
    isMeasured = true;
    await Promise.all(previews);
    // Tolerance of one task of half a second.
    expect(share).toBeWithin(0.3, 0.7);
  });
});

describe('3,380 paragraphs of three letters, with one worker', () => {
  test('leave another site half of the worker seconds until its article is ready', async () => {
    const { server, otherKey } = await openDesk(1, 'built-in');
    await submitPost(server, { post_id: 'letters', content: buildShortParagraphs(3_380) });
    await eventually(async () => (await readWorkerSeconds(server, [1]))[0] !== 0, 'the first site has begun');
    const [before = 0] = await readWorkerSeconds(server, [1]);
    await submitPost(server, { post_id: 'article', content: buildBook('tale', 600) }, otherKey);
    await eventually(async () => {
      const response = await server.request('/v1/audio/article/status', { headers: { 'x-api-key': otherKey } });
      const { data } = (await response.json()) as Envelope<{ status: string }>;
      return data.status === 'ready';
    }, 'the article is ready');
    const [after = 0, articleSeconds = 0] = await readWorkerSeconds(server, [1, 2]);
    expect(after - before).toBeLessThan(1.5 * articleSeconds);
    expect((await server.status('letters')).status).toBe('generating');
  });
});

describe('priorities', () => {
  test('start high first with at most half of the work, and low always progresses', async () => {
    const { server, log } = await openDesk(workerCount, 'built-in');
    for (const priority of ['low', 'normal', 'high']) {
      await submitPost(server, {
        post_id: priority,
        content: buildBook(`${priority} book`, bookCharacters / 3),
        priority,
      });
    }
    const start = await waitUntilPlanned(log, [1, 2, 3]);
    const sampleSize = 100;
    const count = (priority: string, upTo: number): number =>
      log.readRows<{ count: number }>(
        `select count(*) as count from (select distinct writing.hash from writing
          join planned_segment using (hash) join version on version.id = planned_segment.version_id
          join audio on audio.id = version.audio_id where priority = ?
          and writing.number between ? and ?)`,
        priority,
        start + 1,
        upTo,
      )[0]?.count ?? 0;
    await waitForSegments(log, start + sampleSize);
    const [high = 0, normal = 0, low = 0] = ['high', 'normal', 'low'].map((priority) =>
      count(priority, start + sampleSize),
    );
    const all = high + normal + low;
    // Worker seconds are shared, not sentences, and this is a small sample: the exact shares are those of fair-scheduler.test.ts.
    expect(high / all).toBeWithin(1 / 3, 2 / 3);
    expect(normal).toBeGreaterThan(low);
    expect(low / all).toBeLessThan(0.2);
    // Extraction and planning have used a part of its twentieth in advance, which is compensated first.
    await eventually(() => count('low', log.listWritings().length) >= 4, 'low progresses', 110_000);
    expect((await server.status('high')).status).toBe('generating');
  });
});

describe('the order of posts', () => {
  /** @returns the posts in the order in which they became ready */
  async function listOrder(server: TestServer, log: SegmentLog, postIds: string[]) {
    for (const postId of postIds) {
      expect(await server.waitUntilFinished(postId)).toMatchObject({ status: 'ready' });
    }
    return log
      .readRows<{ external_id: string }>(
        `select external_id from audio join post on post.id = post_id
          join version on version.id = version_id order by ready_at, version.id`,
      )
      .map(({ external_id }) => external_id)
      .filter((postId) => postIds.includes(postId));
  }

  test('is the order of acceptance if they are equal; a corrected post keeps its position', async () => {
    const { server, log } = await openDesk(1);
    const postIds = ['a', 'b', 'c', 'd'];
    const begin = holdWorkers(server);
    for (const postId of postIds) await submitPost(server, { post_id: postId, content: buildBook(postId, 700) });
    await submitPost(server, { post_id: 'b', content: buildBook('better', 700) });
    begin();
    expect(await listOrder(server, log, postIds)).toEqual(postIds);
  });

  test('is stored: a restarted server continues in the same order', async () => {
    const { server, log, start } = await openDesk(1);
    const postIds = ['a', 'b', 'c', 'd', 'e'];
    holdWorkers(server);
    for (const postId of postIds) await submitPost(server, { post_id: postId, content: buildBook(postId, 700) });
    await submitPost(server, { post_id: 'short', content: twoParagraphs });
    await server.stop('SIGKILL');
    const again = await start();
    expect(await listOrder(again, log, [...postIds, 'short'])).toEqual(['short', ...postIds]);
  });
});
