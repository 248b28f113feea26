import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/**
 * Recordings for hear.ts, measure.py and make_listen.py: FOLDER/ID.wav of each row of phonemize.ts.
 * `bun synthesize.ts MODEL.onnx VOICE.onnx.json PHONEMES.jsonl FOLDER`
 */
const [modelPath, configPath, phonemesPath, folder] = process.argv.slice(2);
if (!modelPath || !configPath || !phonemesPath || !folder) {
  throw new Error('usage: synthesize.ts MODEL.onnx VOICE.onnx.json PHONEMES.jsonl FOLDER');
}

const { dataset, audio, speaker_id_map } = JSON.parse(readFileSync(configPath, 'utf8')) as {
  dataset: string;
  audio: { sample_rate: number };
  speaker_id_map?: Record<string, number>;
};
const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 });
mkdirSync(folder, { recursive: true });
for (const line of readFileSync(phonemesPath, 'utf8').trim().split('\n')) {
  const { id, ids } = JSON.parse(line) as { id: string; ids: number[] };
  const inputs: Record<string, Tensor> = {
    input: new Tensor('int64', BigInt64Array.from(ids.map(BigInt)), [1, ids.length]),
    input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(ids.length)), [1]),
    scales: new Tensor('float32', Float32Array.of(0.667, 1, 0.8), [3]),
  };
  if (session.inputNames.includes('sid')) {
    inputs['sid'] = new Tensor('int64', BigInt64Array.of(BigInt(speaker_id_map?.[dataset] ?? 0)), [1]);
  }
  const { output } = await session.run(inputs);
  writeFileSync(join(folder, `${id}.wav`), encodeWav(output?.data as Float32Array, audio.sample_rate));
}

/** 16 bits, mono. */
function encodeWav(samples: Float32Array, rateHz: number): Buffer {
  const wav = Buffer.alloc(44 + 2 * samples.length);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + 2 * samples.length, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rateHz, 24);
  wav.writeUInt32LE(2 * rateHz, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(2 * samples.length, 40);
  for (const [index, value] of samples.entries()) {
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, value)) * 32_767), 44 + 2 * index);
  }
  return wav;
}
