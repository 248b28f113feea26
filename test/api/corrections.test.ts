import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CertificateResponse } from '../../src/audio/certificate/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkersWhen } from '../fixtures/held-workers.ts';
import { readMetrics } from '../fixtures/metrics.ts';
import { type SegmentLog, watchSegments } from '../fixtures/segment-log.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { disableVoice, findVoiceId } from '../fixtures/voice-list.ts';
import { readRows } from './stored-rows.ts';

const data = createTemporaryFolder();
let server: TestServer;
let users: SiteUsers;
let site: string;
let log: SegmentLog;
let voice: number;
/** It lacks the phoneme in the middle of "measure". */
let lackingVoice: number;

beforeAll(async () => {
  const tones = createToneVoice({ sampleRateHz: 16_000 });
  await installVoice(data, 'en_US-tones-low', tones);
  const config = JSON.parse(tones.config ?? '');
  const { ʒ, ...others } = config.phoneme_id_map;
  const lacking = { ...tones, config: JSON.stringify({ ...config, phoneme_id_map: others }) };
  await installVoice(data, 'en_US-lacking-low', lacking);
  const german = createToneVoice({ sampleRateHz: 22_050, language: 'de_DE' });
  await installVoice(data, 'de_DE-tones-low', german);
  await disableVoice(data, 'de_DE-buche-medium');
  const { key, siteId } = await createSite(data);
  voice = await findVoiceId(data, 'en_US-tones-low');
  lackingVoice = await findVoiceId(data, 'en_US-lacking-low');
  server = await startTestServer({ data, key });
  users = createSiteUsers(server, siteId);
  site = `/v1/sites/${siteId}`;
  log = watchSegments(data);
  await setSite({ reading: { intro: 'Here is the news.', foreign_passages: true } });
  await addWord('Siobhan', '[[ʃɪvˈɔːn]]');
});
afterAll(() => server.stop('SIGKILL'));

async function setSite(changes: Record<string, unknown>): Promise<void> {
  expect((await users.admin.request('PATCH', site, changes)).status).toBe(200);
}

async function addWord(word: string, alias: string): Promise<void> {
  const entry = { word, alias, language: 'en' };
  const { status } = await users.admin.request('POST', `${site}/pronunciations`, entry);
  expect(status).toBe(201);
}

/** Numbers of synthesized and reused segments. */
interface Counts {
  readonly phonemized: number;
  readonly reused: number;
  readonly spoken: number;
}

/** @returns the work counted during the generation of an audio */
async function countWork(post: string, make: () => Promise<unknown>): Promise<Counts> {
  const before = await readCounters();
  await make();
  expect(await server.waitUntilFinished(post)).toMatchObject({ status: 'ready' });
  const after = await eventually(async () => {
    const now = await readCounters();
    return now.ready > before.ready && now;
  }, `${post} is counted`);
  return {
    phonemized: after.phonemized - before.phonemized,
    reused: after.reused - before.reused,
    spoken: after.spoken - before.spoken,
  };
}

async function readCounters(): Promise<Counts & { readonly ready: number }> {
  const figure = await readMetrics(server);
  const readSample = (sample: string) => {
    const found = figure(sample);
    if (found === undefined) throw new Error(`no sample ${sample}`);
    return found;
  };
  return {
    phonemized: readSample('lectern_planned_sentences_total{source="phonemized"}'),
    reused: readSample('lectern_planned_sentences_total{source="reused"}'),
    spoken: readSample('lectern_segments_total{source="spoken"}'),
    ready: readSample('lectern_generations_total{outcome="ready"}'),
  };
}

function submitPost(post: string, content: string, voice_id = voice): Promise<Counts> {
  const body = { post_id: post, post_title: 'Harbor & lighthouse', content, voice_id };
  return countWork(post, async () => expect((await server.generate(body)).status).toBe(202));
}

function regenerate(post: string): Promise<Counts> {
  return countWork(post, async () => {
    const { status } = await users.admin.request('POST', `${site}/posts/${post}/remake`);
    expect(status).toBe(202);
  });
}

/** @returns the version of a post, without ids and times */
async function readGenerated(post: string) {
  const planned = readRows<Record<string, unknown>>(
    data,
    `select planned_segment.* from planned_segment
     join audio on audio.version_id = planned_segment.version_id
     join post on post.id = audio.post_id where post.external_id = '${post}' order by position`,
  );
  const response = await server.request(`/v1/audio/${post}/certificate`);
  const { certificate } = ((await response.json()) as Envelope<CertificateResponse>).data;
  const { audio_id, post_id, version, made_at, ...certified } = certificate;
  return { rows: planned.map(({ version_id, ...row }) => row), certified };
}

