import { AwsV4Signer } from 'aws4fetch';
import { runInBackground } from '../../background.ts';
import { currentTimeMs, hourMs, monotonicMs } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { AppError, operationFailed } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { BucketAddress } from '../../setting.ts';

/**
 * For a request without much content, and for each part of a longer response. A server that hangs would hold its client for ever;
 * an overloaded one, with a load of 33 on two cores, took longer than 4 s, once.
 */
const requestTimeoutMs = 6_000;
/** The slowest connection that is waited for. */
const minBytesPerSecond = 256 * 1024;
const maxAttempts = 2;
/** So many failures in succession open the breaker. */
const maxFailures = 3;
const probeIntervalMs = 2_000;
const probeKey = 'lectern-probe';
/** Stable for an hour, so that caches of redirected listeners hit; valid for several hours more. */
const presignPeriodMs = hourMs;
const presignValidityS = 6 * 3_600;
/** What to do about problems; another one is that of a server that does not respond. */
const remedies: readonly [RegExp, string][] = [
  [/NoSuchBucket/, 'Create the bucket, or correct LECTERN_SOUND'],
  [/InvalidAccessKeyId|SignatureDoesNotMatch/, 'Correct LECTERN_SOUND_KEY and LECTERN_SOUND_SECRET'],
  [
    /AccessDenied|status 40[13]/,
    'Permit the key to read, write, list and delete objects, or correct LECTERN_SOUND_KEY and LECTERN_SOUND_SECRET',
  ],
];
const noSuchKeyPattern = /<Code>NoSuchKey<\/Code>/;

/** An object that the bucket does not have. */
export class ObjectLostError extends AppError {
  readonly key: string;

  constructor(key: string) {
    super('media_gone', 'Audio replaced or deleted');
    this.name = 'ObjectLostError';
    this.key = key;
  }
}

export interface ListedObject {
  readonly key: string;
  readonly byteCount: number;
  readonly modifiedAt: string;
}

interface BucketConfig {
  readonly address: BucketAddress;
  readonly accessKey: string;
  readonly secretKey: string;
}

interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly range?: ByteRange;
  readonly body?: Blob | string;
  readonly timeoutMs?: number;
}

/** A request that has ended. */
export interface CompletedBucketRequest {
  readonly method: BucketRequest['method'];
  readonly outcome: 'done' | 'missing' | 'failed';
  readonly seconds: number;
}

interface BucketObserver {
  /** Undefined in commands, which end before a probe could succeed. */
  readonly log?: Log;
  readonly recordRequest?: (completed: CompletedBucketRequest) => void;
}

/**
 * A bucket of an S3 server. Each request has a deadline. After three failures in succession all requests fail at once, until a
 * probe succeeds.
 */
export class Bucket {
  readonly #config: BucketConfig;
  readonly #log: Log | undefined;
  readonly #recordRequest: BucketObserver['recordRequest'];
  readonly #listeners: (() => void)[] = [];
  readonly #signingKeys = new Map<string, ArrayBuffer>();
  #failureCount = 0;
  /** Of the last failed request. */
  #lastProblem = '';
  /** Undefined: the breaker is closed. */
  #problem: string | undefined;
  #probe: Timer | undefined;
  #isClosed = false;

  constructor(config: BucketConfig, { log, recordRequest }: BucketObserver = {}) {
    this.#config = config;
    this.#log = log;
    this.#recordRequest = recordRequest;
  }

  get url(): string {
    return this.#config.address.url;
  }

  /** @returns why the bucket cannot be used; undefined: it can, as far as is known */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** @returns the error of a command or a start that failed at the bucket: the address, the last problem and what to do */
  createError(): AppError {
    return operationFailed(
      `The bucket ${this.url} cannot be used: ${this.#lastProblem}. ${findRemedy(this.#lastProblem)}.`,
    );
  }

