import { Elysia } from 'elysia';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { parseByteRange } from '../http/byte-range.ts';
import { allowsRange, isNotModified } from '../http/conditional.ts';
import { openMp3, readMp3, readTimings, type VirtualMp3 } from './media.ts';

const publicHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};

/** MP3s and their timings: any origin, no key; the address itself can't be guessed. */
export function mediaRoutes({ read }: { read: Queries }) {
  const answer = async (request: Request, file: string): Promise<Response> => {
    const [, mediaKey, kind] = /^([\w-]+)\.(mp3|json)$/.exec(file) ?? [];
    if (mediaKey === undefined) throw new AppError('media_not_found', 'Media not found');
    const etag = `"${mediaKey}.${kind}"`;
    if (kind === 'json') return timingsAnswer(read, request, mediaKey, etag);
    return mp3Answer(read, request, await openMp3(read, mediaKey), etag);
  };
  return new Elysia({ name: 'media' })
    .get('/v1/media/:file', ({ request, params: { file } }) => answer(request, file), {
      detail: { summary: 'An MP3, or its timings as JSON', tags: ['media'] },
    })
    .head('/v1/media/:file', async ({ request, params: { file } }) =>
      withoutBody(await answer(request, file)),
    )
    .options(
      '/v1/media/:file',
      () =>
        new Response(null, {
          status: 204,
          headers: {
            'access-control-allow-origin': '*',
            'access-control-allow-methods': 'GET, HEAD, OPTIONS',
            'access-control-allow-headers': 'Range, If-None-Match, If-Range, If-Modified-Since',
            'access-control-max-age': '86400',
          },
        }),
    );
}

async function timingsAnswer(
  read: Queries,
  request: Request,
  mediaKey: string,
  etag: string,
): Promise<Response> {
  const timings = await readTimings(read, mediaKey);
  const headers = { ...publicHeaders, etag };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  return Response.json(timings, { headers });
}

function mp3Answer(read: Queries, request: Request, mp3: VirtualMp3, etag: string): Response {
  const lastModified = new Date(mp3.readyAt);
  const headers = {
    ...publicHeaders,
    etag,
    'last-modified': lastModified.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'audio/mpeg',
  };
  if (isNotModified(request, etag, lastModified)) {
    return new Response(null, { status: 304, headers });
  }
  const asked = allowsRange(request, etag, lastModified) ? request.headers.get('range') : null;
  const range = parseByteRange(asked, mp3.byteCount);
  if (range === 'unsatisfiable') {
    return Response.json(
      { success: false, message: 'Range not satisfiable' },
      { status: 416, headers: { ...publicHeaders, 'content-range': `bytes */${mp3.byteCount}` } },
    );
  }
  const { start, end } = range === 'whole' ? { start: 0, end: mp3.byteCount } : range;
  const partial = range !== 'whole';
  return new Response(stream(readMp3(read, mp3, start, end)), {
    status: partial ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start),
      ...(partial ? { 'content-range': `bytes ${start}-${end - 1}/${mp3.byteCount}` } : {}),
    },
  });
}

/** A client that reads slowly holds one segment in memory, not the file. */
function stream(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await parts.return(undefined);
    },
  });
}

async function withoutBody(answer: Response): Promise<Response> {
  await answer.body?.cancel();
  return new Response(null, { status: answer.status, headers: answer.headers });
}