let freshPosts = 0;

/** Compares a post with a new post of the same text. @returns the number of sentences of the new post */
async function expectAsFresh(post: string, content: string, voice_id = voice): Promise<number> {
  freshPosts += 1;
  const fresh = `fresh-${freshPosts}`;
  const { phonemized, reused } = await submitPost(fresh, content, voice_id);
  expect(reused).toBe(0);
  expect(await readGenerated(post)).toEqual(await readGenerated(fresh));
  return phonemized;
}

const clause = 'the boats of the harbor came back one after another in the rain';
const long = `On Monday ${clause}, on Tuesday ${clause}, and on &ldquo;Friday&rdquo; ${clause}.`;
const article = `<p>Siobhan opened the lighthouse again on Saturday. ${long} She says 3 &lt; 4.</p>
<p>***</p><script>let hidden = true;</script><h2>Tickets</h2>
<p>They cost 4&nbsp;dollars. He said: <q lang="de">Wir schaffen das heute nicht</q> in Berlin.</p>
<ul><li>Bring a coat.</li><li>Bring a coat.</li></ul>`;
const tickets = '<h2>Tickets</h2>';

const corrections: [what: string, content: string, phonemized: number][] = [
  ['nothing', article, 0],
  ['a word', article.replace('Saturday', 'Sunday'), 1],
  ['a word of a sentence in parts', article.replace('Monday', 'Thursday'), 1],
  ['a word that is said as phonemes', article.replace('Siobhan', 'Siobhan’s son'), 1],
  ['a passage in another language', article.replace('heute', 'morgen'), 1],
  ['a sentence that is new at the beginning', article.replace('<p>', '<p>Look at this. '), 1],
  ['a sentence that is gone', article.replace('They cost 4&nbsp;dollars. ', ''), 0],
  ['the last sentence of a paragraph, which is gone', article.replace(' She says 3 &lt; 4.', ''), 1],
  ['what is written otherwise and said alike', article.replace('4&nbsp;dollars', '$4'), 1],
  ['a heading that is a paragraph', article.replace(tickets, '<p>Tickets</p>'), 1],
  ['a paragraph that is a quote', article.replace(/<p>They.*<\/p>/, '<blockquote>$&</blockquote>'), 1],
  [
    'the markup alone',
    `<div class="text"><!-- new -->${article
      .replace('after another in the rain, and', 'after <em>another</em> in the <b>rain</b>, and')
      .replaceAll('&nbsp;', '&#160;')}</div>`,
    0,
  ],
  ['the order', article.replace(tickets, '').replace('<p>', `${tickets}<p>`), 0],
];

