import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTar } from '../../src/archive.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';

/** What a test has to know of a data folder of an earlier build: `frozen.json` in it. */
export interface FrozenFacts {
  readonly commit: string;
  readonly schema: number;
  /** Its servers must believe that it is this time: what has become old is deleted. */
  readonly frozenAt: string;
  readonly key: string;
  readonly email: string;
  readonly password: string;
  /** By language and name. */
  readonly voices: readonly { readonly id: number; readonly name: string; readonly language: string }[];
  /** Its MP3 was ready. */
  readonly ready: { readonly request: GenerateBody; readonly url: string; readonly sha256: string };
  /** Accepted, none of them ready. The first is half-made. */
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

/** @throws Error when the file is no tar file, or ends early */
export async function unpackTar(tar: string, folder: string): Promise<void> {
  const isWhole = await readTar(tar, async (entry) => {
    const bytes = Buffer.concat(await Array.fromAsync(entry));
    if (entry.header.type === 'file') await Bun.write(join(folder, entry.header.name), bytes);
  });
  if (!isWhole) throw new Error(`${tar} is no whole tar file`);
}
