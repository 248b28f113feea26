import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError, errorTable } from '../../errors.ts';
import { endpointSpec } from '../../http/endpoint.ts';
import { streamBody } from '../../http/request-body.ts';
import { allowAnyOrigin, requestContext } from '../../http/request-context.ts';
import { allowsRange, isNotModified, parseByteRange } from '../../http/static-assets.ts';
import type { Services } from '../../services.ts';
import { requestedLanguage } from '../choose-voice.ts';
import { findPublicAccessError, findPublicStatus, isStillPublic } from '../posts/published-audio.ts';
import { PodcastTranscript, PublicStatusQuery, Timings } from '../schema.ts';
import { type AudioSummary, mediaUrl } from '../store.ts';
import {
  formatPodcastTranscript,
  formatWebVtt,
  openMp3,
  readTimings,
  requireServedVersion,
  type SegmentedMp3,
} from './segmented-mp3.ts';
import { liveFrames } from './sound.ts';
import type { ServedVersion } from './store.ts';

const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'x-content-type-options': 'nosniff',
};
/** A cache may go on playing a post for so long after it has become private. */
const publicHeaders = { ...commonHeaders, 'cache-control': 'public, max-age=300' };
const privateHeaders = { ...commonHeaders, 'cache-control': 'private, no-store' };
type MediaHeaders = typeof publicHeaders & { readonly etag: string };

const preflightHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-None-Match, If-Range, If-Modified-Since',
  'access-control-max-age': '86400',
};

/** Ranges up to this size, like the first one of a player, are sent from the rows without writing a file. */
const maxBufferedBytes = 128 * 1024;

const mediaSpec = endpointSpec({
  summary: 'Get an MP3, its timings or its transcript',
  description:
    '`{name}.mp3` is the audio, `{name}.json` its timings by sentence and, with voices that give them, by word, `{name}.vtt` the transcript as WebVTT, `{name}.transcript.json` the transcript in the Podcasting 2.0 format. All times are on the player timeline. If the site disables `timings_text`, timings have no text and there is no transcript. While the post is private or scheduled, 404 without a session or an API key of the site; a post that stops being public gets new URLs. While the site is inactive, or its subscription or trial has ended, 402 without a session.',
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
                words: [{ start: 0, end: 6, start_ms: 0, end_ms: 380 }],
                kind: 'title',
                ends_block: true,
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
    302: {
      description: 'Redirect to the S3 bucket, with `LECTERN_SOUND_REDIRECT=on`',
      headers: { Location: 'Address that is valid for some hours' },
    },
    304: { description: 'Not modified' },
  },
  errors: [
    'media_not_found',
    'media_gone',
    'sound_unavailable',
    'range_not_satisfiable',
    'public_site_inactive',
    'public_subscription_inactive',
    'public_trial_expired',
  ],
});

/** MP3s and their timings: any origin. Those of public posts need no key; the URL itself cannot be guessed. */
export function mediaRoutes(services: Services) {
  const [respond, hook] = services.endpoint(mediaSpec, ({ request, params }) => {
    // Errors too: a player must see that an MP3 is gone, not a CORS failure.
    allowAnyOrigin(request);
    return buildMediaResponse(services, request, params.file);
  });
  return new Elysia({ name: 'media' })
    .get('/v1/media/:file', respond, hook)
    .head('/v1/media/:file', respond)
    .options('/v1/media/:file', () => new Response(null, { status: 204, headers: preflightHeaders }));
}

async function buildMediaResponse(services: Services, request: Request, file: string): Promise<Response> {
  const [, mediaKey, kind] = /^([\w-]+)\.(mp3|json|vtt|transcript\.json)$/.exec(file) ?? [];
  if (mediaKey === undefined) throw new AppError('media_not_found');
  const version = await requireServedVersion(services.database.read, mediaKey);
  const isPublic = await isHeardByEveryone(services, request, version);
  // The site may switch the texts of its timings off and on.
  const content = kind === 'mp3' || version.timings_text === 1 ? kind : `${kind}.times`;
  const headers = { ...(isPublic ? publicHeaders : privateHeaders), etag: `"${mediaKey}.${content}"` };
  if (kind === 'mp3') return buildMp3Response(services, request, mediaKey, openMp3(version), headers);
  const timings = await readTimings(services.database.read, version);
  if (kind === 'json') return buildTextResponse(request, headers, 'application/json', timings);
  const { segments } = timings;
  // The site has disabled `timings_text`.
  if (segments.every(({ text }) => text === undefined)) throw new AppError('media_not_found');
  if (kind === 'vtt') return buildTextResponse(request, headers, 'text/vtt', formatWebVtt(segments));
  return buildTextResponse(request, headers, 'application/json', formatPodcastTranscript(segments));
}

