import { AppError } from '../errors.ts';

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
  checkType(request, types);
  return parseJson(await readLimited(request, byteMax));
}

/**
 * As `readJsonBody`, of a route that can do without a body: then it is an empty object, and needs no content type.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`
 */
export async function readOptionalJsonBody(request: Request, byteMax: number): Promise<unknown> {
  const bytes = await readLimited(request, byteMax);
  if (bytes.byteLength === 0) return {};
  checkType(request, ['application/json']);
  return parseJson(bytes);
}

/** @throws AppError `unsupported_media_type` */
export function checkType(request: Request, types: readonly string[]): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === undefined || !types.includes(type)) {
    throw new AppError('unsupported_media_type', `Content-Type must be ${types.join(' or ')}`);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('malformed_json', 'Malformed JSON');
  }
}

/** @throws AppError `body_too_large` */
export async function readLimited(request: Request, byteMax: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > byteMax) throw tooLarge(byteMax);
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of request.body ?? []) {
    byteCount += chunk.byteLength;
    if (byteCount > byteMax) throw tooLarge(byteMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(byteMax: number): AppError {
  return new AppError('body_too_large', `The body is larger than ${byteMax} bytes`);
}
