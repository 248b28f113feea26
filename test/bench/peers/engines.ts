import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadOnnxRuntime } from '../../../src/build/native.ts';
import { parseVoiceConfig } from '../../../src/speech/synthesize/voice-config.ts';
import { loadVoice, type VoiceFiles } from '../../../src/speech/synthesize/voice-model.ts';
import { encodeIds, type SherpaVoice } from './sherpa-voice.ts';

/** @returns mono samples of a sentence's phoneme ids */
export type Speak = (ids: readonly number[]) => Promise<Float32Array>;

/** An engine with its parameters; each uses one thread. */
export type EngineSetup =
  /** onnxruntime-node with the exported model. */
  | { readonly engine: 'bare'; readonly voice: VoiceFiles }
  | {
      readonly engine: 'sherpa';
      readonly voice: VoiceFiles;
      readonly sherpa: SherpaVoice;
      /** Folder of sherpa-onnx-node. */
      readonly folder: string;
    }
  /** As a speech worker speaks. */
  | { readonly engine: 'lectern'; readonly voice: VoiceFiles };

export async function loadEngine(setup: EngineSetup): Promise<Speak> {
  if (setup.engine === 'bare') return createBareEngine(setup.voice);
  if (setup.engine === 'sherpa') return createSherpaEngine(setup);
  const voice = await loadVoice(setup.voice);
  return async (ids) => (await voice.synthesize(ids, 0)).samples;
}

/** The plain runtime. */
async function createBareEngine({ modelPath, configPath }: VoiceFiles): Promise<Speak> {
  const { scales, speakers } = parseVoiceConfig(readFileSync(configPath, 'utf8'));
  const onnx = await loadOnnxRuntime();
  const session = await onnx.InferenceSession.create(readFileSync(modelPath), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  return async (ids) => {
    const { output } = await session.run({
      input: new onnx.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      input_lengths: new onnx.Tensor('int64', BigInt64Array.of(BigInt(ids.length)), [1]),
      scales: new onnx.Tensor('float32', Float32Array.from(scales), [3]),
      ...(speakers.length > 1 && { sid: new onnx.Tensor('int64', BigInt64Array.of(0n), [1]) }),
    });
    if (!(output?.data instanceof Float32Array)) throw new Error('no samples came out');
    return output.data;
  };
}

/** The part of the sherpa-onnx-node API in use. */
interface SherpaModule {
  readonly OfflineTts: new (
    config: unknown,
  ) => {
    generate(request: { text: string; sid: number; speed: number; enableExternalBuffer: boolean }): {
      samples: Float32Array;
    };
  };
}

function createSherpaEngine({ voice, sherpa, folder }: Extract<EngineSetup, { engine: 'sherpa' }>): Speak {
  const { scales } = parseVoiceConfig(readFileSync(voice.configPath, 'utf8'));
  const [noiseScale, lengthScale, noiseScaleW] = scales;
  const require = createRequire(join(folder, 'package.json'));
  const { OfflineTts } = require('sherpa-onnx-node') as SherpaModule;
  const tts = new OfflineTts({
    model: {
      vits: {
        ...{ model: sherpa.modelPath, tokens: sherpa.tokensPath },
        ...{ noiseScale, lengthScale, noiseScaleW },
      },
      numThreads: 1,
      provider: 'cpu',
    },
    maxNumSentences: 1,
    // Without this it shortens pauses, which changes the duration.
    silenceScale: 1,
  });
  return async (ids) => tts.generate({ text: encodeIds(ids), sid: 0, speed: 1, enableExternalBuffer: false }).samples;
}
