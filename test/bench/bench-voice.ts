import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getConfigPath } from '../../src/voices/inspect.ts';
import { getCacheFolder } from './cache-folder.ts';

/** Formats of Piper voices. */
export const qualities = ['x_low', 'low', 'medium', 'high'] as const;
type Quality = (typeof qualities)[number];

const python = '/usr/bin/python3';
const recipe = join(import.meta.dir, 'voice');
const symbols = join(import.meta.dir, '../../voices/training/symbols.json');
export const neededPackages = 'python3-torch python3-onnx python3-numpy';

/** Whether the packages for making a voice are installed. */
export function canMakeVoices(): boolean {
  if (!existsSync(python)) return false;
  const modules = 'import importlib.util as u; assert u.find_spec("torch") and u.find_spec("onnx")';
  return Bun.spawnSync([python, '-c', modules], { stderr: 'ignore' }).success;
}

/**
 * A voice with random weights and the size of a real one, created at the first use and stored in the user's cache.
 * @throws if its packages are missing, or if its size differs from that of a real voice
 */
export function prepareBenchVoice(quality: Quality): { modelPath: string; configPath: string } {
  const folder = join(getCacheFolder(), hashRecipe());
  const modelPath = join(folder, `en_US-bench-${quality}.onnx`);
  if (!existsSync(modelPath)) {
    mkdirSync(folder, { recursive: true });
    const result = Bun.spawnSync([python, '-B', join(recipe, 'make.py'), '--folder', folder, quality], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (!result.success) {
      throw new Error(`no voice was made; needed: apt-get install ${neededPackages}`);
    }
  }
  return { modelPath, configPath: getConfigPath(modelPath) };
}

/** The cache key depends on the recipe. */
function hashRecipe(): string {
  const sources = [...new Bun.Glob('*.py').scanSync(recipe)].sort();
  const hash = createHash('sha256').update(readFileSync(symbols));
  for (const name of sources) hash.update(readFileSync(join(recipe, name)));
  return hash.digest('hex').slice(0, 16);
}
