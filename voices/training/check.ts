import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { encodePhonemeIds } from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';

/**
 * Holds a finished voice against the contract of Piper's voices, feeds it what no sentence is, and takes its time.
 * `bun check.ts VOICE.onnx`; ends with 1 if anything is wrong.
 */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: check.ts VOICE.onnx');

const sampleRateHz = 16_000;
const voice = parseVoiceConfig(readFileSync(`${path}.json`, 'utf8'));
const session = await InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
let failures = 0;

function report(holds: boolean, what: string): void {
  process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${what}\n`);
  if (!holds) failures += 1;
}

async function speak(ids: readonly number[], scales = [0.667, 1, 0.8]): Promise<Tensor> {
  const { output } = await session.run({
    input: new Tensor('int64', BigInt64Array.from(ids.map(BigInt)), [1, ids.length]),
    input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(ids.length)), [1]),
    scales: new Tensor('float32', Float32Array.from(scales), [3]),
  });
  if (output === undefined) throw new Error('the model has no output of that name');
  return output;
}

function heard(sound: Tensor) {
  const samples = sound.data as Float32Array;
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const isSound = samples.length > 0 && samples.every(Number.isFinite) && peak < 1;
  return { samples, peak, mean, isSound, dbfs: 10 * Math.log10(power + 1e-12) };
}

const idsOf = (phonemes: string) => encodePhonemeIds([...phonemes], voice).ids;
const sentence = 'ðə bˈɜːtʃ kənˈuː slˈɪd ɐkɹˌɔs ðə kwˈaɪət lˈeɪk bᵻfˌoːɹ sˈʌnɹaɪz.';

report(session.inputNames.join() === 'input,input_lengths,scales', 'names of the inputs');
report(session.outputNames[0] === 'output', 'name of the output');
const spoken = await speak(idsOf(sentence));
const first = heard(spoken);
report(spoken.dims.length === 3 && spoken.dims[0] === 1 && spoken.dims[1] === 1, 'one channel');
report(
  first.isSound && Math.abs(first.mean) < 1e-3,
  `a sentence: peak ${first.peak.toFixed(2)}, ${first.dbfs.toFixed(1)} dBFS`,
);
const edges = [first.samples[0], first.samples.at(-1)];
report(
  edges.every((value) => Math.abs(value ?? 1) < 1e-3),
  'begins and ends in silence',
);
const again = heard(await speak(idsOf(sentence))).samples;
report(
  again.length === first.samples.length && again.every((value, index) => value === first.samples[index]),
  'same ids, same samples',
);

for (const scale of [0.5, 0.8, 1.25, 2]) {
  const { samples, isSound } = heard(await speak(idsOf(sentence), [0.667, scale, 0.8]));
  const ratio = samples.length / first.samples.length;
  report(isSound && Math.abs(ratio / scale - 1) < 0.03, `${scale} times as long`);
}

const oddInputs: [string, number[]][] = [
  ['one id', [20]],
  ['start and end', [1, 0, 2]],
  ['pads', Array(40).fill(0)],
  ['punctuation', idsOf('...?!,;:')],
  ['stress marks', idsOf('ˈ'.repeat(30))],
  ['one vowel 200 times', idsOf('ɑ'.repeat(200))],
  ['600 phonemes', idsOf(sentence.repeat(10).slice(0, 600))],
  ['symbols of other languages', idsOf('øyœçχʁħβʎɲ')],
  ['ids without a symbol', [1, 0, 200, 0, 255, 0, 180, 0, 2]],
  ['ids out of range', [1, 0, 300, 0, -5, 0, 99_999, 0, 2]],
  ['all ids', Array.from({ length: 256 }, (_, id) => id)],
];
for (const [what, ids] of oddInputs) report(heard(await speak(ids)).isSound, what);
for (const scales of [
  [0, 1, 0],
  [1, 0.1, 1],
  [0.667, 5, 0.8],
  [5, 1, 5],
]) {
  report(heard(await speak(idsOf(sentence), scales)).isSound, `scales ${scales}`);
}

const { samples: long } = heard(await speak(idsOf(Array(8).fill(sentence).join(' '))));
const level = (part: Float32Array) =>
  10 * Math.log10(part.reduce((sum, value) => sum + value * value, 0) / part.length + 1e-12);
report(
  Math.abs(level(long.subarray(0, 40_000)) - level(long.subarray(-40_000))) < 3,
  'the end of a long input is as loud as its beginning',
);

const before = performance.now();
for (let round = 0; round < 5; round += 1) await speak(idsOf(sentence));
const factor = (performance.now() - before) / 5000 / (first.samples.length / sampleRateHz);
process.stdout.write(`real-time factor on one thread: ${factor.toFixed(4)}\n`);
process.exitCode = failures === 0 ? 0 : 1;
