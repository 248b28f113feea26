import { expect, test } from 'bun:test';
import { loadOnnxRuntime } from '../../src/build/native.ts';
import { withFixedNoise } from '../../src/speech/synthesize/fixed-noise.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

const sampleRateHz = 16_000;
const level = 0.05;
const silent = createToneVoice({ sampleRateHz });
const noisy = createToneVoice({ sampleRateHz, noise: level });
const phonemeIds = [1, 0, 20, 0, 25, 0, 14, 0, 2];
const other = [1, 0, 14, 0, 31, 0, 20, 0, 20, 0, 61, 0, 2];

async function speak(model: Uint8Array, sentences: readonly (readonly number[])[]) {
  const onnx = await loadOnnxRuntime();
  const session = await onnx.InferenceSession.create(model, { intraOpNumThreads: 1 });
  const spoken: Float32Array[] = [];
  for (const ids of sentences) {
    const { output } = await session.run({
      input: new onnx.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      input_lengths: new onnx.Tensor('int64', [BigInt(ids.length)], [1]),
      scales: new onnx.Tensor('float32', [0.667, 1, 0.8], [3]),
    });
    spoken.push(output?.data as Float32Array);
  }
  return spoken;
}

function getModel(voice: { model: Uint8Array | undefined }): Uint8Array {
  if (voice.model === undefined) throw new Error('this voice has no model');
  return voice.model;
}

test('a voice with noise synthesizes a sentence identically in every session, after any other sentences', async () => {
  // Ensures that the test has an effect.
  const [first, again] = await speak(getModel(noisy), [phonemeIds, phonemeIds]);
  expect(first).not.toEqual(again);

  const files = await writeVoice(createTemporaryFolder(), 'noisy', noisy);
  const place = { ...files, contentHash: identifyVoice(files).contentHash };
  const here = await loadVoice(place);
  const there = await loadVoice(place);
  const outputs = [
    await here.synthesize(phonemeIds, 0),
    await here.synthesize(other, 0),
    await here.synthesize(phonemeIds, 0),
  ] as const;
  expect(outputs[2]).toEqual(outputs[0]);
  expect(await there.synthesize(other, 0)).toEqual(outputs[1]);
  expect(await there.synthesize(phonemeIds, 0)).toEqual(outputs[0]);
});

test('fixed noise is normal, with mean and scale of the model, and differs at each node', async () => {
  const [tones = new Float32Array()] = await speak(getModel(silent), [other]);
  const [sound = new Float32Array()] = await speak(withFixedNoise(getModel(noisy)), [other]);
  const noise = sound.map((sample, i) => (sample - (tones[i] ?? 0)) / level);
  const mean = noise.reduce((sum, value) => sum + value, 0) / noise.length;
  const variance = noise.reduce((sum, value) => sum + (value - mean) ** 2, 0) / noise.length;
  const beyond = noise.filter((value) => Math.abs(value - mean) > 2 * Math.sqrt(variance));
  // Nodes with mean 0 and deviation 1, and with 0.5 and 2; not the same values three times.
  expect(mean).toBeCloseTo(0.5, 1);
  expect(variance / 5).toBeCloseTo(1, 1);
  expect(beyond.length / noise.length).toBeCloseTo(0.0455, 2);
});

test('a model without noise, or an invalid one, is unchanged', () => {
  const whole = getModel(noisy);
  const models = [
    getModel(silent),
    whole.subarray(0, whole.length / 2),
    new Uint8Array(0),
    new TextEncoder().encode('<!doctype html><title>404</title>'),
    Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0xff, 0x7f),
  ];
  for (const model of models) expect(withFixedNoise(model)).toBe(model);
});
