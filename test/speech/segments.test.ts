import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import type { LeftOut } from '../../src/speech/extract/block.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences, digestText } from '../../src/speech/sentences.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { listenTo, planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import { scale } from '../fixtures/scale.ts';
import { testSeed } from '../fixtures/seed.ts';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

const config = JSON.stringify(aspen);
const plan = (content: string) => planPost({ content }, config);
const phonemizer = createEspeakPhonemizer();
const clause = 'the boats of the harbor came back one after another in the rain';

function letters(text: string): string {
  return text.replace(/\s+/g, '');
}

describe('planSegments', () => {
  test('turns a sentence into a segment with the pause after it', async () => {
    const segments = await plan('<h2>A heading</h2><p>One sentence. Is it one? And another one.</p>');
    expect(segments.map(({ text, pauseMs }) => [text, pauseMs])).toEqual([
      ['A heading', 700],
      ['One sentence.', 320],
      ['Is it one?', 420],
      ['And another one.', 600],
    ]);
  });

  test('splits a sentence of more than 400 ids at clauses, without a pause or loss', async () => {
    const text = `${Array.from({ length: 9 }, (_, i) => `${clause} for day ${i + 1}`).join(', ')}.`;
    const segments = await plan(`<p>${text}</p><p>The end.</p>`);
    const parts = segments.slice(0, -1);
    expect(parts.length).toBeGreaterThan(2);
    for (const { ids } of parts) expect(ids.length).toBeLessThanOrEqual(parseVoiceConfig(config).maxIds);
    for (const part of parts.slice(0, -1)) {
      expect(part.text).toEndWith(',');
      expect(part.pauseMs).toBe(0);
    }
    expect(parts.at(-1)?.pauseMs).toBe(600);
    expect(parts.map((part) => part.text).join(' ')).toBe(text);
  });

  test('splits at a word without clauses', async () => {
    const text = `${Array.from({ length: 12 }, () => clause).join(' and ')}.`;
    const parts = await plan(`<p>${text}</p>`);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map((part) => part.text).join(' ')).toBe(text);
    for (const { ids } of parts) expect(ids.length).toBeLessThanOrEqual(parseVoiceConfig(config).maxIds);
  });

  test('splits a long word', async () => {
    const text = 'supercalifragilistic-'.repeat(100);
    const parts = await plan(`<p>Before it. ${text} and after it.</p>`);
    for (const { ids } of parts) expect(ids.length).toBeLessThanOrEqual(parseVoiceConfig(config).maxIds);
    expect(letters(parts.map((part) => part.text).join(''))).toBe(letters(`Before it. ${text} and after it.`));
    expect(parts.at(-1)?.spoken).toEndWith('after it.');
  });

  test('speaks and splits the written word if the inline phonemes are too long', async () => {
    const alias = `[[${'ˈkiːv'.repeat(90)}]]`;
    for (const word of ['K', 'Kyiv', 'Kyiv'.repeat(24)]) {
      const lexicon = createReplacer([{ word, alias, matchCase: true }]);
      const document = extractDocument({ content: `<p>Back in ${word} today.</p>` });
      const { sentences } = buildSentences(document, getLanguage('en'), lexicon);
      const { segments } = await planSegments(sentences, parseVoiceConfig(config), phonemizer);
      expect(letters(segments.map(({ text }) => text).join(''))).toBe(`Backin${word}today.`);
      expect(segments.map(({ spoken }) => spoken).join('')).toContain(word);
      for (const { ids } of segments) expect(ids.length).toBeLessThanOrEqual(parseVoiceConfig(config).maxIds);
    }
  });

  test('returns the source span of each part', async () => {
    const text = `${Array.from({ length: 9 }, () => clause).join(', ')}.`;
    const content = `<p>Short one.</p><p>${text}</p>`;
    const segments = await plan(content);
    for (const { text: shown, span } of segments) {
      expect(content.slice(span.start, span.end).trim()).toBe(shown);
    }
  });

  test('plans a long text without a space in speakable parts', async () => {
    const content = `<p>Before. ${'abcdefghi-'.repeat(scale.characters / 10)} after.</p>`;
    const parts = await plan(content);
    expect(parts[0]?.text).toStartWith('Before.');
    expect(parts.at(-1)?.spoken).toEndWith('after.');
    for (const { ids } of parts) expect(ids.length).toBeLessThanOrEqual(parseVoiceConfig(config).maxIds);
  });

  test('returns sentences without sound in a voice', async () => {
    const voice = parseVoiceConfig(config);
    const document = extractDocument({ content: '<p>Words first.</p><p>ꙮ</p><p>Words last.</p>' });
    const { sentences, leftOut } = buildSentences(document, getLanguage('en'));
    const planned = await planSegments(sentences, voice, createEspeakPhonemizer());
    const texts = [...planned.segments, ...planned.silent].map(({ text }) => text);
    const named = leftOut.map(({ text }) => text);
    expect([...texts, ...named].toSorted()).toEqual(['Words first.', 'Words last.', 'ꙮ'].toSorted());
  });
});

