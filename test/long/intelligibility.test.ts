import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmsDbfs } from '../../src/speech/encode/loudness.ts';
import { listenTo, type Recording } from '../fixtures/post.ts';
import { countWordErrors, recognize } from '../fixtures/recognizer.ts';
import { startServerForFile } from '../fixtures/server.ts';

setDefaultTimeout(300_000);

const heldOut = (await Bun.file(new URL('../fixtures/heldout.tsv', import.meta.url)).text())
  .trim()
  .split('\n')
  .map((line) => line.split('\t')[1] ?? '');

const article = {
  title: 'Library to stay open',
  paragraphs: [
    'The council voted on Tuesday evening to keep the old library open through the winter. Hundreds of people had signed a letter, and many of them came to the meeting.',
    'The mayor thanked everyone who spoke. She said the building needs a new roof before the end of the year. Work could begin as early as next month.',
    'The state has promised half of the money, and a local company will pay the rest. Until then the reading room opens at nine in the morning and closes at six.',
  ],
};

const titles = [
  'Weather',
  'Sports',
  'Breaking news',
  'Local elections',
  'Harbor reopens',
  'Opinion',
  'Fire',
  'Go',
  'Oil',
  'Art',
  'Two dead',
  'No',
];

const server = await startServerForFile({ voices: 'built-in' });

async function speak(post: Record<string, unknown>): Promise<Recording> {
  const response = await server.generate(post);
  expect(response.status).toBe(202);
  return listenTo(await server.waitUntilFinished(`${post['post_id']}`));
}

/** A part of the pause before a sentence, without which the recognizer misses the first sound. */
const pauseBeforeMs = 100;

/** @returns the audio of each sentence, according to the timings of the MP3 */
function cut({ samples, sampleRateHz, timings }: Recording): Float32Array[] {
  const perMs = sampleRateHz / 1000;
  return timings.map(({ start_ms, end_ms }) =>
    samples.subarray(Math.round(Math.max(0, start_ms - pauseBeforeMs) * perMs), Math.round(end_ms * perMs)),
  );
}

async function computeErrorRate(references: readonly string[], recording: Recording) {
  const recognized = await recognize(cut(recording), recording.sampleRateHz);
  const counts = references.map((reference, index) => countWordErrors(reference, recognized[index] ?? ''));
  const errors = counts.reduce((sum, count) => sum + count.errors, 0);
  const words = counts.reduce((sum, count) => sum + count.words, 0);
  return { rate: errors / words, errors, words, heard: recognized };
}

describe('a recognizer', () => {
  test.each([
    { voice_id: 1, name: 'aspen' },
    { voice_id: 2, name: 'cedar' },
  ])('understands $name out of the MP3', async ({ voice_id, name }) => {
    const content = heldOut.map((sentence) => `<p>${sentence}</p>`).join('');
    const recording = await speak({ post_id: name, content, voice_id });
    expect(recording.timings.map(({ text }) => text)).toEqual(heldOut);
    const result = await computeErrorRate(heldOut, recording);
    expect(result.words).toBeGreaterThan(100);
    expect(result.rate).toBeLessThanOrEqual(0.02);
  });

  test('understands a fixed article', async () => {
    const content = article.paragraphs.map((text) => `<p>${text}</p>`).join('');
    const recording = await speak({ post_id: 'article', post_title: article.title, content });
    const texts = recording.timings.map(({ text }) => text ?? '');
    expect(texts.join(' ')).toBe([article.title, ...article.paragraphs].join(' '));
    const result = await computeErrorRate(texts, recording);
    expect(result.rate).toBeLessThanOrEqual(0.015);
  });
});

describe('titles of one or two words', () => {
  test('are as long and as loud as other words', async () => {
    const content = titles.map((title) => `<h2>${title}</h2><p>The rest of it follows here.</p>`).join('');
    const recording = await speak({ post_id: 'titles', content });
    const sounds = cut(recording);
    const spoken = recording.timings.flatMap(({ kind, text }, index) =>
      kind === 'heading' ? [{ text: text ?? '', sound: sounds[index] ?? new Float32Array() }] : [],
    );
    expect(spoken.map(({ text }) => text)).toEqual(titles);
    for (const { sound } of spoken) {
      const { ms, dbfs } = trimToLoud(sound, recording.sampleRateHz);
      expect(ms).toBeGreaterThan(200);
      expect(dbfs).toBeGreaterThan(-25);
    }
    const recognized = await recognize(
      spoken.map(({ sound }) => sound),
      recording.sampleRateHz,
    );
    // They sound alike.
    const heardTitles = recognized.map((words) => words.replace(/^too\b/i, 'Two'));
    const understood = titles.filter((title, index) => countWordErrors(title, heardTitles[index] ?? '').errors === 0);
    // One is not recognized, and one may be recognized differently on another processor.
    expect(understood.length).toBeGreaterThanOrEqual(titles.length - 2);
  });
});

/** From the first to the last range that is not silent. */
function trimToLoud(samples: Float32Array, sampleRateHz: number) {
  const frame = sampleRateHz / 100;
  const loud = Array.from({ length: Math.floor(samples.length / frame) }, (_, index) => index).filter(
    (index) => rmsDbfs(samples.subarray(index * frame, (index + 1) * frame)) > -45,
  );
  const [first = 0, last = 0] = [loud[0], loud.at(-1)];
  return {
    ms: (last - first + 1) * 10,
    dbfs: rmsDbfs(samples.subarray(first * frame, (last + 1) * frame)),
  };
}
