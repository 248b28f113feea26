import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyVoice, readVoiceConfig, type VoiceFiles } from '../../../src/speech/synthesize/voice-model.ts';
import type { BenchArticle } from '../article.ts';
import { startEngine } from './engine-workers.ts';
import { planIds } from './planned.ts';

/** Similarity of the engine's audio to that of the exported model in the bare runtime, without noise. */
export interface Likeness {
  /** Signal-to-noise ratio per sentence. */
  readonly decibels: readonly number[];
  /** Phoneme ids of the sentences. */
  readonly lengths: readonly number[];
}

/** @param folder for temporary files */
export async function compareSound(voice: VoiceFiles, article: BenchArticle, folder: string): Promise<Likeness> {
  const quiet = disableNoise(voice, folder);
  const planned = await planIds(article, readVoiceConfig(quiet));
  const sentences = planned.toSorted((a, b) => a.length - b.length);
  const bare = await startEngine({ engine: 'bare', voice: quiet }, 1);
  const lecternEngine = await startEngine({ engine: 'lectern', voice: quiet }, 1);
  try {
    const decibels: number[] = [];
    for (const ids of sentences) {
      decibels.push(computeSnrDb(await bare.samples(ids), await lecternEngine.samples(ids)));
    }
    return { decibels, lengths: sentences.map(({ length }) => length) };
  } finally {
    bare.end();
    lecternEngine.end();
  }
}

/** The same model with a config without noise. */
function disableNoise(voice: VoiceFiles, folder: string): VoiceFiles {
  const configPath = join(folder, 'noiseless.json');
  const config = JSON.parse(readFileSync(voice.configPath, 'utf8')) as { inference: object };
  const inference = { ...config.inference, noise_scale: 0, noise_w: 0 };
  writeFileSync(configPath, JSON.stringify({ ...config, inference }));
  return { ...voice, configPath, contentHash: identifyVoice({ ...voice, configPath }).contentHash };
}

function computeSnrDb(expected: Float32Array, actual: Float32Array): number {
  if (expected.length !== actual.length) return -Infinity;
  let signal = 0;
  let noise = 0;
  for (const [place, value] of expected.entries()) {
    signal += value ** 2;
    noise += (value - (actual[place] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}