  /** @param listener called when the bucket can be used again */
  onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Stops the probes. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    this.#listeners.length = 0;
  }

  /** @throws AppError `sound_unavailable` */
  async put(key: string, body: Blob): Promise<void> {
    const headers = { 'content-type': 'audio/mpeg' };
    await this.#send({ method: 'PUT', key, headers, body, timeoutMs: computeTimeout(body.size) });
  }

  /**
   * @param end exclusive
   * @throws ObjectLostError
   * @throws AppError `sound_unavailable`
   */
  async read(key: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const headers = { range: `bytes=${start}-${end - 1}` };
    const range = { start, end };
    const bytes = await this.#send({ method: 'GET', key, headers, range, timeoutMs: computeTimeout(end - start) });
    // It is not the object that was written.
    if (bytes.byteLength !== end - start) throw new ObjectLostError(key);
    return bytes;
  }

  /** Deletes an object, if it exists. @throws AppError `sound_unavailable` */
  async drop(key: string): Promise<void> {
    await this.#send({ method: 'DELETE', key }).catch((error: unknown) => {
      if (!(error instanceof ObjectLostError)) throw error;
    });
  }

  /** @returns the objects after a key, in the order of their keys. @throws AppError `sound_unavailable` */
  async *list(prefix: string, after = ''): AsyncGenerator<ListedObject> {
    let last = after;
    // Ends: each page begins after the last key of the one before.
    while (true) {
      const query = { 'list-type': '2', prefix, ...(last === '' ? {} : { 'start-after': last }) };
      const page = parseListing(new TextDecoder().decode(await this.#send({ method: 'GET', key: '', query })));
      yield* page;
      const end = page.at(-1)?.key;
      if (end === undefined) return;
      last = end;
    }
  }

  /** @returns an address by which anyone may read an object for some hours */
  async presign(key: string): Promise<string> {
    const period = new Date(Math.floor(currentTimeMs() / presignPeriodMs) * presignPeriodMs);
    const { url } = await this.#createSigner({
      ...{ method: 'GET', key, query: { 'X-Amz-Expires': String(presignValidityS) } },
      signQuery: true,
      datetime: period.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    }).sign();
    return url.href;
  }

  /** Writes a small object. A failure opens the breaker at once. */
  async probe(): Promise<void> {
    const wasOpen = this.#problem !== undefined;
    try {
      await this.#fetch({ method: 'PUT', key: probeKey, body: 'Lectern can write here.' });
      this.#problem = undefined;
      this.#failureCount = 0;
      if (!wasOpen) return;
      this.#log?.info({}, 'audio storage available again');
      for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#open(describe(error));
    }
  }

  async #send(request: BucketRequest): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#problem !== undefined) throw this.#createUnavailableError();
    // Ends: the last attempt returns or throws.
    for (let attempt = 1; ; attempt += 1) {
      try {
        const bytes = await this.#fetch(request);
        this.#failureCount = 0;
        return bytes;
      } catch (error) {
        if (error instanceof ObjectLostError) throw error;
        this.#recordFailure(request, describe(error));
        // A client would wait for a second deadline as well.
        if (this.#problem !== undefined || attempt >= maxAttempts || isTimeout(error))
          throw this.#createUnavailableError();
      }
    }
  }

  /** Requests get it without its cause. */
  #createUnavailableError(): AppError {
    return Object.assign(new AppError('sound_unavailable'), { cause: this.createError() });
  }

  #recordFailure({ method, key }: BucketRequest, problem: string): void {
    this.#failureCount += 1;
    this.#lastProblem = problem;
    this.#log?.warn({ method, key, problem }, 'audio storage request failed');
    if (this.#failureCount >= maxFailures) this.#open(problem);
  }

  #open(problem: string): void {
    if (this.#problem === undefined) {
      this.#log?.error({ bucket: this.url, problem, remedy: findRemedy(problem) }, 'audio storage unavailable');
    }
    this.#problem = problem;
    this.#lastProblem = problem;
    const log = this.#log;
    if (log === undefined || this.#isClosed) return;
    clearTimeout(this.#probe);
    const probe = (): void => runInBackground(this.probe(), log, 'probing audio storage failed');
    this.#probe = setTimeout(probe, probeIntervalMs);
    this.#probe.unref();
  }

  async #fetch(request: BucketRequest): Promise<Uint8Array<ArrayBuffer>> {
    const { method } = request;
    const startMs = monotonicMs();
    let outcome: CompletedBucketRequest['outcome'] = 'failed';
    try {
      const content = await this.#request(request);
      outcome = 'done';
      return content;
    } catch (error) {
      if (error instanceof ObjectLostError) outcome = 'missing';
      throw error;
    } finally {
      this.#recordRequest?.({ method, outcome, seconds: (monotonicMs() - startMs) / 1_000 });
    }
  }

  async #request(request: BucketRequest): Promise<Uint8Array<ArrayBuffer>> {
    const { method, key, range, body, timeoutMs = requestTimeoutMs } = request;
    const { url, headers } = await this.#createSigner(request).sign();
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new DOMException('', 'TimeoutError')), requestTimeoutMs);
    // The response to a body arrives after it.
    const limits = [AbortSignal.timeout(timeoutMs), ...(body === undefined ? [silence.signal] : [])];
    try {
      const response = await fetch(url, {
        ...{ method, headers, redirect: 'manual', signal: AbortSignal.any(limits) },
        ...(body !== undefined && { body }),
      });
      return await readContent(key, response, range, () => timer.refresh());
    } finally {
      clearTimeout(timer);
    }
  }

  #createSigner({
    method,
    key,
    query = {},
    headers = {},
    ...options
  }: BucketRequest & { readonly signQuery?: boolean; readonly datetime?: string }): AwsV4Signer {
    const { address, accessKey, secretKey } = this.#config;
    const url = new URL(`${address.url}/${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { signQuery, datetime } = options;
    return new AwsV4Signer({
      ...{ method, url: url.href, headers, service: 's3', region: address.region, cache: this.#signingKeys },
      ...{ accessKeyId: accessKey, secretAccessKey: secretKey },
      ...(signQuery !== undefined && { signQuery }),
      ...(datetime !== undefined && { datetime }),
    });
  }
}

/** @returns undefined: the MP3s are in the database */
export function openBucket({ sound, soundKey, soundSecret }: Config, observer?: BucketObserver): Bucket | undefined {
  if (sound === undefined || soundKey === undefined || soundSecret === undefined) return undefined;
  return new Bucket({ address: sound, accessKey: soundKey, secretKey: soundSecret }, observer);
}

/**
 * Reads a response; of one that ignores `Range`, only that part.
 * @param onPart called for each part that arrives
 * @throws ObjectLostError
 */
async function readContent(
  key: string,
  { ok, status, body }: Response,
  range: ByteRange | undefined,
  onPart: () => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = async function* () {
    for await (const part of body ?? []) {
      onPart();
      yield part;
    }
  };
  if (range !== undefined && status === 200) return readRange(parts(), range);
  const content = Buffer.concat(await Array.fromAsync(parts()));
  if (ok) return content;
  const text = new TextDecoder().decode(content.subarray(0, 2_000));
  // A bucket that is missing is another problem.
  if ((status === 404 && noSuchKeyPattern.test(text)) || status === 416) throw new ObjectLostError(key);
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  throw new Error(`status ${status}${code === undefined ? '' : ` ${code}`}`);
}

/** Skips what a server sends that ignores `Range`. @returns fewer bytes when the object is shorter */
async function readRange(
  parts: AsyncIterable<Uint8Array>,
  { start, end }: ByteRange,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start);
  let offset = 0;
  for await (const chunk of parts) {
    const part = chunk.subarray(Math.max(0, start - offset), Math.max(0, end - offset));
    bytes.set(part, Math.max(0, offset - start));
    offset += chunk.byteLength;
    if (offset >= end) break;
  }
  return bytes.subarray(0, Math.max(0, offset - start));
}

/** @param xml response of ListObjectsV2 */
function parseListing(xml: string): ListedObject[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = '']) => {
    const member = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(content)?.[1] ?? '';
    return { key: member('Key'), byteCount: Number(member('Size')), modifiedAt: member('LastModified') };
  });
}

function computeTimeout(byteCount: number): number {
  return requestTimeoutMs + (byteCount / minBytesPerSecond) * 1_000;
}

function findRemedy(problem: string): string {
  const [, remedy] = remedies.find(([pattern]) => pattern.test(problem)) ?? [];
  return remedy ?? 'Start its server, or correct LECTERN_SOUND';
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isTimeout(error)) return 'no response in time';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
