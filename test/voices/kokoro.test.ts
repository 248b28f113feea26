import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTar, sumFile } from '../../src/archive.ts';
import type { Certificate, CertificateResponse } from '../../src/audio/certificate/schema.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { buildKokoroVoice } from '../../src/voices/kokoro.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createKokoroStyle, getTokenHz, tokenSamples, writeKokoroFiles } from '../fixtures/kokoro.ts';
import {
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { createToneVoice } from '../fixtures/voice.ts';

const folder = createTemporaryFolder();
const files = writeKokoroFiles(folder);
const { sha256 } = await sumFile(files.model);
const phonemizer = createEspeakPhonemizer();
const text = 'The council voted on Tuesday. Nobody spoke against it.';

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly file: string;
  readonly locale: string;
  readonly gender: string;
  readonly license: string;
  readonly sample_rate: number;
}

async function runVoice<T = { voices: Shown[] }>(data: string, ...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCommand(['voice', ...words, '--json', '--data', data]);
  expect([code, stderr]).toEqual([0, stderr.startsWith('Skipped') ? stderr : '']);
  return JSON.parse(stdout) as T;
}

async function runFailing(data: string, ...words: string[]): Promise<string> {
  const { code, stderr } = await runCommand(['voice', ...words, '--data', data]);
  expect(code).toBe(1);
  return stderr.trim();
}

const add = (data: string, ...words: string[]) =>
  runVoice(data, 'add', files.model, '--styles', files.styles, ...words);

function getConfig(style: string) {
  return parseVoiceConfig(buildKokoroVoice(join(files.styles, `${style}.bin`), sha256).config);
}

async function plan(content: string, style = 'af_heart', aliases: Parameters<typeof createReplacer>[0] = []) {
  const config = getConfig(style);
  const document = extractDocument({ content });
  const { sentences } = buildSentences(document, getLanguage(config.language), createReplacer(aliases));
  return planSegments(sentences, config, phonemizer);
}

/** Pitch of a tone in Hz, by its zero crossings. */
function measurePitch(samples: Float32Array): number {
  const rising = [...samples.keys()].filter((at) => at > 0 && (samples[at - 1] ?? 0) < 0 && (samples[at] ?? 0) >= 0);
  const [first = 0] = rising;
  return ((rising.length - 1) * 24_000) / ((rising.at(-1) ?? 0) - first);
}

