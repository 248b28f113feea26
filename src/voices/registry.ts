import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../errors.ts';
import { maxConfigBytes, maxLicenseTextBytes, maxModelBytes, parseStem } from './staged-voice.ts';

/** In the format of Piper's own collection. */
const catalogName = 'voices.json';
const maxCatalogBytes = 20_000_000;
const catalogTimeoutMs = 60_000;
const maxSuggestions = 8;

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

export interface RegistryFile {
  readonly url: URL;
  readonly byteCount: number;
  /** Hex, lower case. */
  readonly md5: string;
}

export interface RegistryVoice {
  readonly key: string;
  readonly locale: string;
  readonly quality: string;
  readonly speakerCount: number;
  /** File name without `.onnx`. */
  readonly stem: string;
  readonly model: RegistryFile;
  readonly config: RegistryFile;
  /** Contains the license. */
  readonly modelCard: RegistryFile | null;
  readonly aliases: readonly string[];
}

/**
 * @param mirror URL of the folder with `voices.json`
 * @returns the installable voices, by key; incomplete entries are skipped
 * @throws AppError `operation_failed`
 */
export async function fetchRegistry(mirror: string): Promise<RegistryVoice[]> {
  const base = new URL(`${mirror.replace(/\/+$/, '')}/`);
  const url = new URL(catalogName, base);
  const listed: unknown = await fetchCatalog(url);
  if (typeof listed !== 'object' || listed === null) throw createCatalogError(url, 'not a JSON object of voices');
  const voices = Object.values(listed).flatMap((entry: unknown) => {
    const voice = Value.Check(CatalogEntry, entry) ? parseRegistryVoice(entry, base) : undefined;
    return voice === undefined ? [] : [voice];
  });
  if (voices.length === 0) throw createCatalogError(url, 'it contains no usable voice');
  return voices.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** @param name key or alias. @throws AppError `operation_failed` with similar names */
export function findRegistryVoice(voices: readonly RegistryVoice[], name: string): RegistryVoice {
  const found =
    voices.find(({ key }) => key === name) ??
    voices.find(({ aliases }) => aliases.includes(name)) ??
    voices.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const similar = voices
    .filter(({ key }) => key.toLowerCase().includes(name.toLowerCase()))
    .slice(0, maxSuggestions)
    .map(({ key }) => key);
  const hint = similar.length === 0 ? '' : `. Similar: ${similar.join(', ')}`;
  throw new AppError('operation_failed', `Voice ${name} not found in the registry${hint}`);
}

async function fetchCatalog(url: URL): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(catalogTimeoutMs) }).catch(() => {
    throw createCatalogError(url, 'no response');
  });
  if (!answer.ok) throw createCatalogError(url, `status ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      byteCount += chunk.byteLength;
      if (byteCount > maxCatalogBytes) throw createCatalogError(url, 'the list is too large');
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw createCatalogError(url, error instanceof SyntaxError ? 'not JSON' : 'connection lost');
  }
}

function parseRegistryVoice(entry: CatalogEntry, base: URL): RegistryVoice | undefined {
  const { key, language, quality, num_speakers, aliases = [] } = entry;
  const paths = Object.keys(entry.files);
  const modelPath = paths.find((path) => path.endsWith('.onnx'));
  const stem = parseStem(modelPath?.split('/').at(-1) ?? '');
  const fileAt = (path: string | undefined, byteMax: number): RegistryFile | undefined => {
    const file = path === undefined ? undefined : entry.files[path];
    if (path === undefined || file === undefined || file.size_bytes > byteMax) return undefined;
    if (!path.split('/').every((name) => /^(?!\.{1,2}$)[^\\?#%:\p{Cc}]+$/u.test(name))) {
      return undefined;
    }
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), base);
    return { url, byteCount: file.size_bytes, md5: file.md5_digest.toLowerCase() };
  };
  const isVisible = [key, language.code, quality].every((text) => /^[^\p{Cc}\p{Cf}]*$/u.test(text));
  const model = fileAt(modelPath, maxModelBytes);
  const config = fileAt(`${modelPath}.json`, maxConfigBytes);
  if (!isVisible || stem === undefined || model === undefined || config === undefined) return undefined;
  const cardPath = paths.find((path) => path.split('/').at(-1) === 'MODEL_CARD');
  return {
    ...{ key, locale: language.code, quality, speakerCount: Math.max(1, num_speakers ?? 1) },
    ...{ stem, model, config, aliases },
    modelCard: fileAt(cardPath, maxLicenseTextBytes) ?? null,
  };
}

function createCatalogError(url: URL, reason: string): AppError {
  return new AppError('operation_failed', `Reading the voice list ${redactUrl(url)} failed: ${reason}`);
}

/** Without user name and password. */
export function redactUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}
