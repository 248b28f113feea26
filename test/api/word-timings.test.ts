import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AudioRecord, Timings } from '../../src/audio/schema.ts';
import { rmsDbfs } from '../../src/speech/encode/loudness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, type Recording } from '../fixtures/post.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { readTones } from '../fixtures/tones.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceIds } from '../fixtures/voice-list.ts';

type Segment = Timings['segments'][number];
type Word = NonNullable<Segment['words']>[number];

const data = createTemporaryFolder();
const files = { aspen: 'en_US-aspen-medium', saule: 'fr_FR-saule-medium', encina: 'es_ES-encina-medium' };
let voices: Record<keyof typeof files | 'timed' | 'untimed', number>;
let server: TestServer;

beforeAll(async () => {
  const folder = join(data, 'voices');
  const rate = { sampleRateHz: 22_050 };
  await writeVoice(folder, 'en_US-timed-low', createToneVoice({ ...rate, givesDurations: true }));
  await writeVoice(folder, 'en_US-untimed-low', createToneVoice({ ...rate }));
  const { key } = await createSite(data);
  const names = [...Object.values(files), 'en_US-timed-low', 'en_US-untimed-low'];
  const [aspen = 0, saule = 0, encina = 0, timed = 0, untimed = 0] = await findVoiceIds(data, names);
  voices = { aspen, saule, encina, timed, untimed };
  server = await startTestServer({ data, key });
});
afterAll(() => server.stop('SIGKILL'));

async function make(post: Record<string, unknown> & { post_id: string }, language = 'en'): Promise<AudioRecord> {
  expect((await server.generate(post)).status).toBe(202);
  return eventually(async () => {
    const record = await server.status(post.post_id, language);
    return record.status === 'ready' && record;
  }, `${post.post_id} is ready`);
}

function listWords({ text = '', words = [] }: Segment): string[] {
  return words.map(({ start, end }) => text.slice(start, end));
}

const article = `<p>Boats, nets and 1,250 barrels stood in the north of the harbor – ready for <b>sail</b>ing. The BBC’s report, of 12 March 2026, said: “We need ten more!”</p>
<h2>It’s a well-known story</h2><p>Then, after the rain, they came back.</p>`;

