import { hash } from 'node:crypto';
import { isNotModified } from './conditional.ts';

/**
 * An answer that costs a poll next to nothing while nothing changes: 304 to whoever has it already.
 * @param cacheControl for how long, and by whom, it may be kept
 */
export function conditionalAnswer(request: Request, body: unknown, cacheControl: string): Response {
  const text = JSON.stringify(body);
  const etag = `"${hash('sha1', text, 'base64url')}"`;
  const headers = {
    etag,
    'cache-control': cacheControl,
    'content-type': 'application/json',
  };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}
