import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/**
 * What a second recognizer hears, one that took no part in the training: Moonshine tiny (MIT), as its npm package brings it.
 * Writes {id: text} for chance.py.
 *
 *     npm pack @moonshine-ai/moonshine-js@0.1.29 llama-tokenizer-js@1.2.2
 *     mkdir moonshine tokenizer
 *     tar xzf moonshine-ai-moonshine-js-0.1.29.tgz -C moonshine && tar xzf llama-tokenizer-js-1.2.2.tgz -C tokenizer
 *     bun hear.ts . FOLDER PHONEMES.jsonl HEARD.json
 *
 * FOLDER is what speak.ts has made of PHONEMES.jsonl.
 */
const [packages, folder, phonemesPath, heardPath] = process.argv.slice(2);
if (!packages || !folder || !phonemesPath || !heardPath) {
  throw new Error('usage: hear.ts PACKAGES FOLDER PHONEMES.jsonl HEARD.json');
}

const sampleRateHz = 16_000;
const silenceS = 0.05;
const [startToken, endToken] = [1, 2];
const tokensPerSecondMax = 6.5;
const [layers, heads, headSize] = [6, 8, 36];

const models = join(packages, 'moonshine/package/dist/model/tiny/quantized');
const encoder = await InferenceSession.create(join(models, 'encoder_model.onnx'));
const decoder = await InferenceSession.create(join(models, 'decoder_model_merged.onnx'));
const { default: tokenizer } = (await import(resolve(packages, 'tokenizer/package/llama-tokenizer.js'))) as {
  default: { decode(tokens: number[]): string };
};

const heard: Record<string, string> = {};
for (const line of readFileSync(phonemesPath, 'utf8').trim().split('\n')) {
  const { id } = JSON.parse(line) as { id: string };
  heard[id] = await hear(readSamples(join(folder, `${id}.f32`)));
}
writeFileSync(heardPath, JSON.stringify(heard, null, 2));

/** @returns mono PCM at 16 kHz, −1…1, with a little silence around it */
function readSamples(path: string): Float32Array {
  const bytes = readFileSync(path);
  const samples = new Float32Array(new Uint8Array(bytes).buffer);
  const padded = new Float32Array(samples.length + 2 * silenceS * sampleRateHz);
  padded.set(samples, silenceS * sampleRateHz);
  return padded;
}

async function hear(samples: Float32Array): Promise<string> {
  const encoded = await encoder.run({
    input_values: new Tensor('float32', samples, [1, samples.length]),
  });
  const past: Record<string, Tensor> = {};
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
      past[`past_key_values.${layer}.${part}`] = new Tensor('float32', [], [0, heads, 1, headSize]);
    }
  }
  const tokens = [startToken];
  const tokensMax = Math.ceil((samples.length / sampleRateHz) * tokensPerSecondMax);
  while (tokens.length < tokensMax) {
    const first = tokens.length === 1;
    const answer = await decoder.run({
      input_ids: new Tensor('int64', [BigInt(tokens.at(-1) ?? startToken)], [1, 1]),
      encoder_hidden_states: encoded['last_hidden_state'] as Tensor,
      use_cache_branch: new Tensor('bool', [!first]),
      ...past,
    });
    const logits = answer['logits']?.data as Float32Array;
    const token = logits.indexOf(logits.reduce((a, b) => Math.max(a, b)));
    if (token === endToken) break;
    tokens.push(token);
    for (const name of Object.keys(past)) {
      // What it keeps of the sound is computed once.
      if (first || name.includes('decoder')) {
        past[name] = answer[name.replace('past_key_values', 'present')] as Tensor;
      }
    }
  }
  return tokenizer.decode(tokens).trim();
}
