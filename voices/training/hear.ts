import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/**
 * Word errors of recordings in English, by a recognizer that has no part in the training: Moonshine tiny (MIT) from npm.
 *
 *     npm pack @moonshine-ai/moonshine-js@0.1.29 llama-tokenizer-js@1.2.2
 *     mkdir moonshine tokenizer
 *     tar xzf moonshine-ai-moonshine-js-0.1.29.tgz -C moonshine && tar xzf llama-tokenizer-js-1.2.2.tgz -C tokenizer
 *     bun hear.ts . FOLDER SENTENCES.tsv
 *
 * FOLDER/ID.wav are recordings of SENTENCES.tsv (id<TAB>text), like those of synthesize.ts. Sentences with errors are shown.
 */
const [packages, folder, sentencesPath] = process.argv.slice(2);
if (!packages || !folder || !sentencesPath) throw new Error('usage: hear.ts PACKAGES FOLDER SENTENCES.tsv');

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

let [errors, count] = [0, 0];
for (const line of readFileSync(sentencesPath, 'utf8').trim().split('\n')) {
  const [id, ...rest] = line.split('\t');
  const text = rest.at(-1) ?? '';
  const path = join(folder, `${id}.wav`);
  if (!existsSync(path)) continue;
  const heard = await hear(readSamples(path));
  const wrong = distance(wordsOf(text), wordsOf(heard));
  errors += wrong;
  count += wordsOf(text).length;
  if (wrong > 0) process.stdout.write(`${id} ${wrong}: ${text} / ${heard}\n`);
}
process.stdout.write(`${errors} of ${count} words wrong: ${((100 * errors) / count).toFixed(2)} %\n`);

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[a-z0-9']+/g) ?? []
  );
}

/** Fewest insertions, deletions and substitutions. */
function distance(a: string[], b: string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, word] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const substituted = (row[column] ?? 0) + Number(word !== other);
      next.push(Math.min((row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, substituted));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** @returns mono PCM at 16 kHz, −1…1, with a little silence around it; the file has 16 bits and a header of 44 bytes */
function readSamples(path: string): Float32Array {
  const bytes = readFileSync(path);
  const source = Float32Array.from(
    { length: (bytes.length - 44) >> 1 },
    (_, index) => bytes.readInt16LE(44 + 2 * index) / 32_768,
  );
  const samples = resample(source, bytes.readUInt32LE(24));
  const padded = new Float32Array(samples.length + 2 * silenceS * sampleRateHz);
  padded.set(samples, silenceS * sampleRateHz);
  return padded;
}

/** Windowed sinc over 16 samples at either side, with its cutoff at 95 % of the lower half rate. */
function resample(source: Float32Array, rateHz: number): Float32Array {
  if (rateHz === sampleRateHz) return source;
  const step = rateHz / sampleRateHz;
  const cutoff = 0.95 * Math.min(1, 1 / step);
  const samples = new Float32Array(Math.floor(source.length / step));
  for (let index = 0; index < samples.length; index += 1) {
    const place = index * step;
    for (let at = Math.ceil(place - 16); at <= place + 16; at += 1) {
      const x = at - place;
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * cutoff * x) / (Math.PI * cutoff * x);
      const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / 16.01);
      samples[index] = (samples[index] ?? 0) + (source[at] ?? 0) * cutoff * sinc * window;
    }
  }
  return samples;
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
      // keys and values of the encoder are computed once
      if (first || name.includes('decoder')) {
        past[name] = answer[name.replace('past_key_values', 'present')] as Tensor;
      }
    }
  }
  return tokenizer.decode(tokens).trim();
}
