import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureGain, trimEdges } from '../../src/speech/encode/loudness.ts';
import { synthesizeSegment } from '../../src/speech/synthesize/synthesize-segment.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { decodeMp3 } from '../../test/fixtures/decode.ts';
import { planPost } from '../../test/fixtures/post.ts';

/**
 * Writes the recordings for recognize.ts, measure.py, compare.py, spectrograms.py and make_listen.py: FOLDER/ID.wav, the speech of Lectern for
 * each row of SENTENCES.tsv (id<TAB>text), decoded from the MP3. Existing recordings are kept.
 *     bun record.ts MODEL.onnx VOICE.onnx.json SENTENCES.tsv FOLDER
 */
const [modelPath, configPath, sentencesPath, folder] = process.argv.slice(2);
if (!modelPath || !configPath || !sentencesPath || !folder) {
  throw new Error('usage: record.ts MODEL.onnx VOICE.onnx.json SENTENCES.tsv FOLDER');
}
/** Of a voice. */
const loudnessSentences = 8;
const bitRateKbps = 64;

const configText = readFileSync(configPath, 'utf8');
const { dataset, speaker_id_map: speakers } = JSON.parse(configText) as {
  dataset?: string;
  speaker_id_map?: Record<string, number>;
};
const speaker = speakers?.[dataset ?? ''] ?? 0;
const place = { modelPath, configPath };
const voice = { ...place, contentHash: identifyVoice(place).contentHash };
const model = await loadVoice(voice);
const { sampleRateHz } = model.config;
const rows = await Promise.all(
  readFileSync(sentencesPath, 'utf8')
    .trim()
    .split('\n')
    .map(async (line) => {
      const [id = '', ...rest] = line.split('\t');
      return { path: join(folder, `${id}.wav`), segments: await planPost({ content: rest.at(-1) ?? '' }, configText) };
    }),
);
const spoken: Float32Array[] = [];
for (const { ids } of rows.slice(0, loudnessSentences).flatMap(({ segments }) => segments)) {
  spoken.push(trimEdges((await model.synthesize(ids, speaker)).samples, sampleRateHz));
}
const gainDb = measureGain(spoken, sampleRateHz);

mkdirSync(folder, { recursive: true });
for (const { path, segments } of rows) {
  if (existsSync(path)) continue;
  const frames: Uint8Array[] = [];
  for (const { ids, audiblePhonemes, pauseMs } of segments) {
    const params = { voice, speaker, ids, audiblePhonemes, pauseMs, gainDb, sampleRateHz, bitRateKbps };
    frames.push((await synthesizeSegment(model, { ...params, inferenceCount: 1, speed: 1 })).frames);
  }
  const decoded = await decodeMp3(Buffer.concat(frames));
  writeFileSync(path, encodeWav(decoded.samples, decoded.sampleRateHz));
}
await model.close();

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
