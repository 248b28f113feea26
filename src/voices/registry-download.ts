import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { appendToFile, publishFile, writeFileAtomically } from '../files.ts';
import { getConfigPath } from './inspect.ts';
import { validateLicense, validateNameFree } from './installer.ts';
import { parseModelCardLicense, resolveLicense } from './license.ts';
import { type RegistryFile, type RegistryVoice, redactUrl } from './registry.ts';
import { createStagingPath, type StagedVoice } from './staged-voice.ts';

/** So often in a row nothing may come. */
const maxFailedAttempts = 5;
const retryDelayMs = 500;
/** A connection on which nothing moves for longer is given up. */
const idleTimeoutMs = 30_000;

/** A try that failed and may be made again. */
class DownloadInterruptedError extends Error {}

/**
 * Fetches a file to its end: goes on where an earlier try, or an earlier run of the program, broke off.
 * @param target holds what has come so far; its ETag lies beside it
 * @param onProgress told how many bytes are there
 * @throws AppError `operation_failed`: gone, or again and again nothing comes, or other bytes than the list says
 */
async function download(file: RegistryFile, target: string, onProgress: (byteCount: number) => void): Promise<void> {
  let fruitless = 0;
  let restarts = 0;
  while (true) {
    const before = getFileSize(target);
    if (before === file.byteCount && existsSync(target)) {
      if ((await hashMd5(target)) === file.md5) return deleteEtag(target);
      deletePartial(target);
      // What was put together from several answers may be of several files.
      if (restarts > 0) throw createDownloadError(file, 'checksum differs from the registry list');
      restarts += 1;
      continue;
    }
    try {
      await fetchRest(file, target, onProgress);
    } catch (error) {
      if (!(error instanceof DownloadInterruptedError)) throw error;
      fruitless = getFileSize(target) > before ? 0 : fruitless + 1;
      if (fruitless >= maxFailedAttempts) throw createDownloadError(file, error.message);
      await Bun.sleep(retryDelayMs * 2 ** fruitless);
    }
  }
}

async function fetchRest(file: RegistryFile, target: string, onProgress: (byteCount: number) => void): Promise<void> {
  if (getFileSize(target) > file.byteCount) deletePartial(target);
  const have = getFileSize(target);
  const tag = have > 0 ? readEtag(target) : undefined;
  const patience = new AbortController();
  const idle = setTimeout(() => patience.abort(), idleTimeoutMs);
  try {
    const answer = await fetch(file.url, {
      signal: patience.signal,
      headers: {
        // Packed bytes could not be counted.
        'accept-encoding': 'identity',
        ...(have > 0 && { range: `bytes=${have}-` }),
        ...(tag !== undefined && { 'if-range': tag }),
      },
    }).catch(() => {
      throw new DownloadInterruptedError('no response');
    });
    // The mirror's file is shorter than what is here.
    if (answer.status === 416) {
      deletePartial(target);
      throw new DownloadInterruptedError('range not satisfiable');
    }
    const start = parseRangeStart(answer, have, file);
    if (start < have) truncateSync(target, start);
    await saveEtag(target, answer.headers.get('etag'));
    await appendBody(answer, target, file, (byteCount) => {
      idle.refresh();
      onProgress(byteCount);
    });
  } finally {
    clearTimeout(idle);
    patience.abort();
  }
}

/** @returns where in the file the answer begins. @throws Interrupted, AppError */
function parseRangeStart(answer: Response, have: number, file: RegistryFile): number {
  const { status } = answer;
  // The file was changed, or the mirror knows no ranges: from the beginning.
  if (status === 200) return 0;
  if (status === 206) {
    const [, first, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.headers.get('content-range') ?? '') ?? [];
    const isOurs = Number(first) === have && (whole === '*' || Number(whole) === file.byteCount);
    if (isOurs) return have;
    throw createDownloadError(file, 'size differs from the registry list');
  }
  if (status === 429 || status === 408 || status >= 500) {
    throw new DownloadInterruptedError(`status ${status}`);
  }
  throw createDownloadError(file, `status ${status}`);
}