describe('the text digest', () => {
  const voice = parseVoiceConfig(config);
  const pieces = [
    '***',
    'ꙮ',
    '𠀀'.repeat(90),
    'so-'.repeat(300),
    '&fjlig;&#128512;',
    ' ',
    '<br>',
    '<p>',
    '<h2>',
    '</h2>',
    'a<b>b</b>c',
  ];
  const words = ['Mr.', 'No. 10', 'x'.repeat(90), '$4.50', 'Z\u0301\u0301', '?!', 'so', `${clause}, `.repeat(8)];

  test('equals that of segments and silent sentences for any text', async () => {
    const text = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 25 });
    const title = fc.constantFrom('', 'A title', '𠀀𠀁');
    await fc.assert(
      fc.asyncProperty(text, title, async (parts, title) => {
        const document = extractDocument({ title, content: parts.join(' ') });
        const { sentences, coverage, leftOut } = buildSentences(document, getLanguage('en'));
        const { segments, silent } = await planSegments(sentences, voice, phonemizer);
        const planned = digestText(segments.map((segment) => segment.text.toWellFormed()));
        const unsaid = digestText(silent.map((sentence) => sentence.text));
        const isInside = ({ span }: LeftOut) =>
          sentences.some(
            (sentence) =>
              sentence.span.field === span.field && sentence.span.start <= span.start && span.end <= sentence.span.end,
          );
        const signs = digestText(leftOut.filter((part) => !isInside(part)).map(({ text }) => text));
        expect(planned.characters + unsaid.characters).toBe(coverage.expectedText.characters);
        expect(coverage.expectedText.characters + signs.characters).toBe(coverage.extractedChars);
        if (silent.length === 0) expect(planned).toEqual(coverage.expectedText);
        const spans = segments.map(({ span }) => span);
        for (const [index, { field, start, end }] of spans.entries()) {
          const before = spans[index - 1];
          expect(start).toBeLessThanOrEqual(end);
          if (before?.field === field) expect(start).toBeGreaterThanOrEqual(before.end);
        }
      }),
      { seed: testSeed, numRuns: 20 },
    );
  });

  test('equals that of the segments if a character has many spoken words', async () => {
    const lexicon = createReplacer([{ word: '🙂', alias: `${clause}, `.repeat(13), matchCase: true }]);
    const document = extractDocument({ content: 'See 🙂 here.' });
    const { sentences, coverage } = buildSentences(document, getLanguage('en'), lexicon);
    const { segments } = await planSegments(sentences, voice, phonemizer);
    expect(segments.length).toBeGreaterThan(3);
    // Half a character would not come back from the database.
    const stored = segments.map(({ text }) => text.toWellFormed());
    expect(digestText(stored)).toEqual(coverage.expectedText);
  });

  test('detects a missing sentence', () => {
    const german = getLanguage('de');
    const losing = { ...german, splitSentences: (text: string) => german.splitSentences(text).slice(1) };
    const { blocks, leftOut } = extractDocument({ content: 'Eins ist da. Zwei ist da.' });
    const { sentences, coverage } = buildSentences({ blocks, leftOut }, losing);
    expect(digestText(sentences.map(({ text }) => text)).characters).toBeLessThan(coverage.expectedText.characters);
  });
});

describe('a hostile post', () => {
  const data = createTemporaryFolder();
  const voice = createToneVoice({ sampleRateHz: 16_000 });
  const toneConfig = voice.config ?? '';
  let server: TestServer;
  let voiceId: number;

  beforeAll(async () => {
    await writeVoice(join(data, 'voices'), 'en_US-tones-low', voice);
    const { key } = await createSite(data);
    voiceId = await findVoiceId(data, 'en_US-tones-low');
    server = await startTestServer({ data, key });
  });
  afterAll(() => server.stop('SIGKILL'));

  const before = 'These words stand before it.';
  const after = 'These words stand after it.';
  test.each([
    ['four thousand characters without a space', 'x'.repeat(4_000)],
    ['a hash', `The checksum is ${'3f9a0b7c'.repeat(8)} and it goes on for a while.`],
    ['a script of another language', '新闻'.repeat(45)],
    ['emoji', '🙂🎉👩‍👩‍👧‍👦 🏳️‍🌈 thumbs 👍🏽 up'],
    ['right-to-left text', 'שלום עולם \u202Eabc\u202C مرحبا'],
    ['control characters', 'a\u0000b\u0001c\u0007\u001B[31m red \u007F'],
    ['spaces of all kinds', 'no\u00A0break\u2003em\u200Bzero\u2060join\uFEFFmark\u3000wide'],
    ['lone surrogates', 'half \uD83D a \uDE00 pair'],
    ['broken HTML', '</div></p><p <b>bold <i>both</b> neither</i> <a href="x>never closed'],
    ['open comments and tags', '<p>seen</p><!-- never -- closed? --> <b'],
    ['combining marks', `Z${'\u0301'.repeat(500)}algo`],
    ['nested elements', `${'<div>'.repeat(2_000)}deep${'</div>'.repeat(2_000)}`],
    ['signs only', '!!! ??? ... --- *** ### @@@'],
  ])('keeps the words around it in timings and sound: %s', async (name, hostile) => {
    const content = `<p>${before}</p><p>${hostile}</p><p>${after}</p><p>The last words.</p>`;
    const response = await server.generate({ post_id: name, content, voice_id: voiceId });
    expect(response.status).toBe(202);
    const record = await server.waitUntilFinished(name);
    expect(record).toMatchObject({ status: 'ready' });
    const recording = await listenTo(record);
    expect(recording.warnings).toBe('');
    const planned = await planPost({ content }, toneConfig);
    const texts = recording.timings.map(({ text }) => text ?? '');
    expect(texts).toEqual(planned.map(({ text }) => text));
    expect(texts).toContain(before);
    if (!hostile.includes('never closed') && !hostile.endsWith('<b')) {
      expect(texts.slice(-2)).toEqual([after, 'The last words.']);
    }
    const symbols = planned.flatMap(({ ids }) => toSymbols(ids, toneConfig)).join('');
    expect(readSymbols(recording)).toBe(symbols);
  });
});
