import { join } from 'node:path';
import { cpuFingerprint } from '../../src/speech/optimize/outcome.ts';
import { identifyVoice, type VoiceFiles } from '../../src/speech/synthesize/voice-model.ts';
import { openOptimizerCache } from '../../src/voices/optimizer-cache.ts';
import { createTemporaryFolder, runCommand } from '../fixtures/server.ts';

/** Test fixtures disable optimization. */
export const optimizing = { LECTERN_OPTIMIZE_VOICES: 'on' };

/** A data folder with optimized voices, as on a server that has been idle. */
export interface PreparedData {
  readonly folder: string;
  /** Id of the installed voice; null: the first built-in voice is used. */
  readonly voiceId: number | null;
}

const prepared = new Map<string, Promise<PreparedData>>();

/**
 * Created once per run; servers get copies.
 * @param modelPath of a voice to install; undefined: only the built-in ones
 */
export function getPreparedData(modelPath?: string): Promise<PreparedData> {
  const key = modelPath ?? '';
  const data = prepared.get(key) ?? prepare(modelPath);
  prepared.set(key, data);
  return data;
}

/** @returns a voice as passed to a speech worker with this data folder */
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

/** @returns the voices in the output of the command */
async function runVoiceCommand(words: readonly string[]): Promise<readonly { id: number }[]> {
  const options = { env: optimizing };
  const { code, stdout, stderr } = await runCommand(['voice', ...words, '--json'], options);
  if (code !== 0) throw new Error(`voice ${words.join(' ')}: ${stderr}`);
  return (JSON.parse(stdout) as { voices: { id: number }[] }).voices;
}
