import { monotonicMs } from '../clock.ts';
import { AppError, invalid } from '../errors.ts';
import { clientNetwork } from './rate-limit.ts';
import { type BodyInFlight, defaultIdleTimeoutS, requestContext } from './request-context.ts';

/**
 * Reads a JSON body, never more of it than allowed.
 * @param types content types it may come as
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`
 */
export async function readJsonBody(
  request: Request,
  byteMax: number,
  types: readonly string[] = ['application/json'],
): Promise<unknown> {
  requireContentType(request, types);
  return parseJson(await readLimited(request, byteMax));
}

/** Converters of a body to JSON, by content type. */
export type BodyConverters = Readonly<Record<string, (text: string) => unknown>>;

/**
 * As `readJsonBody`, also of a body that a converter takes.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`, and what the converter throws
 */
export async function readConvertibleBody(
  request: Request,
  byteMax: number,
  converters: BodyConverters,
): Promise<unknown> {
  const others = Object.keys(converters);
  const convert = converters[getContentType(request) ?? ''];
  if (convert !== undefined) return convert(await readTextBody(request, byteMax, others));
  return readJsonBody(request, byteMax, ['application/json', ...others]);
}

/**
 * As `readJsonBody`, of a route that can do without a body: then it is an empty object, and needs no content type.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`
 */
export async function readOptionalJsonBody(request: Request, byteMax: number): Promise<unknown> {
  const bytes = await readLimited(request, byteMax);
  if (bytes.byteLength === 0) return {};
  requireContentType(request, ['application/json']);
  return parseJson(bytes);
}

/** @throws AppError `unsupported_media_type` */
function requireContentType(request: Request, types: readonly string[]): void {
  const type = getContentType(request);
  if (type === undefined || !types.includes(type)) {
    throw new AppError('unsupported_media_type', `Content-Type must be ${types.join(' or ')}`);
  }
}

/** Without its parameters. */
function getContentType(request: Request): string | undefined {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new AppError('malformed_json', 'Malformed JSON', { body: ['must be UTF-8'] });
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('malformed_json');
  }
}

/** @returns undefined for other bytes */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Of a body without credentials. */
const maxAnonymousBytes = 64 * 1024;

/**
 * Other values of the header, such as the common mistake `utf-8`, are ignored.
 * @throws AppError `unsupported_media_type`
 */
function refuseCompression(request: Request): void {
  const encoding = request.headers.get('content-encoding') ?? '';
  const [, coding] = /\b(gzip|deflate|br|zstd|compress)\b/i.exec(encoding) ?? [];
  if (coding === undefined) return;
  const message = `Content-Encoding ${coding.toLowerCase()} is not supported. Send the body uncompressed.`;
  throw new AppError('unsupported_media_type', message);
}

/** @throws AppError `unsupported_media_type` for a compressed body, `body_too_large`, and as `receiveBody` */
async function readLimited(request: Request, byteMax: number): Promise<Uint8Array> {
  refuseCompression(request);
  const { hasCredentials = false, siteId, bodyLimits } = requestContext(request);
  const limit = hasCredentials ? byteMax : Math.min(byteMax, maxAnonymousBytes);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw bodyTooLargeError(limit);
  const refused = Promise.withResolvers<never>();
  // Without a handler a refusal between two chunks would end the process.
  refused.promise.catch(() => {});
  const caller = hasCredentials && siteId !== undefined ? `site ${siteId}` : clientNetwork(request);
  const body: BodyInFlight = { caller, isAnonymous: !hasCredentials, byteCount: 0, refuse: refused.reject };
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of receiveBody(request, refused.promise)) {
      bodyLimits.reserve(body, chunk.byteLength);
      if (body.byteCount > limit) throw bodyTooLargeError(limit);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    bodyLimits.release(body);
  }
}

const minBytesPerS = 1_000;
/**
 * Receives a body for as long as it keeps a minimum rate. The time in which the caller processes a chunk does not count.
 * @param refused rejects when the body is not wanted any more
 * @throws AppError `body_too_slow`; `client_disconnected`
 */
export async function* receiveBody(request: Request, refused?: Promise<never>): AsyncGenerator<Uint8Array, undefined> {
  if (request.body === null) return;
  const context = requestContext(request);
  const { periodMs } = context.bodyLimits;
  const reader = request.body.getReader();
  let msLeft = periodMs;
  let byteCount = 0;
  // Arriving bytes do not restart the idle timeout of a connection.
  context.setIdleTimeout(0);
  try {
    while (true) {
      const received = reader.read().catch(() => {
        throw new AppError('client_disconnected');
      });
      const pending = refused === undefined ? received : Promise.race([received, refused]);
      let read: Awaited<typeof pending> | undefined;
      while (read === undefined) {
        const started = monotonicMs();
        read = await beforeTimeout(pending, msLeft);
        msLeft -= monotonicMs() - started;
        byteCount += read?.value?.byteLength ?? 0;
        if (msLeft > 0 || read?.done) continue;
        if (byteCount < (minBytesPerS * periodMs) / 1000) throw bodyTooSlowError(request);
        msLeft = periodMs;
        byteCount = 0;
      }
      if (read.done) return;
      yield read.value;
    }
  } finally {
    // Without effect on a body that was received.
    reader.cancel().catch(() => {});
    context.setIdleTimeout(context.idleTimeoutS ?? defaultIdleTimeoutS);
  }
}

async function beforeTimeout<T>(pending: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs);
  try {
    return await Promise.race([pending, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The rest of the body is not awaited. */
function bodyTooSlowError(request: Request): AppError {
  requestContext(request).responseHeaders['connection'] = 'close';
  return new AppError('body_too_slow');
}

function bodyTooLargeError(byteMax: number): AppError {
  return new AppError('body_too_large', `Request body larger than ${byteMax} bytes`);
}

/**
 * Streams a body that is generated while it is sent, a few chunks ahead of the client.
 * @param first goes out at once
 * @param onEnd called once: with the error if the rest failed; without one when it is complete or the client has gone
 */
export function streamBody(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, undefined>,
  chunksAhead: number,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  let isOver = false;
  const end = (error?: unknown): void => {
    if (isOver) return;
    isOver = true;
    onEnd(error);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(first),
      pull: async (controller) => {
        try {
          const { done, value } = await rest.next();
          if (isOver) return;
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          if (isOver) return;
          end(error);
          // Aborts the connection, so that the client does not take it for the end; Bun would only print a reason.
          controller.error();
        }
      },
      cancel: () => end(),
    },
    { highWaterMark: chunksAhead },
  );
}

/**
 * Reads a body that is text, never more of it than allowed.
 * @param types content types it may come as
 * @throws AppError `unsupported_media_type`, `body_too_large`, `validation_failed` where it is not UTF-8
 */
export async function readTextBody(request: Request, byteMax: number, types: readonly string[]): Promise<string> {
  requireContentType(request, types);
  const text = decodeUtf8(await readLimited(request, byteMax));
  if (text === undefined) throw invalid('body', 'must be UTF-8');
  return text;
}
