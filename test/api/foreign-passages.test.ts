import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Preview } from '../../src/audio/ad-hoc/preview-routes.ts';
import type { CertificateResponse } from '../../src/audio/certificate/schema.ts';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, type Recording, readSymbols } from '../fixtures/post.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { readTones, toneHz } from '../fixtures/tones.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { disableVoice, findVoiceId, listVoices } from '../fixtures/voice-list.ts';
import { readRows } from './stored-rows.ts';

const english = createToneVoice({ sampleRateHz: 16_000 });
const german = createToneVoice({ sampleRateHz: 22_050, language: 'de_DE', speakers: 2 });
const data = createTemporaryFolder();
const phonemizer = createEspeakPhonemizer();
let server: TestServer;
let englishId: number;
let germanIds: number[];

const content =
  '<p>Hello to all my friends. He said: <q lang="de">Wir schaffen das heute nicht</q> in Berlin. It was the <i lang="de">stadtwappen</i>.</p>' +
  '<p lang="de">Das ist ein neuer Absatz. Er kostet 5 €.</p><p lang="it">Un saluto à voi.</p>';
/** Expected speech, voice by voice. */
const parts = [
  ['en', 'Hello to all my friends.'],
  ['en', 'He said:'],
  ['de', 'Wir schaffen das heute nicht,'],
  ['en', 'in Berlin.'],
  ['en', 'It was the stadtwappen.'],
  ['de', 'Das ist ein neuer Absatz.'],
  ['de', 'Er kostet fünf Euro.'],
  ['en', 'Un saluto à voi.'],
] as const;

beforeAll(async () => {
  await writeVoice(join(data, 'voices'), 'en_US-tones-low', english);
  await writeVoice(join(data, 'voices'), 'de_DE-tones-low', german);
  await disableVoice(data, 'de_DE-buche-medium');
  const { key } = await createSite(data);
  await setReading({ foreign_passages: true });
  const { voices } = await listVoices(data);
  englishId = voices.find(({ file }) => file === 'en_US-tones-low')?.id ?? 0;
  germanIds = voices.filter(({ file }) => file === 'de_DE-tones-low').map(({ id }) => id);
  server = await startTestServer({ data, key });
});
afterAll(() => server.stop('SIGKILL'));

async function update(...flags: string[]): Promise<void> {
  const { code, stderr } = await runCommand(['site', 'update', '1', '--data', data, ...flags]);
  if (code !== 0) throw new Error(stderr);
}

function setReading(reading: Record<string, unknown>): Promise<void> {
  return update('--reading', JSON.stringify(reading));
}

async function generateAndWait(postId: string, text = content): Promise<AudioRecord> {
  const body = { post_id: postId, content: text, voice_id: englishId };
  const response = await server.generate(body);
  if (response.status !== 202) throw new Error(await response.text());
  const { id } = ((await response.json()) as Envelope<AudioRecord>).data;
  return eventually(async () => {
    const record = await server.status(postId);
    if (record.status === 'failed') throw new Error(record.error ?? '');
    return record.id === id && record.status === 'ready' && record;
  }, `${postId} is ready`);
}

async function phonemizeText(language: string, text: string): Promise<string> {
  const { config } = language === 'de' ? german : english;
  const [phonemes = []] = await phonemizer.phonemize([text], parseVoiceConfig(config ?? ''));
  return phonemes.filter((symbol) => toneHz.has(symbol)).join('');
}

async function getExpectedSymbols(all: readonly (readonly [string, string])[] = parts): Promise<string> {
  return (await Promise.all(all.map(([language, text]) => phonemizeText(language, text)))).join('');
}

/** Speakers heard during a segment. */
function detectSpeakers({ samples, sampleRateHz, timings }: Recording, index: number): Set<number> {
  const { start_ms = 0, end_ms = 0 } = timings[index] ?? {};
  return new Set(
    readTones(samples, sampleRateHz, 2)
      .filter(({ startMs, endMs }) => startMs >= start_ms - 60 && endMs <= end_ms + 60)
      .map(({ speaker }) => speaker),
  );
}

function listSegmentHashes(): string[] {
  return readRows<{ hash: string }>(data, 'select hash from segment').map(({ hash }) => hash);
}

function listPlannedVoices(postId: string): (number | null)[] {
  return readRows<{ voice_id: number | null }>(
    data,
    `select planned_segment.voice_id from planned_segment
     join audio on audio.version_id = planned_segment.version_id
     join post on post.id = audio.post_id where post.external_id = '${postId}' order by position`,
  ).map(({ voice_id }) => voice_id);
}

