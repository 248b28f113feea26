import { join } from 'node:path';
import { cpuFingerprint } from '../../src/speech/optimize/outcome.ts';
import { identifyVoice, type VoiceFiles } from '../../src/speech/synthesize/voice-model.ts';
import { openOptimizerCache } from '../../src/voices/optimizer-cache.ts';
import { createTemporaryFolder, runCommand } from '../fixtures/server.ts';

/** The fixtures of tests switch it off. */
export const optimizing = { LECTERN_OPTIMIZE_VOICES: 'on' };

/** A data folder with voices as they are once a server was idle: optimized for this machine, where that makes them faster. */
export interface PreparedData {
  readonly folder: string;
  /** Of the voice that was installed; null: the first built-in one speaks. */
  readonly voiceId: number | null;
}

const prepared = new Map<string, Promise<PreparedData>>();

/**
 * Made once in a run; servers get copies of it.
 * @param modelPath of a voice to install; undefined: there are the built-in ones alone
 */
export function getPreparedData(modelPath?: string): Promise<PreparedData> {
  const key = modelPath ?? '';
  const data = prepared.get(key) ?? prepare(modelPath);
  prepared.set(key, data);
  return data;
}

/** @returns a voice as a speech worker on that data gets it */
export function getVoice(
  { folder }: PreparedData,
  { modelPath, configPath }: Pick<VoiceFiles, 'modelPath' | 'configPath'>,
): VoiceFiles {
  const { contentHash } = identifyVoice({ modelPath, configPath });
  const found = openOptimizerCache(join(folder, 'optimized'), cpuFingerprint()).find(contentHash);
  return {
    ...{ modelPath, configPath, contentHash },
    ...(found?.outcome === 'optimized' && { optimized: found.model }),
  };
}

async function prepare(modelPath: string | undefined): Promise<PreparedData> {
  const folder = createTemporaryFolder();
  const [voice] =
    modelPath === undefined ? [] : await runVoiceCommand(['add', modelPath, '--accept-license', '--data', folder]);
  await runVoiceCommand(['optimize', '--data', folder]);
  return { folder, voiceId: voice?.id ?? null };
}

/** @returns the voices that the command tells of */
async function runVoiceCommand(words: readonly string[]): Promise<readonly { id: number }[]> {
  const options = { env: optimizing };
  const { code, stdout, stderr } = await runCommand(['voice', ...words, '--json'], options);
  if (code !== 0) throw new Error(`voice ${words.join(' ')}: ${stderr}`);
  return (JSON.parse(stdout) as { voices: { id: number }[] }).voices;
}
