import { AppError } from '../errors.ts';
import { checkType, readLimited } from './json-body.ts';

/**
 * Reads a body that is text, never more of it than allowed.
 * @param types content types it may come as
 * @throws AppError `unsupported_media_type`, `body_too_large`, `validation_failed` where it is not UTF-8
 */
export async function readTextBody(
  request: Request,
  byteMax: number,
  types: readonly string[],
): Promise<string> {
  checkType(request, types);
  const bytes = await readLimited(request, byteMax);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('validation_failed', 'Validation failed', { body: ['must be UTF-8'] });
  }
}