describe('the voices of a Kokoro model', () => {
  const data = createTemporaryFolder();
  const listFolder = () => readdirSync(join(data, 'voices')).sort();

  test('are added with language, gender and name, and share one model file', async () => {
    const { voices } = await add(data);
    const shown = voices.map(({ file, name, locale, gender, license, sample_rate }) =>
      [file, name, locale, gender, license, sample_rate].join(' '),
    );
    expect(shown).toEqual([
      'af_heart Heart en_US female Apache-2.0 24000',
      'bm_george George en_GB male Apache-2.0 24000',
      'if_sara Sara it_IT female Apache-2.0 24000',
    ]);
    expect(listFolder()).toEqual([`${sha256}.onnx`, 'af_heart.onnx.json', 'bm_george.onnx.json', 'if_sara.onnx.json']);
  });

  test('are not added twice', async () => {
    expect(await runFailing(data, 'add', files.model, '--styles', files.styles)).toContain('af_heart already exists');
  });

  test('can be removed one by one, the model with the last one', async () => {
    await runVoice(data, 'remove', 'if_sara');
    await runVoice(data, 'remove', 'af_heart');
    expect(listFolder()).toEqual([`${sha256}.onnx`, 'bm_george.onnx.json']);
    await runVoice(data, 'remove', 'bm_george');
    expect(listFolder()).toEqual([]);
  });

  test('can be selected, and others added later', async () => {
    await add(data, '--voices', 'bm_george');
    await add(data, '--voices', 'af_heart');
    expect(listFolder()).toEqual([`${sha256}.onnx`, 'af_heart.onnx.json', 'bm_george.onnx.json']);
    expect(await runFailing(data, 'add', files.model, '--styles', files.styles, '--voices', 'af_nobody')).toContain(
      'Style af_nobody not found. Available: af_heart, bm_george, if_sara',
    );
  });

  test('are validated with one smoke test of their model', async () => {
    const { code, stdout } = await runCommand(['check', '--data', data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Heart: [0-9.]*[1-9][0-9.]* × real time/);
    expect(stdout).toContain('George: loaded; same model as Heart');
  });

  test('are in a bundle with one copy of the model', async () => {
    const bundle = join(folder, 'kokoro.tar');
    await runVoice(data, 'bundle', bundle, 'af_heart', 'bm_george');
    const names: string[] = [];
    await readTar(bundle, async (entry) => {
      names.push(entry.header.name);
      for await (const _ of entry);
    });
    expect(names.filter((name) => name.endsWith('.onnx'))).toEqual([`${sha256}.onnx`]);
    const other = createTemporaryFolder();
    const { voices } = await runVoice(other, 'import', bundle);
    expect(voices.map(({ file }) => file)).toEqual(['af_heart', 'bm_george']);
    expect(readdirSync(join(other, 'voices')).sort()).toEqual(listFolder());
  });

  test('are rejected with a reason: no style, another model, an invalid model', async () => {
    const styles = join(folder, 'short');
    const none = createTemporaryFolder();
    await Bun.write(join(styles, 'af_heart.bin'), createKokoroStyle(0).subarray(4));
    expect(await runFailing(none, 'add', files.model, '--styles', styles)).toContain('expected 510 rows of 256');
    const tones = join(folder, 'tones.onnx');
    writeFileSync(tones, createToneVoice({ sampleRateHz: 16_000 }).model ?? '');
    expect(await runFailing(none, 'add', tones, '--styles', files.styles)).toContain('the model is not a Kokoro voice');
    writeFileSync(tones, 'no model');
    expect(await runFailing(none, 'add', tones, '--styles', files.styles)).toContain('is not an ONNX model');
    expect(readdirSync(join(none, 'voices'))).toEqual([]);
  });

  test('are not used with a model other than their own', () => {
    const modelPath = join(folder, 'changed.onnx');
    const configPath = join(folder, 'changed.json');
    writeFileSync(modelPath, Buffer.concat([readFileSync(files.model), Buffer.of(0x2a, 0)]));
    writeFileSync(configPath, buildKokoroVoice(join(files.styles, 'af_heart.bin'), sha256).config);
    expect(() => identifyVoice({ modelPath, configPath })).toThrow('but the config names');
  });
});

describe('phonemes for Kokoro', () => {
  test.each([
    ['af_heart', 'George joined a major change.', ['ʤ', 'ʧ', 'A', 'Y'], ['dʒ', 'tʃ', 'eɪ', 'ː', 'ɚ']],
    ['af_heart', 'The bird told the water boy.', ['ɜɹ', 'O', 'T', 'əɹ', 'Y'], ['ɾ', 'oʊ', 'ː']],
    ['bm_george', 'The bird told the water boy.', ['ɜː', 'Q', 'ɔː'], ['əʊ', 'T']],
    ['af_heart', 'The timber is sound.', ['ɪmbəɹ ɪz'], []],
    ['if_sara', 'La pizza è già in viaggio.', ['ʦ', 'ʤ'], ['ts', 'dʒ']],
    ['if_sara', 'La FIAT e la RAI negoziano.', ['fˈiat e'], ['\u032a']],
  ])('are its own symbols: %s, %s', async (style, sentence, included, excluded) => {
    const { segments, unknownSymbols } = await plan(sentence, style);
    const phonemes = segments.map((segment) => segment.phonemes).join('');
    for (const symbols of included) expect(phonemes).toContain(symbols);
    for (const symbols of excluded) expect(phonemes).not.toContain(symbols);
    expect(unknownSymbols).toEqual([]);
  });

  test('become tokens between start and end, without pads', async () => {
    const { segments } = await plan('Yes.');
    expect(segments.map(({ phonemes, ids }) => [phonemes, ids])).toEqual([['jˈɛs.', [0, 52, 156, 86, 61, 4, 0]]]);
  });

  test('from a lexicon are mapped, too', async () => {
    const { segments, unknownSymbols } = await plan('Ojaj wins.', 'af_heart', [
      { word: 'Ojaj', alias: '[[oʊˈdʒaɪ]]', caseSensitive: false } as never,
    ]);
    expect(segments[0]?.phonemes).toStartWith('OˈʤI');
    expect(unknownSymbols).toEqual([]);
  });

  test('are split at 510 tokens without loss', async () => {
    const word = `[[${'ma'.repeat(12)}]]`;
    const sentence = `${Array.from({ length: 30 }, () => 'Xyz').join(' and ')}, and that was all.`;
    const { segments } = await plan(sentence, 'af_heart', [
      { word: 'Xyz', alias: word, caseSensitive: false } as never,
    ]);
    expect(segments.length).toBeGreaterThan(1);
    for (const { ids } of segments) expect(ids.length).toBeLessThanOrEqual(512);
    expect(Math.max(...segments.map(({ ids }) => ids.length))).toBeGreaterThan(256);
    const phonemes = segments.map((segment) => segment.phonemes).join('');
    expect(phonemes.match(/m/g)?.length).toBe(30 * 12);
  });
});

describe('inference with a Kokoro voice', () => {
  const style = 'bm_george';
  const configPath = join(folder, 'george.json');
  writeFileSync(configPath, buildKokoroVoice(join(files.styles, `${style}.bin`), sha256).config);
  const place = { modelPath: files.model, configPath };

  test('receives the tokens, the row of the style for their number, and the speed', async () => {
    const model = await loadVoice({ ...place, contentHash: identifyVoice(place).contentHash });
    const speak = async (count: number, speed?: number) => {
      const ids = [0, ...Array.from({ length: count }, () => 43), 0];
      return (await model.synthesize(ids, 0, speed)).samples;
    };
    const trimEnds = (samples: Float32Array) => samples.subarray(tokenSamples, -tokenSamples);
    const short = await speak(4);
    expect(short.length).toBe(6 * tokenSamples);
    // 20 Hz of the voice, and the row out of 510 as a part of a Hz.
    expect(measurePitch(short.subarray(tokenSamples, 2 * tokenSamples))).toBeCloseTo(getTokenHz(43) + 20, -1);
    const long = await speak(408);
    const takeStart = (samples: Float32Array) => trimEnds(samples).subarray(0, tokenSamples);
    const shift = measurePitch(takeStart(long)) - measurePitch(takeStart(short));
    expect(shift).toBeWithin(0.2, 2);
    expect((await speak(510)).length).toBe(512 * tokenSamples);
    expect((await speak(4, 2)).length).toBe(3 * tokenSamples);
    expect(await speak(4)).toEqual(short);
    await model.close();
  });
});

describe('a server with Kokoro voices', () => {
  const data = createTemporaryFolder();
  let server: TestServer;
  let voices: readonly Shown[];
  beforeAll(async () => {
    ({ voices } = await add(data));
    server = await startTestServer({ data });
  });
  afterAll(() => server.stop('SIGKILL'));
  const getCertificate = async (postId: string): Promise<Certificate> => {
    const response = await server.request(`/v1/audio/${postId}/certificate`);
    return ((await response.json()) as Envelope<CertificateResponse>).data.certificate;
  };
  const findId = (file: string) => voices.find((voice) => voice.file === file)?.id;

  test('generates an article with a certificate that names the voice, and synthesizes only corrected sentences again', async () => {
    await server.generate({ post_id: 'news', content: text, voice_id: findId('bm_george') });
    const record = await server.waitUntilFinished('news');
    expect([record.status, record.error]).toEqual(['ready', undefined]);
    const first = await getCertificate('news');
    expect(first.voices.map(({ name }) => name)).toEqual(['George']);
    const mp3 = await server.request(new URL(record.audio_url ?? '', server.url).pathname);
    const { samples, sampleRateHz, warnings } = await decodeMp3(await mp3.bytes());
    expect([sampleRateHz, warnings]).toEqual([24_000, '']);
    expect(samples.length / sampleRateHz).toBeWithin(1, 8);
    await server.generate({
      post_id: 'news',
      content: text.replace('Nobody', 'Everybody'),
      voice_id: findId('bm_george'),
    });
    await server.waitUntilFinished('news');
    const second = await getCertificate('news');
    const listFrames = ({ segments }: Certificate) => segments.map((segment) => segment.sha256);
    expect(listFrames(second)[0]).toBe(listFrames(first)[0] ?? '');
    expect(listFrames(second)[1]).not.toBe(listFrames(first)[1] ?? '');
  });

  test('synthesizes a text ad hoc, faster on request', async () => {
    const measureSeconds = async (speed: number) => {
      const response = await server.request('/v1/audio/speech', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'lectern', voice: `${findId('af_heart')}`, input: text, speed }),
      });
      expect(response.status).toBe(200);
      const { samples, sampleRateHz } = await decodeMp3(await response.bytes());
      return samples.length / sampleRateHz;
    };
    expect((await measureSeconds(1)) / (await measureSeconds(2))).toBeWithin(1.5, 2.2);
  });

  test('finds voices that are copied into its folder, and reports which lack their model', async () => {
    const copied = createTemporaryFolder();
    const target = join(copied, 'voices');
    cpSync(join(data, 'voices'), target, { recursive: true });
    const { voices: found } = await runVoice(copied, 'list');
    expect(found.filter(({ license }) => license === 'Apache-2.0').map(({ file }) => file)).toContain('if_sara');
    rmSync(join(target, `${sha256}.onnx`));
    const listed = await runVoice<{ not_usable: { problem: string }[] }>(copied, 'list');
    expect(listed.not_usable.map(({ problem }) => problem)).toEqual(Array(3).fill('the model is missing'));
  });
});
