import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { allowAnyOrigin } from '../../http/cors.ts';
import { described } from '../../http/endpoint.ts';
import { allowsRange, isNotModified, parseByteRange } from '../../http/static-assets.ts';
import { PodcastTranscript, Timings } from '../schema.ts';
import type { MediaFiles } from './media-files.ts';
import {
  openMp3,
  podcastTranscript,
  readMp3,
  readTimings,
  type VirtualMp3,
  webVtt,
} from './segmented-mp3.ts';

const publicHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};

/** Stretches up to here, like the first look of a player, are no reason to make a file: they come straight from the rows. */
const bufferedByteMax = 128 * 1024;

export interface MediaDeps {
  readonly read: Queries;
  readonly mediaFiles: MediaFiles;
}

const mediaOperation = described({
  summary: 'An MP3, its timings, or its transcript',
  description:
    '`{name}.mp3` is the audio, `{name}.json` its timings, `{name}.vtt` and `{name}.transcript.json` its transcript as WebVTT and as podcast apps take it; all on the timeline players show. Where a site gives no texts away (`timings_text`), timings have none, and there is no transcript.',
  tag: 'Media',
  access: 'none',
  params: Type.Object({ file: Type.String({ description: 'As it stands in `audio_url`' }) }),
  requestHeaders: Type.Object({
    Range: Type.Optional(
      Type.String({ description: 'One stretch of an MP3, like `bytes=0-1023`' }),
    ),
  }),
  answers: {
    200: {
      description: 'The whole MP3, the timings or the transcript',
      content: [
        { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
        {
          type: 'application/json',
          schema: Type.Union([Timings, PodcastTranscript]),
          example: {
            segments: [
              {
                index: 0,
                start_ms: 0,
                end_ms: 2_304,
                text: 'Harbor town reopens its lighthouse',
                kind: 'title',
              },
            ],
          },
        },
        { type: 'text/vtt', schema: Type.String() },
      ],
    },
    206: {
      description: 'The range asked for, of an MP3',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
      headers: { 'Content-Range': 'Which bytes these are, and of how many' },
    },
    304: { description: 'Unchanged' },
  },
  errors: ['media_not_found', 'media_gone', 'range_not_satisfiable'],
});

/** MP3s and their timings: any origin, no key; the address itself can't be guessed. */
export function mediaRoutes(deps: MediaDeps) {
  const { read } = deps;
  const answer = async (request: Request, file: string): Promise<Response> => {
    // Errors too: a player is to learn that an MP3 is gone, not that something failed.
    allowAnyOrigin(request);
    const [, mediaKey, kind] = /^([\w-]+)\.(mp3|json|vtt|transcript\.json)$/.exec(file) ?? [];
    if (mediaKey === undefined) throw notFound();
    const etag = `"${mediaKey}.${kind}"`;
    if (kind === 'mp3') return mp3Answer(deps, request, mediaKey, etag);
    const timings = await readTimings(read, mediaKey);
    if (kind === 'json') return textAnswer(request, etag, 'application/json', timings);
    const { segments } = timings;
    // Without texts a transcript says nothing.
    if (segments.every(({ text }) => text === undefined)) throw notFound();
    if (kind === 'vtt') return textAnswer(request, etag, 'text/vtt', webVtt(segments));
    return textAnswer(request, etag, 'application/json', podcastTranscript(segments));
  };
  return new Elysia({ name: 'media' })
    .get(
      '/v1/media/:file',
      ({ request, params: { file } }) => answer(request, file),
      mediaOperation,
    )
    .head('/v1/media/:file', ({ request, params: { file } }) => answer(request, file))
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

function notFound(): AppError {
  return new AppError('media_not_found', 'Media not found');
}

function textAnswer(request: Request, etag: string, type: string, body: unknown): Response {
  const headers = { ...publicHeaders, etag, 'content-type': `${type}; charset=utf-8` };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers });
}

async function mp3Answer(
  deps: MediaDeps,
  request: Request,
  mediaKey: string,
  etag: string,
): Promise<Response> {
  const mp3 = await openMp3(deps.read, mediaKey);
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
  // A range of a HEAD is ignored, as RFC 9110 has it.
  const mayRange = request.method === 'GET' && allowsRange(request, etag, lastModified);
  const asked = mayRange ? request.headers.get('range') : null;
  const range = parseByteRange(asked, mp3.byteCount);
  if (range === 'unsatisfiable') {
    return Response.json(
      { success: false, message: 'Range not satisfiable' },
      {
        status: 416,
        headers: {
          ...publicHeaders,
          'cache-control': 'no-store',
          'content-range': `bytes */${mp3.byteCount}`,
        },
      },
    );
  }
  const partial = range !== 'whole';
  const { start, end } = partial ? range : { start: 0, end: mp3.byteCount };
  // For HEAD too: Bun sends no body then, but takes the length from it.
  const body = await bodyOf(deps, mediaKey, mp3, start, end);
  return new Response(body, {
    status: partial ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start),
      ...(partial ? { 'content-range': `bytes ${start}-${end - 1}/${mp3.byteCount}` } : {}),
    },
  });
}

async function bodyOf(
  { read, mediaFiles }: MediaDeps,
  mediaKey: string,
  mp3: VirtualMp3,
  start: number,
  end: number,
): Promise<Blob | ReadableStream | Uint8Array<ArrayBuffer>> {
  const made = mediaFiles.madeFile(mediaKey, mp3);
  if (made !== undefined) return Bun.file(made).slice(start, end);
  if (end - start <= bufferedByteMax) {
    return Buffer.concat(await Array.fromAsync(readMp3(read, mp3, start, end)));
  }
  const path = await mediaFiles.fileOf(mediaKey, mp3);
  if (path === undefined) return stream(readMp3(read, mp3, start, end));
  return Bun.file(path).slice(start, end);
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
