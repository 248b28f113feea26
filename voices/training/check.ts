import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { encodePhonemeIds } from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';

/**
 * Checks one voice of a model against the interface of Piper voices, with unusual inputs, and measures its speed:
 * `bun check.ts MODEL.onnx VOICE.onnx.json`. Exits with 1 if a check fails.
 */
const [modelPath, configPath] = process.argv.slice(2);
if (modelPath === undefined || configPath === undefined) throw new Error('usage: check.ts MODEL.onnx VOICE.onnx.json');

const config = readFileSync(configPath, 'utf8');
const voice = parseVoiceConfig(config);
const settings = JSON.parse(config) as {
  dataset: string;
  hop_length: number;
  audio: { sample_rate: number };
  speaker_id_map: Record<string, number>;
};
const sampleRateHz = settings.audio.sample_rate;
const speakerId = settings.speaker_id_map[settings.dataset];
if (speakerId === undefined) throw new Error(`${configPath}: no speaker of that name`);
const speakers = Object.keys(settings.speaker_id_map).length;
const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 });
let failures = 0;

function report(isRight: boolean, what: string): void {
  process.stdout.write(`${isRight ? 'ok  ' : 'FAIL'} ${what}\n`);
  if (!isRight) failures += 1;
}

interface Options {
  scales?: number[];
  speaker?: number;
}

async function synthesize(ids: readonly number[], { scales = [0.667, 1, 0.8], speaker = speakerId }: Options = {}) {
  const { output, durations } = await session.run({
    input: new Tensor('int64', BigInt64Array.from(ids.map(BigInt)), [1, ids.length]),
    input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(ids.length)), [1]),
    scales: new Tensor('float32', Float32Array.from(scales), [3]),
    sid: new Tensor('int64', BigInt64Array.of(BigInt(speaker ?? 0)), [1]),
  });
  if (output === undefined || durations === undefined) throw new Error('the model lacks an output');
  const samples = output.data as Float32Array;
  const frames = durations.data as Float32Array;
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  return {
    samples,
    frames,
    peak,
    mean,
    dims: output.dims,
    isSpeech: samples.length > 0 && samples.every(Number.isFinite) && peak < 1,
    /** Durations: one per id, in frames, none negative, together as long as the samples. */
    areDurationsRight:
      frames.length === ids.length &&
      frames.every((value) => value >= 0) &&
      frames.reduce((sum, value) => sum + value, 0) * settings.hop_length === samples.length,
  };
}

/** −26 dBFS: a voice may start within a frame of its first phoneme; Lectern fades in the first 5 ms. */
const edgeMax = 0.05;
const measureLevel = (part: Float32Array) =>
  10 * Math.log10(part.reduce((sum, value) => sum + value * value, 0) / part.length + 1e-12);
const areEqual = (a: Float32Array, b: Float32Array) =>
  a.length === b.length && a.every((value, index) => value === b[index]);
const toIds = (phonemes: string) => encodePhonemeIds([...phonemes], voice).ids;
const sentences: Record<string, string> = {
  en: 'ðə bˈɜːtʃ kənˈuː slˈɪd ɐkɹˌɔs ðə kwˈaɪət lˈeɪk bᵻfˌoːɹ sˈʌnɹaɪz.',
  fr: 'lə bato ɡlisˈɛ dusmˈɑ̃ syʁ lə lˈak avˈɑ̃ lə lˈevɛ dy sɔlˈɛj.',
  de: 'das bˈoːt ɡlˈaɪtət ʊm zˈɛks ˌuːɾ ˌyːbɜ deːn ʃtˈɪlən zˈeː.',
  es: 'la kanˈoa sˌe ðeslˈiθaβa pˌoɾ el lˈaɣo ˈantes ðel amanˈeθeɾ.',
};
const sentence = sentences[voice.espeakVoice.slice(0, 2)] ?? '';

