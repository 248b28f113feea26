import { beforeAll, describe, expect, test } from 'bun:test';
import type { PodcastTranscript, Timings } from '../../src/audio/schema.ts';
import { runCommand, startServerForFile } from '../fixtures/server.ts';

const title = 'Bread & <butter>';
const sentences = [
  'Is 3 > 2 --> yes, and it always was.',
  'A line\u00a0break of HTML ends no cue.',
  'The & of a page is said as it is.',
];

let audioUrl = '';
let timings: Timings['segments'];

const server = await startServerForFile();
beforeAll(async () => {
  await server.generate({
    ...{ post_id: 'post', post_title: title },
    content:
      '<p>Is 3 &gt; 2 --&gt; yes, and it always was.</p><p>A line&nbsp;break<br>\n\nof HTML ends no cue.</p><p>The &amp; of a page is said as it is.</p>',
  });
  audioUrl = (await server.waitUntilFinished('post')).audio_url ?? '';
  timings = ((await (await request('json')).json()) as Timings).segments;
});

function request(kind: string, init: RequestInit = {}): Promise<Response> {
  return fetch(audioUrl.replace(/mp3$/, kind), init);
}

describe('a transcript', () => {
  test('as WebVTT has a cue for each sentence, with its times', async () => {
    const response = await request('vtt');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/vtt; charset=utf-8']);
    const [head, ...cues] = (await response.text()).trimEnd().split('\n\n');
    expect(head).toBe('WEBVTT');
    const shown = cues.map((cue) => cue.split('\n'));
    // Times of words are tested elsewhere.
    const getText = (lines: string[]) => lines.join('\n').replace(/<\d\d:\d\d:\d\d\.\d{3}>/g, '');
    expect(shown.map(([number, , ...lines]) => [number, getText(lines)])).toEqual([
      ['1', 'Bread &amp; &lt;butter&gt;'],
      ['2', 'Is 3 &gt; 2 --&gt; yes, and it always was.'],
      ['3', 'A line break of HTML ends no cue.'],
      ['4', 'The &amp; of a page is said as it is.'],
    ]);
    const parseClockMs = (clock: string) => {
      const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d\.\d{3})$/.exec(clock) ?? [];
      return Math.round(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
    };
    const times = shown.map(([, line = '']) => line.split(' --> ').map(parseClockMs));
    expect(times).toEqual(timings.map(({ start_ms, end_ms }) => [start_ms, end_ms]));
  });

  test('as JSON has the seconds and texts that podcast apps read', async () => {
    const response = await request('transcript.json');
    expect(response.headers.get('content-type')).toStartWith('application/json');
    const transcript = (await response.json()) as PodcastTranscript;
    expect(transcript.version).toBe('1.0.0');
    expect(transcript.segments.map(({ body }) => body)).toEqual([
      title,
      ...sentences.map((sentence) => sentence.replace(/\s/g, ' ')),
    ]);
    expect(transcript.segments.map(({ startTime }) => Math.round(startTime * 1000))).toEqual(
      timings.map(({ start_ms }) => start_ms),
    );
  });

  test.each(['vtt', 'transcript.json'])('%s is read by any origin, and not sent twice', async (kind) => {
    const response = await request(kind, { headers: { origin: 'https://player.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const etag = response.headers.get('etag') ?? '';
    expect((await request(kind, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await request(kind, { method: 'HEAD' });
    expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
  });
});

test('does not exist if the site publishes no text, and is deleted with the audio', async () => {
  const update = async (flag: string) => {
    const words = ['site', 'update', '1', '--timings-text', flag, '--data', server.data];
    expect((await runCommand(words)).code).toBe(0);
  };
  const collectStatusCodes = async () =>
    Promise.all(['vtt', 'transcript.json', 'json'].map(async (kind) => (await request(kind)).status));
  const withTexts = (await request('json')).headers.get('etag') ?? '';
  await update('false');
  expect(await collectStatusCodes()).toEqual([404, 404, 200]);
  expect((await request('json', { headers: { 'if-none-match': withTexts } })).status).toBe(200);
  await update('true');
  expect(await collectStatusCodes()).toEqual([200, 200, 200]);
  await server.request('/v1/audio/post', { method: 'DELETE' });
  expect(await collectStatusCodes()).toEqual([410, 410, 410]);
  const unknown = await fetch(`${server.url}/v1/media/unknown.vtt`);
  expect(unknown.status).toBe(404);
});