describe('word timings of an article', () => {
  const expected = [
    ['Harbor', '&', 'lighthouse'],
    [
      ...['Boats', 'nets', 'and', '1,250', 'barrels', 'stood', 'in', 'the', 'north', 'of', 'the', 'harbor', 'ready'],
      ...['for', 'sailing'],
    ],
    ['The', 'BBC’s', 'report', 'of', '12 March 2026', 'said', 'We', 'need', 'ten', 'more'],
    ['It’s', 'a', 'well-known', 'story'],
    ['Then', 'after', 'the', 'rain', 'they', 'came', 'back'],
  ];

  test.each(['aspen', 'timed'] as const)(
    'have their times in voice %s, one after another within their sentence',
    async (voice) => {
      const body = { post_id: `all-${voice}`, post_title: 'Harbor & lighthouse', content: article };
      const { timings } = await listenTo(await make({ ...body, voice_id: voices[voice] }));
      expect(timings.map(listWords)).toEqual(expected);
      for (const { words = [], start_ms, end_ms } of timings) {
        let reached = start_ms;
        for (const word of words) {
          expect(word.start_ms).toBeGreaterThanOrEqual(reached);
          expect(word.end_ms).toBeGreaterThan(word.start_ms);
          reached = word.end_ms;
        }
        expect(reached).toBeLessThanOrEqual(end_ms);
      }
    },
  );

  test('are unchanged when another sentence is corrected', async () => {
    const post = { post_id: 'corrected', voice_id: voices.aspen };
    const before = await listenTo(await make({ ...post, content: article }));
    const after = await listenTo(await make({ ...post, content: article.replace('We need ten', 'We want eleven') }));
    const listTimes = ({ timings }: Recording, index: number) => {
      const { words = [], start_ms = 0 } = timings[index] ?? {};
      return words.map((word) => [word.start, word.end, word.start_ms - start_ms, word.end_ms - start_ms]);
    };
    for (const index of [0, 2, 3]) {
      expect(listTimes(before, index).length).toBeGreaterThan(3);
      expect(listTimes(after, index)).toEqual(listTimes(before, index));
    }
    expect(listWords(after.timings[1] as Segment)).toContain('eleven');
  });

  test('do not exist for a voice without durations or a site that publishes no text', async () => {
    const content = '<p>The old bridge reopens on Monday after three years of work.</p>';
    const without = await listenTo(await make({ post_id: 'without', content, voice_id: voices.untimed }));
    expect(without.timings.map((segment) => Object.keys(segment))).toEqual([
      ['index', 'start_ms', 'end_ms', 'text', 'kind', 'ends_block'],
    ]);
    const record = await make({ post_id: 'secret', content, voice_id: voices.aspen });
    const publish = async (flag: string) => {
      const command = ['site', 'update', `${server.siteId}`, '--timings-text', flag, '--data', data];
      expect((await runCommand(command)).code).toBe(0);
      return (await listenTo(record)).timings.map((segment) => Object.keys(segment));
    };
    expect(await publish('false')).toEqual([['index', 'start_ms', 'end_ms', 'kind', 'ends_block']]);
    expect(await publish('true')).toEqual([['index', 'start_ms', 'end_ms', 'text', 'words', 'kind', 'ends_block']]);
  });

  test('are ordered timestamps within a cue in WebVTT', async () => {
    const record = await make({ post_id: 'vtt', content: article, voice_id: voices.aspen });
    const { timings } = await listenTo(record);
    const vtt = await (await fetch((record.audio_url ?? '').replace(/mp3$/, 'vtt'))).text();
    const cues = vtt.trimEnd().split('\n\n').slice(1);
    expect(cues).toHaveLength(timings.length);
    for (const [index, { text = '', words = [], start_ms, end_ms }] of timings.entries()) {
      const cue = cues[index]?.split('\n')[2] ?? '';
      expect(cue.replace(/<[^>]*>/g, '')).toBe(text);
      const stamps = [...cue.matchAll(/<(\d\d):(\d\d):(\d\d)\.(\d{3})>(\S+)/g)].map(([, h, m, s, ms, word]) => ({
        ms: ((Number(h) * 60 + Number(m)) * 60 + Number(s)) * 1000 + Number(ms),
        word: word ?? '',
      }));
      expect(stamps.map(({ ms }) => ms)).toEqual(words.slice(1).map((word) => word.start_ms));
      for (const [place, { ms, word }] of stamps.entries()) {
        expect(ms > start_ms && ms < end_ms).toBe(true);
        const [first = ''] = text.slice(words[place + 1]?.start).split(/\s/);
        expect(word).toBe(first);
      }
    }
  });
});