report(session.inputNames.join() === 'input,input_lengths,scales,sid', 'names of the inputs');
report(session.outputNames.join() === 'output,durations', 'names of the outputs');
const first = await synthesize(toIds(sentence));
report(first.dims.length === 3 && first.dims[0] === 1 && first.dims[1] === 1, 'one channel');
const seconds = first.samples.length / sampleRateHz;
report(
  first.isSpeech && Math.abs(first.mean) < 1e-3 && measureLevel(first.samples) > -40,
  `a sentence: ${seconds.toFixed(2)} s, peak ${first.peak.toFixed(2)}, ${measureLevel(first.samples).toFixed(1)} dBFS`,
);
report(first.areDurationsRight, 'durations: one per id, together as long as the samples');
const edges = [first.samples[0], first.samples.at(-1)];
report(
  edges.every((value) => Math.abs(value ?? 1) < edgeMax),
  `begins and ends quietly: ${edges.map((value) => value?.toFixed(5)).join(', ')}`,
);
report(areEqual((await synthesize(toIds(sentence))).samples, first.samples), 'same ids, same samples');
for (let speaker = 0; speaker < speakers; speaker += 1) {
  if (speaker === speakerId) continue;
  const other = await synthesize(toIds(sentence), { speaker });
  report(other.isSpeech && !areEqual(other.samples, first.samples), `speaker ${speaker} is another voice`);
}
for (const speaker of [-1, speakers, 99]) {
  report((await synthesize(toIds(sentence), { speaker })).isSpeech, `speaker ${speaker}, which does not exist`);
}

for (const scale of [0.5, 0.8, 1.25, 2]) {
  const { samples, isSpeech, areDurationsRight } = await synthesize(toIds(sentence), { scales: [0.667, scale, 0.8] });
  const ratio = samples.length / first.samples.length;
  report(isSpeech && areDurationsRight && Math.abs(ratio / scale - 1) < 0.03, `${scale} times as long`);
}

const oddInputs: [string, number[]][] = [
  ['one id', [20]],
  ['start and end', [1, 0, 2]],
  ['pads', Array(40).fill(0)],
  ['punctuation', toIds('...?!,;:')],
  ['stress marks', toIds('ˈ'.repeat(30))],
  ['one vowel 200 times', toIds('a'.repeat(200))],
  ['600 phonemes', toIds(sentence.repeat(10).slice(0, 600))],
  ['symbols of other languages', toIds('øyœçχʁħβʎɲ')],
  ['ids without a symbol', [1, 0, 200, 0, 255, 0, 180, 0, 2]],
  ['ids out of range', [1, 0, 300, 0, -5, 0, 99_999, 0, 2]],
  ['all ids', Array.from({ length: 256 }, (_, id) => id)],
];
for (const [what, ids] of oddInputs) {
  const { isSpeech, areDurationsRight } = await synthesize(ids);
  report(isSpeech && areDurationsRight, what);
}
for (const scales of [
  [0, 1, 0],
  [1, 0.1, 1],
  [0.667, 5, 0.8],
  [5, 1, 5],
]) {
  report((await synthesize(toIds(sentence), { scales })).isSpeech, `scales ${scales}`);
}

const long = (await synthesize(toIds(Array(8).fill(sentence).join(' ')))).samples;
const difference = measureLevel(long.subarray(0, 3 * sampleRateHz)) - measureLevel(long.subarray(-3 * sampleRateHz));
// Speech becomes softer towards the end of a sentence; a voice that fades out would exceed 6 dB.
report(
  Math.abs(difference) < 6,
  `the end of a long input is as loud as its beginning: ${difference.toFixed(1)} dB less`,
);

const before = performance.now();
for (let round = 0; round < 5; round += 1) await synthesize(toIds(sentence));
const factor = (performance.now() - before) / 5000 / seconds;
process.stdout.write(`real-time factor on one thread: ${factor.toFixed(4)}\n`);
process.exitCode = failures === 0 ? 0 : 1;
