import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { allowAnyOrigin } from '../../http/cors.ts';
import { endpointSpec, toEndpointHook } from '../../http/endpoint.ts';
import { allowsRange, isNotModified, parseByteRange } from '../../http/static-assets.ts';
import { PodcastTranscript, Timings } from '../schema.ts';
import type { MediaFiles } from './media-files.ts';
import {
  formatPodcastTranscript,
  formatWebVtt,
  openMp3,
  readMp3,
  readTimings,
  type SegmentedMp3,
} from './segmented-mp3.ts';

const publicHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};

/** Stretches up to here, like the first look of a player, are no reason to make a file: they come straight from the rows. */
const maxBufferedBytes = 128 * 1024;

export interface MediaDeps {
  readonly read: Queries;
  readonly mediaFiles: MediaFiles;
}

const mediaOperation = endpointSpec({
  summary: 'Get an MP3, its timings or its transcript',
  description:
    '`{name}.mp3` is the audio, `{name}.json` its timings, `{name}.vtt` the transcript as WebVTT, `{name}.transcript.json` the transcript in the Podcasting 2.0 format. All times are on the player timeline. If the site disables `timings_text`, timings have no text and there is no transcript.',
  tag: 'Media',
  access: 'none',
  params: Type.Object({ file: Type.String({ description: 'File name from `audio_url`' }) }),
  requestHeaders: Type.Object({
    Range: Type.Optional(Type.String({ description: 'One byte range of an MP3, for example `bytes=0-1023`' })),
  }),
  responses: {
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
      description: 'The requested byte range of the MP3',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
      headers: { 'Content-Range': 'Byte range and total size' },
    },
    304: { description: 'Not modified' },
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
    if (kind === 'mp3') return buildMp3Response(deps, request, mediaKey, etag);
    const timings = await readTimings(read, mediaKey);
    if (kind === 'json') return buildTextResponse(request, etag, 'application/json', timings);
    const { segments } = timings;
    // Without texts a transcript says nothing.
    if (segments.every(({ text }) => text === undefined)) throw notFound();
    if (kind === 'vtt') return buildTextResponse(request, etag, 'text/vtt', formatWebVtt(segments));
    return buildTextResponse(request, etag, 'application/json', formatPodcastTranscript(segments));
  };
  return new Elysia({ name: 'media' })
    .get('/v1/media/:file', ({ request, params: { file } }) => answer(request, file), toEndpointHook(mediaOperation))
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

function buildTextResponse(request: Request, etag: string, type: string, body: unknown): Response {
  const headers = { ...publicHeaders, etag, 'content-type': `${type}; charset=utf-8` };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers });
}

async function buildMp3Response(deps: MediaDeps, request: Request, mediaKey: string, etag: string): Promise<Response> {
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
  const body = await openBody(deps, mediaKey, mp3, start, end);
  return new Response(body, {
    status: partial ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start),
      ...(partial ? { 'content-range': `bytes ${start}-${end - 1}/${mp3.byteCount}` } : {}),
    },
  });
}

async function openBody(
  { read, mediaFiles }: MediaDeps,
  mediaKey: string,
  mp3: SegmentedMp3,
  start: number,
  end: number,
): Promise<Blob | ReadableStream | Uint8Array<ArrayBuffer>> {
  const made = mediaFiles.findFile(mediaKey, mp3);
  if (made !== undefined) return Bun.file(made).slice(start, end);
  if (end - start <= maxBufferedBytes) {
    return Buffer.concat(await Array.fromAsync(readMp3(read, mp3, start, end)));
  }
  const path = await mediaFiles.findOrCreateFile(mediaKey, mp3);
  if (path === undefined) return toReadableStream(readMp3(read, mp3, start, end));
  return Bun.file(path).slice(start, end);
}

/** A client that reads slowly holds one segment in memory, not the file. */
function toReadableStream(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
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