/**
 * Decides who may hear an MP3: everyone while public routes show its post, else users and API keys of its site.
 * @returns whether everyone may; false if only this caller
 * @throws AppError as `findPublicAccessError`, for a caller who may not
 */
async function isHeardByEveryone(
  { requireApiKeyOrSession }: Services,
  request: Request,
  version: ServedVersion,
): Promise<boolean> {
  const error = findPublicAccessError(version);
  if (error === undefined) return true;
  const site = await requireApiKeyOrSession(request, String(version.site_id), { budget: null }).catch(
    (refusal: unknown) => {
      if (refusal instanceof AppError && [401, 404].includes(errorTable[refusal.code].status)) throw error;
      throw refusal;
    },
  );
  if (site.id !== version.site_id) throw error;
  return false;
}

function buildTextResponse(request: Request, shared: MediaHeaders, type: string, body: unknown): Response {
  const headers = { ...shared, 'content-type': `${type}; charset=utf-8` };
  if (isNotModified(request, shared.etag)) return new Response(null, { status: 304, headers });
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers });
}

async function buildMp3Response(
  services: Services,
  request: Request,
  mediaKey: string,
  mp3: SegmentedMp3,
  shared: MediaHeaders,
): Promise<Response> {
  const { etag } = shared;
  const lastModified = new Date(mp3.readyAt);
  const headers = {
    ...shared,
    'last-modified': lastModified.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'audio/mpeg',
  };
  if (isNotModified(request, etag, lastModified)) {
    return new Response(null, { status: 304, headers });
  }
  // RFC 9110: `Range` is ignored for HEAD.
  if (request.method === 'HEAD') return buildMp3Head(services, request, mediaKey, mp3, headers);
  const header = allowsRange(request, etag, lastModified) ? request.headers.get('range') : null;
  const range = parseByteRange(header, mp3.byteCount);
  if (range === 'unsatisfiable') return rangeNotSatisfiable(mp3.byteCount);
  const partial = range !== 'whole';
  const { start, end } = partial ? range : { start: 0, end: mp3.byteCount };
  const redirect = await redirectToBucket(services, mp3, shared);
  if (redirect !== undefined) return redirect;
  const body = await openBody(services, mediaKey, mp3, start, end);
  return new Response(body, {
    status: partial ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start),
      ...(partial ? { 'content-range': `bytes ${start}-${end - 1}/${mp3.byteCount}` } : {}),
    },
  });
}

async function buildMp3Head(
  { sound, mediaFiles }: Services,
  request: Request,
  mediaKey: string,
  mp3: SegmentedMp3,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { byteCount } = mp3;
  // Reading the last byte shows whether the MP3 still exists.
  if (mediaFiles.findFile(mediaKey, mp3) === undefined) {
    await Array.fromAsync(sound.read(mp3, byteCount - 1, byteCount));
  }
  // Elysia sets the length of the body.
  requestContext(request).responseHeaders['content-length'] = String(byteCount);
  return new Response(null, { headers });
}

/** Sends a listener to the bucket, if the settings say so. */
async function redirectToBucket(
  { config, sound }: Services,
  { objectKey }: SegmentedMp3,
  shared: MediaHeaders,
): Promise<Response | undefined> {
  if (!config.soundRedirect || objectKey === null || sound.bucket === undefined) return undefined;
  const location = await sound.bucket.presign(objectKey);
  return new Response(null, { status: 302, headers: { ...shared, location } });
}

function rangeNotSatisfiable(byteCount: number): Response {
  const headers = { ...publicHeaders, 'cache-control': 'no-store', 'content-range': `bytes */${byteCount}` };
  return Response.json({ success: false, message: 'Range not satisfiable' }, { status: 416, headers });
}

async function openBody(
  { sound, mediaFiles }: Services,
  mediaKey: string,
  mp3: SegmentedMp3,
  start: number,
  end: number,
): Promise<Blob | ReadableStream | Uint8Array<ArrayBuffer>> {
  const existing = mediaFiles.findFile(mediaKey, mp3);
  if (existing !== undefined) return Bun.file(existing).slice(start, end);
  if (end - start <= maxBufferedBytes) {
    return Buffer.concat(await Array.fromAsync(sound.read(mp3, start, end)));
  }
  const path = await mediaFiles.findOrCreateFile(mediaKey, mp3);
  if (path === undefined) return toReadableStream(sound.read(mp3, start, end));
  return Bun.file(path).slice(start, end);
}