async function appendBody(
  answer: Response,
  target: string,
  file: RegistryFile,
  onProgress: (byteCount: number) => void,
): Promise<void> {
  let byteCount = getFileSize(target);
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of readChunks(answer)) {
      byteCount += chunk.byteLength;
      if (byteCount > file.byteCount) {
        throw createDownloadError(file, 'size differs from the registry list');
      }
      yield chunk;
      onProgress(byteCount);
    }
  };
  await appendToFile(target, counted());
  if (byteCount < file.byteCount) throw new DownloadInterruptedError('connection lost');
}

async function* readChunks(answer: Response): AsyncGenerator<Uint8Array> {
  const chunks = (answer.body ?? new Blob([]).stream())[Symbol.asyncIterator]();
  while (true) {
    const next = await chunks.next().catch(() => {
      throw new DownloadInterruptedError('connection lost');
    });
    if (next.done === true) return;
    yield next.value;
  }
}

async function hashMd5(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

function getFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function getEtagPath(target: string): string {
  return `${target}.etag`;
}

function readEtag(target: string): string | undefined {
  return existsSync(getEtagPath(target)) ? readFileSync(getEtagPath(target), 'utf8') : undefined;
}

/** A weak tag may stand for other bytes: ranges need a strong one. */
async function saveEtag(target: string, tag: string | null): Promise<void> {
  if (tag === null || tag.startsWith('W/')) deleteEtag(target);
  else await writeFileAtomically(getEtagPath(target), [Buffer.from(tag)]);
}

function deleteEtag(target: string): void {
  rmSync(getEtagPath(target), { force: true });
}

function deletePartial(target: string): void {
  rmSync(target, { force: true });
  deleteEtag(target);
}

function createDownloadError({ url }: RegistryFile, reason: string): AppError {
  return new AppError('operation_failed', `Downloading ${redactUrl(url)} failed: ${reason}`);
}

/** What the caller of a download says. */
export interface DownloadOptions {
  /** Of voices. */
  readonly folder: string;
  /** Named by the caller; undefined: the model card alone counts. */
  readonly license: string | undefined;
  readonly acceptLicense: boolean;
  /** Told how many bytes of the whole voice are there. */
  readonly onProgress: (byteCount: number, byteMax: number) => void;
}

/**
 * Fetches a voice of a mirror into the folder of voices, under a hidden name. The model, which is large, comes last:
 * after the name was found free and the licence accepted.
 * @throws AppError `conflict`, `validation_failed` (the licence), `operation_failed`
 */
export async function downloadVoice(voice: RegistryVoice, options: DownloadOptions): Promise<StagedVoice> {
  const { folder, license, acceptLicense, onProgress } = options;
  validateNameFree(folder, voice.stem);
  const modelPath = createStagingPath(folder);
  const files = [voice.modelCard, voice.config, voice.model].filter((file) => file !== null);
  const byteMax = files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let before = 0;
  const fetched = async (file: RegistryFile): Promise<string> => {
    // By its sum: another file of the mirror is never gone on with.
    const target = join(folder, `.pull-${file.md5}.part`);
    await download(file, target, (byteCount) => onProgress(before + byteCount, byteMax));
    before += file.byteCount;
    return target;
  };
  const card = voice.modelCard === null ? null : readAndDelete(await fetched(voice.modelCard));
  const cardLicense = card === null ? null : parseModelCardLicense(card);
  validateLicense(voice.stem, resolveLicense(license, cardLicense), acceptLicense);
  const config = await fetched(voice.config);
  await publishFile(await fetched(voice.model), modelPath, voice.model.byteCount);
  await publishFile(config, getConfigPath(modelPath), voice.config.byteCount);
  const source = redactUrl(voice.model.url);
  return {
    ...{ modelPath, stem: voice.stem, licenseText: card },
    metadata: { source, ...(license !== undefined && { license }) },
  };
}

function readAndDelete(path: string): string {
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
}
