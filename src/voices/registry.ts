import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../errors.ts';
import { configByteMax, licenseTextByteMax, modelByteMax, stemOf } from './staged-voice.ts';

/** What a mirror offers: `voices.json`, as Piper's own collection has it. */
const catalogName = 'voices.json';
const catalogByteMax = 20_000_000;
const patienceMs = 60_000;
/** So many names are shown to whoever asked for one that is not there. */
const similarMax = 8;

const CatalogFile = Type.Object({
  size_bytes: Type.Integer({ minimum: 0 }),
  md5_digest: Type.String({ pattern: '^[0-9a-fA-F]{32}$' }),
});
const CatalogEntry = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 100 }),
  language: Type.Object({ code: Type.String({ maxLength: 50 }) }),
  quality: Type.String({ maxLength: 50 }),
  num_speakers: Type.Optional(Type.Integer({ minimum: 0 })),
  files: Type.Record(Type.String(), CatalogFile),
  aliases: Type.Optional(Type.Array(Type.String())),
});
type CatalogEntry = Static<typeof CatalogEntry>;

/** A file of a mirror, and what its list says of it. */
export interface MirrorFile {
  readonly url: URL;
  readonly byteCount: number;
  /** Hex, lower case. */
  readonly md5: string;
}

/** A voice that a mirror offers. */
export interface MirrorVoice {
  readonly key: string;
  readonly locale: string;
  readonly quality: string;
  readonly speakerCount: number;
  /** Its file name without `.onnx`. */
  readonly stem: string;
  readonly model: MirrorFile;
  readonly config: MirrorFile;
  /** Names the licence. */
  readonly modelCard: MirrorFile | null;
  readonly aliases: readonly string[];
}

/**
 * Asks a mirror what it has.
 * @param mirror address of the folder in which `voices.json` lies
 * @returns what can be installed, by key; entries that name no whole voice are left out
 * @throws AppError `operation_failed`
 */
export async function readPiperCatalog(mirror: string): Promise<MirrorVoice[]> {
  const base = new URL(`${mirror.replace(/\/+$/, '')}/`);
  const url = new URL(catalogName, base);
  const listed: unknown = await fetchList(url);
  if (typeof listed !== 'object' || listed === null) throw noCatalog(url, 'it is no list');
  const voices = Object.values(listed).flatMap((entry: unknown) => {
    const voice = Value.Check(CatalogEntry, entry) ? voiceOf(entry, base) : undefined;
    return voice === undefined ? [] : [voice];
  });
  if (voices.length === 0) throw noCatalog(url, 'it names no voice');
  return voices.sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** @param name its key, or an alias. @throws AppError `operation_failed` naming those that are like it */
export function chooseMirrorVoice(voices: readonly MirrorVoice[], name: string): MirrorVoice {
  const found =
    voices.find(({ key }) => key === name) ??
    voices.find(({ aliases }) => aliases.includes(name)) ??
    voices.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const similar = voices
    .filter(({ key }) => key.toLowerCase().includes(name.toLowerCase()))
    .slice(0, similarMax)
    .map(({ key }) => key);
  const hint = similar.length === 0 ? '' : `; there are: ${similar.join(', ')}`;
  throw new AppError('operation_failed', `The mirror has no voice ${name}${hint}`);
}

async function fetchList(url: URL): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).catch(() => {
    throw noCatalog(url, 'it does not answer');
  });
  if (!answer.ok) throw noCatalog(url, `it answers ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      byteCount += chunk.byteLength;
      if (byteCount > catalogByteMax) throw noCatalog(url, 'it is too large');
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw noCatalog(url, error instanceof SyntaxError ? 'it is not JSON' : 'it broke off');
  }
}

function voiceOf(entry: CatalogEntry, base: URL): MirrorVoice | undefined {
  const { key, language, quality, num_speakers, aliases = [] } = entry;
  const paths = Object.keys(entry.files);
  const modelPath = paths.find((path) => path.endsWith('.onnx'));
  const stem = stemOf(modelPath?.split('/').at(-1) ?? '');
  const fileAt = (path: string | undefined, byteMax: number): MirrorFile | undefined => {
    const file = path === undefined ? undefined : entry.files[path];
    if (path === undefined || file === undefined || file.size_bytes > byteMax) return undefined;
    if (!path.split('/').every((name) => /^(?!\.{1,2}$)[^\\?#%:\p{Cc}]+$/u.test(name))) {
      return undefined;
    }
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), base);
    return { url, byteCount: file.size_bytes, md5: file.md5_digest.toLowerCase() };
  };
  const isVisible = [key, language.code, quality].every((text) => /^[^\p{Cc}\p{Cf}]*$/u.test(text));
  const model = fileAt(modelPath, modelByteMax);
  const config = fileAt(`${modelPath}.json`, configByteMax);
  if (!isVisible || stem === undefined || model === undefined || config === undefined)
    return undefined;
  const cardPath = paths.find((path) => path.split('/').at(-1) === 'MODEL_CARD');
  return {
    ...{ key, locale: language.code, quality, speakerCount: Math.max(1, num_speakers ?? 1) },
    ...{ stem, model, config, aliases },
    modelCard: fileAt(cardPath, licenseTextByteMax) ?? null,
  };
}

function noCatalog(url: URL, reason: string): AppError {
  return new AppError('operation_failed', `${shownUrl(url)} is no list of voices: ${reason}`);
}

/** Without name and password, should an address have them. */
export function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}
