import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { appendToFile, publishFile, writeFileAtomically } from '../files.ts';
import { configPathOf } from './inspect.ts';
import { checkLicense, checkNameFree } from './installer.ts';
import { decisiveLicense, licenseOfModelCard } from './license.ts';
import { type MirrorFile, type MirrorVoice, shownUrl } from './registry.ts';
import { type Arrival, arrivalPath } from './staged-voice.ts';

/** So often in a row nothing may come. */
const fruitlessMax = 5;
const pauseMs = 500;
/** A connection on which nothing moves for longer is given up. */
const idleMs = 30_000;

/** A try that failed and may be made again. */
class Interrupted extends Error {}

/**
 * Fetches a file to its end: goes on where an earlier try, or an earlier run of the program, broke off.
 * @param target holds what has come so far; its ETag lies beside it
 * @param onProgress told how many bytes are there
 * @throws AppError `operation_failed`: gone, or again and again nothing comes, or other bytes than the list says
 */
async function download(
  file: MirrorFile,
  target: string,
  onProgress: (byteCount: number) => void,
): Promise<void> {
  let fruitless = 0;
  let restarts = 0;
  while (true) {
    const before = sizeOf(target);
    if (before === file.byteCount && existsSync(target)) {
      if ((await md5Of(target)) === file.md5) return forgetTag(target);
      forget(target);
      // What was put together from several answers may be of several files.
      if (restarts > 0) throw failed(file, 'has other bytes than the list of its mirror says');
      restarts += 1;
      continue;
    }
    try {
      await fetchRest(file, target, onProgress);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      fruitless = sizeOf(target) > before ? 0 : fruitless + 1;
      if (fruitless >= fruitlessMax) throw failed(file, error.message);
      await Bun.sleep(pauseMs * 2 ** fruitless);
    }
  }
}

async function fetchRest(
  file: MirrorFile,
  target: string,
  onProgress: (byteCount: number) => void,
): Promise<void> {
  if (sizeOf(target) > file.byteCount) forget(target);
  const have = sizeOf(target);
  const tag = have > 0 ? readTag(target) : undefined;
  const patience = new AbortController();
  const idle = setTimeout(() => patience.abort(), idleMs);
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
      throw new Interrupted('does not answer');
    });
    // The mirror's file is shorter than what is here.
    if (answer.status === 416) {
      forget(target);
      throw new Interrupted('has no such range');
    }
    const start = startOf(answer, have, file);
    if (start < have) truncateSync(target, start);
    await keepTag(target, answer.headers.get('etag'));
    await append(answer, target, file, (byteCount) => {
      idle.refresh();
      onProgress(byteCount);
    });
  } finally {
    clearTimeout(idle);
    patience.abort();
  }
}

/** @returns where in the file the answer begins. @throws Interrupted, AppError */
function startOf(answer: Response, have: number, file: MirrorFile): number {
  const { status } = answer;
  // The file was changed, or the mirror knows no ranges: from the beginning.
  if (status === 200) return 0;
  if (status === 206) {
    const [, first, whole] =
      /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.headers.get('content-range') ?? '') ?? [];
    const isOurs = Number(first) === have && (whole === '*' || Number(whole) === file.byteCount);
    if (isOurs) return have;
    throw failed(file, 'has another size than the list of its mirror says');
  }
  if (status === 429 || status === 408 || status >= 500) {
    throw new Interrupted(`answers ${status}`);
  }
  throw failed(file, `answers ${status}`);
}

async function append(
  answer: Response,
  target: string,
  file: MirrorFile,
  onProgress: (byteCount: number) => void,
): Promise<void> {
  let byteCount = sizeOf(target);
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunksOf(answer)) {
      byteCount += chunk.byteLength;
      if (byteCount > file.byteCount) {
        throw failed(file, 'has another size than the list of its mirror says');
      }
      yield chunk;
      onProgress(byteCount);
    }
  };
  await appendToFile(target, counted());
  if (byteCount < file.byteCount) throw new Interrupted('breaks off');
}

async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array> {
  const chunks = (answer.body ?? new Blob([]).stream())[Symbol.asyncIterator]();
  while (true) {
    const next = await chunks.next().catch(() => {
      throw new Interrupted('breaks off');
    });
    if (next.done === true) return;
    yield next.value;
  }
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function tagPathOf(target: string): string {
  return `${target}.etag`;
}

function readTag(target: string): string | undefined {
  return existsSync(tagPathOf(target)) ? readFileSync(tagPathOf(target), 'utf8') : undefined;
}

/** A weak tag may stand for other bytes: ranges need a strong one. */
async function keepTag(target: string, tag: string | null): Promise<void> {
  if (tag === null || tag.startsWith('W/')) forgetTag(target);
  else await writeFileAtomically(tagPathOf(target), [Buffer.from(tag)]);
}

function forgetTag(target: string): void {
  rmSync(tagPathOf(target), { force: true });
}

function forget(target: string): void {
  rmSync(target, { force: true });
  forgetTag(target);
}

function failed({ url }: MirrorFile, reason: string): AppError {
  return new AppError('operation_failed', `${shownUrl(url)} ${reason}`);
}

/** What the caller of a download says. */
export interface PullOptions {
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
export async function pullVoice(voice: MirrorVoice, options: PullOptions): Promise<Arrival> {
  const { folder, license, acceptLicense, onProgress } = options;
  checkNameFree(folder, voice.stem);
  const modelPath = arrivalPath(folder);
  const files = [voice.modelCard, voice.config, voice.model].filter((file) => file !== null);
  const byteMax = files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let before = 0;
  const fetched = async (file: MirrorFile): Promise<string> => {
    // By its sum: another file of the mirror is never gone on with.
    const target = join(folder, `.pull-${file.md5}.part`);
    await download(file, target, (byteCount) => onProgress(before + byteCount, byteMax));
    before += file.byteCount;
    return target;
  };
  const card = voice.modelCard === null ? null : takenText(await fetched(voice.modelCard));
  const cardLicense = card === null ? null : licenseOfModelCard(card);
  checkLicense(voice.stem, decisiveLicense(license, cardLicense), acceptLicense);
  const config = await fetched(voice.config);
  await publishFile(await fetched(voice.model), modelPath, voice.model.byteCount);
  await publishFile(config, configPathOf(modelPath), voice.config.byteCount);
  const source = shownUrl(voice.model.url);
  return {
    ...{ modelPath, stem: voice.stem, licenseText: card },
    facts: { source, ...(license !== undefined && { license }) },
  };
}

function takenText(path: string): string {
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
}
