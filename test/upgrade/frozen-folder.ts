import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTar } from '../../src/archive.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';

/** Facts about a data folder of an earlier build, in its `frozen.json`. */
export interface FrozenFacts {
  readonly commit: string;
  readonly schema: number;
  /** The time for its servers, as old data would be deleted. */
  readonly frozenAt: string;
  readonly key: string;
  readonly email: string;
  readonly password: string;
  /** Posts by language and name. */
  readonly voices: readonly { readonly id: number; readonly name: string; readonly language: string }[];
  /** A post with a ready MP3. */
  readonly ready: { readonly request: GenerateBody; readonly url: string; readonly sha256: string };
  /** Accepted posts that are not ready. The first is in synthesis. */
  readonly queued: readonly GenerateBody[];
  readonly plays: number;
  readonly feedSourceUrl: string;
}

export interface GenerateBody {
  readonly post_id: string;
  readonly post_title?: string;
  readonly content: string;
  readonly voice_id?: number;
  readonly language?: string;
}

/** Unpacks a data folder of an earlier build. */
export async function unpackFrozen(archive: string): Promise<{ data: string; facts: FrozenFacts }> {
  const data = createTemporaryFolder();
  const tar = join(createTemporaryFolder(), 'frozen.tar');
  writeFileSync(tar, Bun.gunzipSync(await Bun.file(archive).bytes()));
  await unpackTar(tar, data);
  return { data, facts: (await Bun.file(join(data, 'frozen.json')).json()) as FrozenFacts };
}

/** @throws Error if the file is not a tar file or is truncated */
export async function unpackTar(tar: string, folder: string): Promise<void> {
  const isWhole = await readTar(tar, async (entry) => {
    const bytes = Buffer.concat(await Array.fromAsync(entry));
    if (entry.header.type === 'file') await Bun.write(join(folder, entry.header.name), bytes);
  });
  if (!isWhole) throw new Error(`${tar} is no whole tar file`);
}
