import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashVoice, loadVoice, readVoice } from '../../src/speech/synthesize/voice-model.ts';

/**
 * Speaks sentences with a finished voice: of each, its samples as 32-bit floats in FOLDER/ID.f32.
 * `bun speak.ts VOICE.onnx PHONEMES.jsonl FOLDER`
 */
const [modelPath, phonemesPath, folder] = process.argv.slice(2);
if (modelPath === undefined || phonemesPath === undefined || folder === undefined) {
  throw new Error('usage: speak.ts VOICE.onnx PHONEMES.jsonl FOLDER');
}

const files = { modelPath, configPath: `${modelPath}.json` };
const { model, config } = readVoice(files);
const voice = await loadVoice({ ...files, contentHash: hashVoice(model, config) });
mkdirSync(folder, { recursive: true });
for (const line of readFileSync(phonemesPath, 'utf8').trim().split('\n')) {
  const { id, ids } = JSON.parse(line) as { id: string; ids: number[] };
  const { buffer, byteOffset, byteLength } = await voice.synthesize(ids, 0);
  writeFileSync(join(folder, `${id}.f32`), new Uint8Array(buffer, byteOffset, byteLength));
}
await voice.close();
