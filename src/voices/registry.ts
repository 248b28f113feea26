import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError, operationFailed } from '../errors.ts';
import { appendToFile, publishFile, readFileChunks } from '../files.ts';
import { getConfigPath } from './inspect.ts';
import { validateLicense } from './installer.ts';
import { parseModelCardLicense, resolveLicense } from './license.ts';
import {
  createStagingPath,
  maxConfigBytes,
  maxLicenseTextBytes,
  maxModelBytes,
  parseStem,
  type StagedVoice,
} from './voice-files.ts';

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

interface RegistryFile {
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
  throw operationFailed(`Voice ${name} not found in the registry${hint}`);
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
  return operationFailed(`Reading the voice list ${redactUrl(url)} failed: ${reason}`);
}

/** Without user name and password. */
function redactUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

const maxFailedAttempts = 5;
const retryDelayMs = 500;
const idleTimeoutMs = 30_000;

/** A failed attempt that may be repeated. */
class DownloadInterruptedError extends Error {}

/** What a range request needs from the response before. */
interface ResumeState {
  etag?: string | undefined;
}

/**
 * Downloads a file. A partial file of an earlier attempt, or an earlier run of the program, is continued: its name contains the
 * checksum, and the checksum of the whole file decides.
 * @param onProgress called with the number of bytes in the file
 * @throws AppError `operation_failed`: not found, no progress in several attempts, or other bytes than the registry lists
 */
async function download(file: RegistryFile, target: string, onProgress: (byteCount: number) => void): Promise<void> {
  let failedAttempts = 0;
  let hasRestarted = false;
  const resume: ResumeState = {};
  while (true) {
    const before = getFileSize(target);
    if (before === file.byteCount && existsSync(target)) {
      if ((await hashMd5(target)) === file.md5) return;
      rmSync(target);
      // Parts of several attempts may be of different files.
      if (hasRestarted) throw createDownloadError(file, 'checksum differs from the registry list');
      hasRestarted = true;
      continue;
    }
    try {
      await fetchRest(file, target, resume, onProgress);
    } catch (error) {
      if (!(error instanceof DownloadInterruptedError)) throw error;
      failedAttempts = getFileSize(target) > before ? 0 : failedAttempts + 1;
      if (failedAttempts >= maxFailedAttempts) throw createDownloadError(file, error.message);
      await Bun.sleep(retryDelayMs * 2 ** failedAttempts);
    }
  }
}

async function fetchRest(
  file: RegistryFile,
  target: string,
  resume: ResumeState,
  onProgress: (byteCount: number) => void,
): Promise<void> {
  if (getFileSize(target) > file.byteCount) rmSync(target);
  const have = getFileSize(target);
  const abort = new AbortController();
  const idleTimer = setTimeout(() => abort.abort(), idleTimeoutMs);
  try {
    const response = await fetch(file.url, {
      signal: abort.signal,
      headers: {
        // The length of a compressed response differs from the list.
        'accept-encoding': 'identity',
        ...(have > 0 && { range: `bytes=${have}-` }),
        ...(have > 0 && resume.etag !== undefined && { 'if-range': resume.etag }),
      },
    }).catch(() => {
      throw new DownloadInterruptedError('no response');
    });
    // The file of the registry is shorter than the partial file.
    if (response.status === 416) {
      rmSync(target, { force: true });
      throw new DownloadInterruptedError('range not satisfiable');
    }
    const start = parseRangeStart(response, have, file);
    if (start < have) truncateSync(target, start);
    const etag = response.headers.get('etag') ?? undefined;
    // A weak tag does not guarantee equal bytes.
    resume.etag = etag?.startsWith('W/') ? undefined : etag;
    await appendToFile(
      target,
      readBody(response, start, file, (byteCount) => {
        idleTimer.refresh();
        onProgress(byteCount);
      }),
    );
    if (getFileSize(target) < file.byteCount) throw new DownloadInterruptedError('connection lost');
  } finally {
    clearTimeout(idleTimer);
    abort.abort();
  }
}

/** @returns the offset of the response in the file. @throws DownloadInterruptedError, AppError */
function parseRangeStart({ status, headers }: Response, have: number, file: RegistryFile): number {
  // The file has changed, or the registry does not support ranges.
  if (status === 200) return 0;
  if (status === 206) {
    const [, first, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
    if (Number(first) === have && (whole === '*' || Number(whole) === file.byteCount)) return have;
    throw createDownloadError(file, 'size differs from the registry list');
  }
  if (status === 429 || status === 408 || status >= 500) throw new DownloadInterruptedError(`status ${status}`);
  throw createDownloadError(file, `status ${status}`);
}

async function* readBody(
  response: Response,
  start: number,
  file: RegistryFile,
  onProgress: (byteCount: number) => void,
): AsyncGenerator<Uint8Array> {
  const chunks = (response.body ?? new Blob([]).stream())[Symbol.asyncIterator]();
  let byteCount = start;
  while (true) {
    const next = await chunks.next().catch(() => {
      throw new DownloadInterruptedError('connection lost');
    });
    if (next.done === true) return;
    byteCount += next.value.byteLength;
    if (byteCount > file.byteCount) throw createDownloadError(file, 'size differs from the registry list');
    yield next.value;
    onProgress(byteCount);
  }
}

async function hashMd5(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of readFileChunks(path)) hash.update(chunk);
  return hash.digest('hex');
}

function getFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function createDownloadError({ url }: RegistryFile, reason: string): AppError {
  return operationFailed(`Downloading ${redactUrl(url)} failed: ${reason}`);
}

interface DownloadOptions {
  readonly folder: string;
  /** Undefined: the license of the model card. */
  readonly license: string | undefined;
  readonly acceptLicense: boolean;
  /** Called with the bytes present and the bytes of the whole voice. */
  readonly onProgress: (byteCount: number, byteMax: number) => void;
}

/**
 * Downloads a voice into the folder of voices, under a staging name. The model comes last, when its license is accepted.
 * @throws AppError `validation_failed` (license), `operation_failed`
 */
export async function downloadVoice(voice: RegistryVoice, options: DownloadOptions): Promise<StagedVoice> {
  const { folder, license, acceptLicense, onProgress } = options;
  const modelPath = createStagingPath(folder);
  const files = [voice.modelCard, voice.config, voice.model].filter((file) => file !== null);
  const byteMax = files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let before = 0;
  const fetchFile = async (file: RegistryFile): Promise<string> => {
    const target = join(folder, `.pull-${file.md5}.part`);
    await download(file, target, (byteCount) => onProgress(before + byteCount, byteMax));
    before += file.byteCount;
    return target;
  };
  const card = voice.modelCard === null ? null : readAndDelete(await fetchFile(voice.modelCard));
  const cardLicense = card === null ? null : parseModelCardLicense(card);
  validateLicense(voice.stem, resolveLicense(license, cardLicense), acceptLicense);
  const config = await fetchFile(voice.config);
  await publishFile(await fetchFile(voice.model), modelPath, voice.model.byteCount);
  await publishFile(config, getConfigPath(modelPath), voice.config.byteCount);
  const metadata = { source: redactUrl(voice.model.url), ...(license !== undefined && { license }) };
  return { modelPath, stem: voice.stem, licenseText: card, metadata };
}

function readAndDelete(path: string): string {
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
}
