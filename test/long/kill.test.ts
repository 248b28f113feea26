import { afterAll, describe, expect, test } from 'bun:test';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { seededRandom } from '../fixtures/noise.ts';
import { type Article, listenTo, planOf, symbolsIn, symbolsOf } from '../fixtures/post.ts';
import { childrenOf, isAlive } from '../fixtures/processes.ts';
import { scale } from '../fixtures/scale.ts';
import { testSeed } from '../fixtures/seed.ts';
import { type SegmentLog, watchSegments } from '../fixtures/segment-log.ts';
import { createSite, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { toneVoice } from '../fixtures/voice.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';

/** Every third one kills a worker, the others the server. */
const rounds = Number(process.env['TEST_KILLS'] ?? scale.kills);
const patienceMs = 120_000 + rounds * 15_000;

const random = seededRandom(testSeed);
const voice = toneVoice({ sampleRateHz: 16_000 });
const voiceConfig = voice.config ?? '';

let running: TestServer | undefined;
afterAll(() => running?.stop('SIGKILL'));

/** What a caller knows of a post: the text last answered with 202, and those sent since whose answer was lost. */
interface Known {
  accepted: Article | undefined;
  unanswered: Article[];
}

describe('a server and workers killed at random moments', () => {
  test(
    `bring every accepted post to its end in ${rounds} rounds, none lost, mixed or doubled`,
    async () => {
      const data = temporaryFolder();
      await installVoice(data, 'en_US-tones-low', voice);
      const { key } = await createSite(data);
      const voiceId = await voiceIdOf(data, 'en_US-tones-low');
      const log = watchSegments(data);
      const posts = new Map<string, Known>();
      let kills = { server: 0, worker: 0 };
      let server = await startTestServer({ data, key, flags: ['--workers', '2'] });
      running = server;

      for (let round = 0; round < rounds; round += 1) {
        const killed = killSomewhen(server, round % 3 === 2 ? 'worker' : 'server');
        await Promise.all(
          postsOf(round).map(async ({ postId, versions }) => {
            for (const article of versions) await handIn(server, posts, postId, voiceId, article);
          }),
        );
        const { victim, workers } = await killed;
        kills = { ...kills, [victim]: kills[victim] + 1 };
        if (victim === 'worker') continue;
        await eventually(() => !workers.some(isAlive), 'orphaned workers end');
        server = await startTestServer({ data, key, flags: ['--workers', '2'] });
        running = server;
      }

      expect(kills.server + kills.worker).toBe(rounds);
      for (const [postId, known] of posts) await checkPost(server, postId, known);
      checkNoneDoubled(log);
      expect(await server.stop()).toBe(0);
    },
    patienceMs,
  );
});

/** Three posts a round: a short one, a longer one, and one that is corrected at once. */
function postsOf(round: number): { postId: string; versions: Article[] }[] {
  const corrected = paragraphs(`corrected ${spelled(round)}`, 2);
  return [
    { postId: `short-${round}`, versions: [{ content: paragraphs(`short ${spelled(round)}`, 1) }] },
    {
      postId: `long-${round}`,
      versions: [{ title: `Long ${spelled(round)}`, content: paragraphs(`long ${spelled(round)}`, 4) }],
    },
    {
      postId: `corrected-${round}`,
      versions: [
        { content: `${corrected}<p>The last line was wrong.</p>` },
        { content: `${corrected}<p>Now the line is right.</p>` },
      ],
    },
  ];
}

/** No two sentences of a whole run are the same, so that a mixed-up or doubled one shows. */
function paragraphs(name: string, count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `<p>Part ${spelled(index)} of ${name} begins. A boat of ${name} left harbor ${spelled(index)}.</p>`,
  ).join('');
}

function spelled(number: number): string {
  const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  return [...`${number}`].map((digit) => digits[Number(digit)]).join(' ');
}

async function handIn(
  server: TestServer,
  posts: Map<string, Known>,
  postId: string,
  voiceId: number,
  { title, content }: Article,
): Promise<void> {
  const article = title === undefined ? { content } : { title, content };
  const known = posts.get(postId) ?? { accepted: undefined, unanswered: [] };
  posts.set(postId, { ...known, unanswered: [...known.unanswered, article] });
  await Bun.sleep(random() * 200);
  const body = { post_id: postId, content, voice_id: voiceId };
  const answer = await server
    .generate(title === undefined ? body : { ...body, post_title: title })
    .catch(() => undefined);
  if (answer === undefined) return;
  expect(answer.status).toBe(202);
  posts.set(postId, { accepted: article, unanswered: [] });
}

/** @returns who died, and the workers that were there before */
async function killSomewhen(server: TestServer, wanted: 'server' | 'worker') {
  await Bun.sleep(random() * 1_200);
  const workers = childrenOf(server.process.pid);
  const worker = workers[Math.floor(random() * workers.length)];
  const victim = wanted === 'worker' && worker !== undefined ? 'worker' : 'server';
  if (victim === 'worker' && worker !== undefined) process.kill(worker, 'SIGKILL');
  else await server.stop('SIGKILL');
  return { victim, workers } as const;
}

async function checkPost(server: TestServer, postId: string, known: Known): Promise<void> {
  if (known.accepted === undefined) {
    const answer = await server.ask(`/v1/audio/${postId}/status`);
    if (answer.status === 404) return;
  }
  const record = await server.settled(postId, patienceMs);
  expect(record).toMatchObject({ status: 'ready', progress_percent: 100 });
  const heard = await listenTo(record);
  expect(heard.warnings).toBe('');
  const said = heard.timings.map(({ text }) => text ?? '');
  const candidates = [known.accepted, ...known.unanswered].filter((one) => one !== undefined);
  const plans = await Promise.all(candidates.map((article) => planOf(article, voiceConfig)));
  const plan = plans.find((segments) =>
    Bun.deepEquals(
      segments.map(({ text }) => text),
      said,
    ),
  );
  if (plan === undefined) throw new Error(`${postId} says ${JSON.stringify(said)}`);
  const symbols = plan.flatMap(({ ids }) => symbolsOf(ids, voiceConfig)).join('');
  expect(symbolsIn(heard)).toBe(symbols);
}

/** A corrected post may have a sentence under way for both its texts; any other sentence is written once. */
function checkNoneDoubled(log: SegmentLog): void {
  const [counts] = log.rows<{ audios: number; posts: number; versions: number }>(
    `select (select count(*) from audio) as audios, (select count(*) from post) as posts,
      (select count(*) from version join audio on audio.version_id = version.id) as versions`,
  );
  expect(counts?.audios).toBe(counts?.posts ?? 0);
  expect(counts?.versions).toBe(counts?.posts ?? 0);
  const unfinished = log.rows('select id from version where media_key is null');
  expect(unfinished).toEqual([]);
  const doubled = log.rows<{ external_id: string; written: number }>(
    `select post.external_id, count(*) as written from writing
      join planned_segment on planned_segment.hash = writing.hash
      join version on version.id = planned_segment.version_id
      join audio on audio.version_id = version.id join post on post.id = audio.post_id
      where external_id not like 'corrected%' group by writing.hash having written > 1`,
  );
  expect(doubled).toEqual([]);
}