describe('a correction', () => {
  test.each(corrections)(
    'of %s gives the same audio as a new post, and synthesizes only new sentences',
    async (what, content, phonemized) => {
      const post = `of-${corrections.findIndex(([one]) => one === what)}`;
      const first = await submitPost(post, article);
      // One of them is too long for one segment.
      expect((await readGenerated(post)).rows).toHaveLength(first.phonemized + 1);
      const counts = await (content === article ? regenerate(post) : submitPost(post, content));
      expect(counts.phonemized).toBe(phonemized);
      const sentences = await expectAsFresh(post, content);
      expect(counts.phonemized + counts.reused).toBe(sentences);
      // The next correction is based on this one.
      const more = await submitPost(post, `${content}<p>One more, they say.</p>`);
      expect(more).toMatchObject({ phonemized: 1, reused: sentences });
    },
  );

  test('of one sentence in a hundred synthesizes only that one', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `<p>Boat ${index + 1} came in.</p>`);
    await submitPost('hundred', lines.join('\n'));
    const corrected = lines.with(60, '<p>Boat 61 never came in.</p>').join('\n');
    expect(await submitPost('hundred', corrected)).toEqual({ phonemized: 1, reused: 101, spoken: 1 });
    await expectAsFresh('hundred', corrected);
  });

  test('reuses no sentence whose frames have been deleted', async () => {
    const content = article.replaceAll('coat', 'hat').replaceAll('harbor', 'haven');
    await submitPost('gone', content);
    const text = "text = 'Bring a hat.' or text like 'On Monday%haven%'";
    const planned = `select hash from planned_segment where ${text}`;
    expect(changeRows(data, `delete from segment where hash in (${planned})`)).toBe(2);
    const corrected = content.replace('Tickets', 'Prices');
    // The two repeated sentences, the split one without its deleted part, and the heading.
    expect(await submitPost('gone', corrected)).toMatchObject({ phonemized: 4, spoken: 3 });
    await expectAsFresh('gone', corrected);
  });

  test('repeats the warning about unsupported phonemes', async () => {
    const content = '<p>They measure the boats. Then they measure the harbor. It is old.</p>';
    const countWarnings = () => server.log().split('unsupported phonemes').length - 1;
    await submitPost('lacking', content, lackingVoice);
    await eventually(() => countWarnings() === 1, 'a warning');
    const corrected = content.replace('old', 'new');
    // Both sentences with the symbol and the changed one; title and intro are reused.
    const counts = await submitPost('lacking', corrected, lackingVoice);
    expect(counts).toEqual({ phonemized: 3, reused: 2, spoken: 1 });
    await eventually(() => countWarnings() === 2, 'another warning');
    await expectAsFresh('lacking', corrected, lackingVoice);
  });

  test('gives the same audio when the server is killed during synthesis', async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `<p>Ship ${index + 1} came in.</p>`);
    await submitPost('killed', lines.join('\n'));
    const [before] = log.readRows<{ id: number }>('select max(id) as id from version');
    const corrected = lines.map((line, index) => (index % 2 ? line : line.replace('Ship', 'Barge')));
    const writingCount = log.listWritings().length;
    const content = corrected.join('\n');
    const body = { post_id: 'killed', post_title: 'Harbor & lighthouse', content, voice_id: voice };
    expect((await server.generate(body)).status).toBe(202);
    const isUnderWay = () => log.listWritings().length > writingCount + 10;
    const release = await holdWorkersWhen(server, isUnderWay, 'it is under way');
    await server.stop('SIGKILL');
    release();
    expect(log.readRows('select id from version where id > ? and ready_at is null', before?.id ?? 0)).toHaveLength(1);
    server = await startTestServer({ data, key: server.key });
    users = createSiteUsers(server, 1);
    expect(await server.waitUntilFinished('killed')).toMatchObject({ status: 'ready' });
    const counts = await eventually(async () => {
      const now = await readCounters();
      return now.ready > 0 && now;
    }, 'it is counted');
    expect(counts).toMatchObject({ phonemized: 60, reused: 62 });
    expect(counts.spoken).toBeLessThan(60);
    await expectAsFresh('killed', content);
  });
});

describe('a regenerated audio', () => {
  test('for a lexicon entry synthesizes the sentences that contain its word', async () => {
    await submitPost('word', article);
    await addWord('Berlin', 'Bear Lynn');
    expect(await regenerate('word')).toMatchObject({ phonemized: 1, spoken: 1 });
    const sentences = await expectAsFresh('word', article);
    expect(await regenerate('word')).toEqual({ phonemized: 0, reused: sentences, spoken: 0 });
  });

  test('with another speed, bit rate or voice synthesizes all sentences', async () => {
    const counts = await submitPost('other', article);
    const all = counts.phonemized;
    const reading = { intro: 'Here is the news.', foreign_passages: true };
    await setSite({ reading: { ...reading, speed: 1.25 } });
    expect(await regenerate('other')).toMatchObject({ phonemized: all, reused: 0 });
    await expectAsFresh('other', article);
    await setSite({ reading, bit_rate_kbps: 48 });
    expect(await regenerate('other')).toMatchObject({ phonemized: all, reused: 0 });
    await expectAsFresh('other', article);
    const again = await submitPost('other', article, lackingVoice);
    // Except for the language span, whose voice did not change.
    expect(again).toMatchObject({ phonemized: all - 1, reused: 1 });
    await expectAsFresh('other', article, lackingVoice);
  });

  test('whose last version is by an older program synthesizes all sentences', async () => {
    const { phonemized } = await submitPost('older', article);
    changeRows(data, 'update planned_segment set plan_key = null, sentence_start = null, sentence_end = null');
    expect(await regenerate('older')).toEqual({ phonemized, reused: 0, spoken: 0 });
    await expectAsFresh('older', article);
    expect(await regenerate('older')).toEqual({ phonemized: 0, reused: phonemized, spoken: 0 });
  });
});