describe('language spans', () => {
  test('are spoken by a voice of their language; single words in a sentence by the voice of the article', async () => {
    const recording = await listenTo(await generateAndWait('mixed'));
    expect(recording.warnings).toBe('');
    expect(recording.sampleRateHz).toBe(16_000);
    expect(readSymbols(recording)).toBe(await getExpectedSymbols());
    const [de = 0] = germanIds;
    expect(listPlannedVoices('mixed')).toEqual(parts.map(([language]) => (language === 'de' ? de : null)));
    // Inside the sentence the pauses are short.
    const tones = readTones(recording.samples, recording.sampleRateHz);
    const pauses = tones
      .map(({ startMs }, index) => startMs - (tones[index - 1]?.endMs ?? startMs))
      .filter((ms) => ms > 80);
    const isLong = pauses.map((ms) => ms > 250);
    expect(isLong).toEqual([true, false, false, true, true, true, true]);
    expect(recording.timings.map(({ text }) => text)).toEqual([
      ...['Hello to all my friends.', 'He said:', 'Wir schaffen das heute nicht', 'in Berlin.'],
      ...['It was the stadtwappen.', 'Das ist ein neuer Absatz.', 'Er kostet 5 €.'],
      'Un saluto à voi.',
    ]);
  });

  test('are shown in a preview as they will be spoken', async () => {
    const response = await server.request('/v1/speech/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': server.key },
      body: JSON.stringify({ content, voice_id: englishId }),
    });
    const { sentences, unknown_words } = ((await response.json()) as Envelope<Preview>).data;
    const [de = 0] = germanIds;
    expect(sentences.map(({ language, voice_id }) => [language, voice_id])).toEqual(
      parts.map(([language]) => (language === 'de' ? [language, de] : [language, englishId])),
    );
    const symbols = sentences.flatMap(({ phonemes }) => [...phonemes]);
    expect(symbols.filter((symbol) => toneHz.has(symbol)).join('')).toBe(await getExpectedSymbols());
    // German nouns are not unknown words, nor are lower-case words that look ordinary.
    expect(unknown_words.map(({ word }) => word)).toEqual(['à']);
  });

  test('use the built-in voice of their language if no other is installed', async () => {
    const response = await server.request('/v1/speech/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': server.key },
      body: JSON.stringify({
        content: '<p>Hello.</p><p lang="fr">Bonjour à tous.</p><p lang="es">Buenos días.</p>',
        voice_id: englishId,
      }),
    });
    const { sentences } = ((await response.json()) as Envelope<Preview>).data;
    expect(sentences.map(({ text, language, voice_id }) => [text, language, voice_id])).toEqual([
      ['Hello.', 'en', englishId],
      ['Bonjour à tous.', 'fr', await findVoiceId(data, 'fr_FR-saule-medium')],
      ['Buenos días.', 'es', await findVoiceId(data, 'es_ES-encina-medium')],
    ]);
  });

  test('are not synthesized again when another sentence is corrected, and vice versa', async () => {
    const before = new Set(listSegmentHashes());
    await generateAndWait('mixed', content.replace('Hello to', 'Good morning to'));
    const afterOwn = listSegmentHashes().filter((hash) => !before.has(hash));
    expect(afterOwn).toHaveLength(1);
    await generateAndWait('mixed', content.replace('neuer', 'guter'));
    const afterBoth = listSegmentHashes().filter((hash) => !before.has(hash));
    expect(afterBoth).toHaveLength(2);
  });

  test('are in the certificate with their voice', async () => {
    const response = await server.request('/v1/audio/mixed/certificate');
    const { certificate } = ((await response.json()) as Envelope<CertificateResponse>).data;
    const [de = 0] = germanIds;
    expect(certificate.segments.map(({ voice_id }) => voice_id)).toEqual(
      parts.map(([language]) => (language === 'de' ? de : englishId)),
    );
    expect(certificate.voices.map(({ id }) => id)).toEqual([englishId, de]);
    expect(certificate.left_out).toEqual([]);
  });

  test('prevent the removal of their voice', async () => {
    const words = ['voice', 'remove', 'de_DE-tones-low', '--data', data];
    const { code, stderr } = await runCommand(words);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Voice de_DE-tones-low is in use: 0 sites, 1 post');
    expect(stderr).toContain('mixed (');
  });

  test('are spoken by the voice of the site if it has their language', async () => {
    await update('--default-voice', `${germanIds[1]}`);
    const recording = await listenTo(await generateAndWait('own-voice'));
    expect(detectSpeakers(recording, 0)).toEqual(new Set([0]));
    expect(detectSpeakers(recording, 2)).toEqual(new Set([1]));
    expect(listPlannedVoices('own-voice')[2]).toBe(germanIds[1] ?? 0);
  });

  test('have another voice only if the site has enabled it', async () => {
    await setReading({ foreign_passages: false });
    const recording = await listenTo(await generateAndWait('one-voice'));
    expect(new Set(listPlannedVoices('one-voice'))).toEqual(new Set([null]));
    expect(recording.timings.map(({ text }) => text).slice(0, 3)).toEqual([
      'Hello to all my friends.',
      'He said: Wir schaffen das heute nicht in Berlin.',
      'It was the stadtwappen.',
    ]);
  });
});