/** Of a slow client one segment is in memory, not the file. */
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

const streamPath = '/v1/public/audio/stream';
/** For a post that is still queued. */
const firstSegmentTimeoutMs = 120_000;

const streamHeaders = {
  'content-type': 'audio/mpeg',
  // Later this URL redirects to the MP3.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Else nginx buffers the sentences.
  'x-accel-buffering': 'no',
};

const streamSpec = endpointSpec({
  summary: 'Stream a post during generation',
  description:
    'Streams MP3 frames from the first sentence to the last as they are synthesized. The stream is aborted if the post is changed, deleted, made private, or fails.',
  tag: 'Public',
  access: 'domain',
  query: PublicStatusQuery,
  idleTimeoutS: 240,
  responses: {
    200: {
      description: 'The audio from its start; the rest follows as it is synthesized',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
    302: {
      description: 'The audio is ready: redirect to the MP3',
      headers: { Location: 'URL of the MP3' },
    },
    307: {
      description: 'The server stops before the first sentence is there: another one continues at the same URL',
      headers: { Location: 'The same URL' },
    },
  },
  errors: ['post_not_found', 'media_not_found', 'not_ready', 'too_many_listeners'],
});

/** Audio that is still being generated. */
export function streamRoutes(services: Services) {
  const { endpoint, database, catalog, preflight, baseUrl, audioUpdates } = services;
  const [respond, hook] = endpoint(streamSpec, async ({ request, site, query }) => {
    const language = await requestedLanguage(catalog, query);
    const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
    if (audio === undefined) throw new AppError('post_not_found');
    const redirect = redirectToMp3(audio, baseUrl);
    if (redirect !== undefined) return redirect;
    if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
    return buildStreamResponse(services, request, site.id, audio.id).catch((error: unknown) => {
      if (!audioUpdates.isClosed || database.cluster === undefined) throw error;
      return redirectToOtherServer(request, baseUrl);
    });
  });
  return new Elysia({ name: 'stream' })
    .get(streamPath, respond, hook)
    .head(streamPath, respond)
    .options(streamPath, ({ request }) => preflight(request, 'GET, HEAD'));
}

function redirectToMp3(audio: AudioSummary, baseUrl: string): Response | undefined {
  if (audio.status !== 'ready' || audio.media_key === null) return undefined;
  const location = mediaUrl(baseUrl, audio.media_key, 'mp3');
  return new Response(null, {
    status: 302,
    headers: { location, 'cache-control': 'public, max-age=60' },
  });
}

/** Of several servers, this one stops: the load balancer chooses another one. */
function redirectToOtherServer({ url }: Request, baseUrl: string): Response {
  const location = `${baseUrl}${streamPath}${new URL(url).search}`;
  return new Response(null, { status: 307, headers: { location, 'cache-control': 'no-store' } });
}

/** Responds once the first sentence is there: until then the audio may turn out to have none. */
async function buildStreamResponse(
  { database, sound, audioUpdates, listenerLimiter, log }: Services,
  request: Request,
  siteId: number,
  audioId: number,
): Promise<Response> {
  const releaseSlot = listenerLimiter.acquireSlot(siteId);
  request.signal.addEventListener('abort', releaseSlot);
  let isOver = false;
  let hasBegun = false;
  const deadline = performance.now() + firstSegmentTimeoutMs;
  const isWanted = () => !isOver && !request.signal.aborted && (hasBegun || performance.now() < deadline);
  const isOpen = () => isStillPublic(database.read, audioId);
  const frames = liveFrames(database.read, sound, audioUpdates, audioId, isWanted, isOpen);
  const first = await readFirstFrames(frames).catch((error: unknown) => {
    releaseSlot();
    throw error;
  });
  hasBegun = true;
  const chunksAhead = 1;
  const body = streamBody(first, frames, chunksAhead, (error) => {
    isOver = true;
    releaseSlot();
    if (error !== undefined && !(error instanceof AppError)) {
      log.error({ err: error, audio: audioId }, 'audio stream failed');
    }
  });
  return new Response(body, { headers: streamHeaders });
}

/** @throws AppError `not_ready` when none came in time */
async function readFirstFrames(frames: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array> {
  const first = await frames.next();
  if (first.done) throw new AppError('not_ready');
  return first.value;
}
