import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { appendToFile, publishFile, readFileChunks } from '../files.ts';
import { getConfigPath } from './inspect.ts';
import { validateLicense, validateNameFree } from './installer.ts';
import { parseModelCardLicense, resolveLicense } from './license.ts';
import { type RegistryFile, type RegistryVoice, redactUrl } from './registry.ts';
import { createStagingPath, type StagedVoice } from './staged-voice.ts';

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
  return new AppError('operation_failed', `Downloading ${redactUrl(url)} failed: ${reason}`);
}

export interface DownloadOptions {
  /** Folder of voices. */
  readonly folder: string;
  /** Undefined: the license of the model card. */
  readonly license: string | undefined;
  readonly acceptLicense: boolean;
  /** Called with the bytes present and the bytes of the whole voice. */
  readonly onProgress: (byteCount: number, byteMax: number) => void;
}

/**
 * Downloads a voice into the folder of voices, under a staging name. The model comes last, when its name is known to be free and
 * its license is accepted.
 * @throws AppError `conflict`, `validation_failed` (license), `operation_failed`
 */
export async function downloadVoice(voice: RegistryVoice, options: DownloadOptions): Promise<StagedVoice> {
  const { folder, license, acceptLicense, onProgress } = options;
  validateNameFree(folder, voice.stem);
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
