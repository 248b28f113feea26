import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const data = mkdtempSync(join(tmpdir(), 'lectern-frozen-'));
  const tar = Bun.spawn(['tar', '-xzf', archive, '-C', data], { stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await tar.exited) !== 0) throw new Error(`${archive} cannot be unpacked`);
  return { data, facts: (await Bun.file(join(data, 'frozen.json')).json()) as FrozenFacts };
}