describe('word times', () => {
  test('match the audio across pauses, aliases, numbers and joined words', async () => {
    const site = `${server.siteId}`;
    const alias = ['lexicon', 'add', 'Siobhan', '[[ʃɪvˈɔːn]]', '--site', site, '--language', 'en', '--data', data];
    expect(await runCommand(alias)).toMatchObject({ code: 0 });
    const recording = await listenTo(
      await make({
        ...{ post_id: 'tones', post_title: 'Siobhan & the harbor', voice_id: voices.timed },
        content: '<p>It cost 21 of the 30 coins. Then Siobhan left.</p><p>Who knows?</p>',
      }),
    );
    const tones = readTones(recording.samples, recording.sampleRateHz);
    const words = recording.timings.flatMap((segment) =>
      (segment.words ?? []).map((word, index) => [listWords(segment)[index], listSymbolsWithin(word)]),
    );
    function listSymbolsWithin(word: Word): string {
      // A tone starts with its phoneme and is followed by a pad.
      const wordTones = tones.filter(
        ({ startMs, endMs }) => (startMs + endMs) / 2 > word.start_ms && (startMs + endMs) / 2 < word.end_ms,
      );
      expect(Math.abs((wordTones[0]?.startMs ?? 0) - word.start_ms)).toBeLessThanOrEqual(toleranceMs);
      return wordTones.map(({ symbol }) => symbol).join('');
    }
    expect(words).toEqual([
      ['Siobhan', 'ʃɪvˈɔːn'],
      ['&', 'ænd'],
      ['the', 'ðə'],
      ['harbor', 'hˈɑːɹbɚ'],
      ['It', 'ɪt'],
      ['cost', 'kˈɔst'],
      ['21', 'twˈɛntiwˈʌn'],
      ['of', 'ʌv'],
      ['the', 'ðə'],
      ['30', 'θˈɜːɾi'],
      ['coins', 'kˈɔɪnz'],
      ['Then', 'ðˈɛn'],
      ['Siobhan', 'ʃɪvˈɔːn'],
      ['left', 'lˈɛft'],
      ['Who', 'hˌuː'],
      ['knows', 'nˈoʊz'],
    ]);
  });

  /** The onset of a tone is found in steps of 5 ms, and its first 5 ms are faded in. */
  const toleranceMs = 12;

  const speech: [voice: keyof typeof files, language: string, text: string][] = [
    [
      'aspen',
      'en',
      'Rosa, a nurse, saw an owl; a fox, a hare, and a lion ran away. Now, however, you know all of us, sir.',
    ],
    [
      'saule',
      'fr',
      'Rosa, une femme, vit un lion; une oie, un âne, et une vache, ensemble. Avril, mai, juin, août, et novembre.',
    ],
    [
      'encina',
      'es',
      'Rosa, su hijo, y su hija vieron un león; una oveja, una rana, y nueve osos. Abril, mayo, junio, y enero.',
    ],
  ];

  test.each(speech)('of %s match the silence around them', async (voice, language, text) => {
    const body = { post_id: `onsets-${voice}`, content: `<p>${text}</p>`, voice_id: voices[voice] };
    const recording = await listenTo(await make(body, language));
    const onsets = findOnsets(recording);
    // Within sentences, too.
    expect(onsets.length).toBeGreaterThan(recording.timings.length);
    const words = recording.timings.flatMap(({ words: own = [] }) => own);
    const errors = onsets.map((onset) => Math.min(...words.map((word) => Math.abs(word.start_ms - onset))));
    errors.sort((a, b) => a - b);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThanOrEqual(15);
    expect(errors.at(-1)).toBeLessThanOrEqual(40);
    for (const { words: timings = [], start_ms, end_ms } of recording.timings) {
      const end = findSoundEnd(recording, start_ms, end_ms);
      expect(Math.abs((timings.at(-1)?.end_ms ?? 0) - end)).toBeLessThanOrEqual(120);
      expect((timings[0]?.start_ms ?? 0) - start_ms).toBeLessThanOrEqual(20);
    }
  });
});

const stepMs = 5;
const speechDbfs = -36;
const pauseMs = 60;

function isLoud({ samples, sampleRateHz }: Recording, ms: number): boolean {
  const perMs = sampleRateHz / 1000;
  return rmsDbfs(samples.subarray(Math.round(ms * perMs), Math.round((ms + stepMs) * perMs))) > speechDbfs;
}

/** @returns the starts of sound after pauses, in ms */
function findOnsets(recording: Recording): number[] {
  const onsets: number[] = [];
  let silentMs = pauseMs;
  for (let ms = 0; ms < (recording.samples.length / recording.sampleRateHz) * 1000; ms += stepMs) {
    if (!isLoud(recording, ms)) silentMs += stepMs;
    else {
      if (silentMs >= pauseMs) onsets.push(ms);
      silentMs = 0;
    }
  }
  return onsets;
}

function findSoundEnd(recording: Recording, startMs: number, endMs: number): number {
  let ms = Math.floor(endMs / stepMs) * stepMs - stepMs;
  while (ms > startMs && !isLoud(recording, ms)) ms -= stepMs;
  return ms + stepMs;
}
