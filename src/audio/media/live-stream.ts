import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Preflight, RequireDomain } from '../../auth/domain-access.ts';
import type { Database, Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, toEndpointHook } from '../../http/endpoint.ts';
import { streamBody } from '../../http/request-body.ts';
import { requestContext } from '../../http/request-context.ts';
import { getQueryParam, parseQuery } from '../../http/validation.ts';
import type { Log } from '../../log.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { requestedLanguage } from '../choose-voice.ts';
import type { AudioUpdates } from '../events.ts';
import { findPublicStatus, isStillPublic } from '../posts/published-audio.ts';
import { PublicStatusQuery } from '../schema.ts';
import { type AudioSummary, mediaUrl } from '../store.ts';
import { findGenerationProgress, findSegmentFrames, type GenerationProgress } from './store.ts';

/** How many may listen at once to posts that are being made. */
export interface ListenerLimits {
  readonly maxListeners: number;
  readonly maxListenersPerSite: number;
}

/** Counts those who listen to posts that are being made: each holds a connection and a sentence in memory. */
export interface ListenerLimiter {
  /**
   * @returns what ends the listening; may be called more than once
   * @throws AppError `too_many_listeners`
   */
  acquireSlot(siteId: number): () => void;
}

export function createListenerLimiter({ maxListeners, maxListenersPerSite }: ListenerLimits): ListenerLimiter {
  const countBySite = new Map<number, number>();
  let count = 0;
  const add = (siteId: number, change: 1 | -1): void => {
    const ofSite = (countBySite.get(siteId) ?? 0) + change;
    count += change;
    if (ofSite === 0) countBySite.delete(siteId);
    else countBySite.set(siteId, ofSite);
  };
  return {
    acquireSlot: (siteId) => {
      if (count >= maxListeners || (countBySite.get(siteId) ?? 0) >= maxListenersPerSite) {
        throw new AppError('too_many_listeners', 'Too many concurrent listeners');
      }
      add(siteId, 1);
      let isOver = false;
      return () => {
        if (!isOver) add(siteId, -1);
        isOver = true;
      };
    },
  };
}

/** So long nobody waits without looking: a command beside the server tells nothing. */
const pollIntervalMs = 1_000;

/**
 * The MP3 frames of an audio, sentence by sentence as they are spoken, to the last one. Until the first is there, the newest
 * text counts; from then on the one that was begun.
 * @param isWanted false as soon as nobody listens any more; then it just ends
 * @param isOpen whether it may still be heard; asked before each sentence
 * @throws AppError `media_not_found` when no more will come: the audio failed, was replaced or deleted, or may be heard no
 *   longer; `not_ready` when the server stops
 */
async function* liveFrames(
  read: Queries,
  watch: AudioUpdates,
  audioId: number,
  isWanted: () => boolean,
  isOpen: () => Promise<boolean>,
): AsyncGenerator<Uint8Array, undefined> {
  let making: GenerationProgress | undefined;
  let position = 0;
  while (isWanted()) {
    const news = watch.waitForUpdate(audioId);
    if (!(await isOpen())) throw mediaNotFound();
    const frames = await readFrames(read, making, position);
    if (frames !== undefined) {
      position += 1;
      yield frames;
      continue;
    }
    if (making?.segmentCount === position) return;
    const before = making;
    making = await findGenerationProgress(read, audioId);
    if (making === undefined || making.status === 'failed') throw mediaNotFound();
    // It goes on after the restart.
    if (watch.isClosed) throw new AppError('not_ready', 'Not ready');
    if (position > 0 && making.generation !== before?.generation) throw mediaNotFound();
    // An interruption begins a new version: the same sentences, in the same places.
    const isLookedAt = making.versionId === before?.versionId;
    if (isLookedAt && making.segmentCount === before?.segmentCount) {
      await Promise.race([news, Bun.sleep(pollIntervalMs)]);
    }
  }
}

async function readFrames(read: Queries, making: GenerationProgress | undefined, position: number) {
  const versionId = making?.versionId ?? null;
  return versionId === null ? undefined : findSegmentFrames(read, versionId, position);
}

function mediaNotFound(): AppError {
  return new AppError('media_not_found', 'Media not found');
}

const streamPath = '/v1/public/audio/stream';
/** So long a listener waits for the first sentence of a post whose turn is yet to come. */
const firstSegmentTimeoutMs = 120_000;
/** A connection on which nothing moves for longer ends, be it that the client is gone or reads nothing. */
const idleTimeoutS = 240;

const streamHeaders = {
  'content-type': 'audio/mpeg',
  // What is heard now is not what will be heard under this address.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // nginx would gather the sentences up.
  'x-accel-buffering': 'no',
};

export interface StreamDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly requireDomain: RequireDomain;
  readonly preflight: Preflight;
  readonly baseUrl: string;
  readonly audioUpdates: AudioUpdates;
  readonly listenerLimiter: ListenerLimiter;
  readonly log: Log;
}

const streamOperation = endpointSpec({
  summary: 'Stream a post during generation',
  description:
    'Streams MP3 frames from the first sentence to the last as they are synthesized. The stream is aborted if the post is changed, deleted, made private, or fails.',
  tag: 'Public',
  access: 'domain',
  query: PublicStatusQuery,
  responses: {
    200: {
      description: 'The audio from its start; the rest follows as it is synthesized',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
    302: {
      description: 'The audio is ready: redirect to the MP3',
      headers: { Location: 'URL of the MP3' },
    },
  },
  errors: ['post_not_found', 'media_not_found', 'not_ready', 'too_many_listeners'],
});

/** Listening before the end. */
export function streamRoutes(deps: StreamDeps) {
  const { database, catalog, requireDomain, preflight, baseUrl } = deps;
  const find = async (request: Request): Promise<{ audio: AudioSummary; siteId: number }> => {
    const site = await requireDomain(request, getQueryParam(request, 'domain'), 'page');
    const query = parseQuery(PublicStatusQuery, request);
    const language = await requestedLanguage(catalog, query);
    const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
    if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
    return { audio, siteId: site.id };
  };
  return new Elysia({ name: 'stream' })
    .get(
      streamPath,
      async ({ request }) => {
        const { audio, siteId } = await find(request);
        return redirectToMp3(audio, baseUrl) ?? (await buildStreamResponse(deps, request, siteId, audio.id));
      },
      toEndpointHook(streamOperation),
    )
    .head(streamPath, async ({ request }) => {
      const { audio } = await find(request);
      return redirectToMp3(audio, baseUrl) ?? new Response(null, { headers: streamHeaders });
    })
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

/** Answers with the first sentence: until then it may turn out that there is nothing to hear. */
async function buildStreamResponse(
  { database, audioUpdates: watch, listenerLimiter: listeners, log }: StreamDeps,
  request: Request,
  siteId: number,
  audioId: number,
): Promise<Response> {
  const leave = listeners.acquireSlot(siteId);
  request.signal.addEventListener('abort', leave);
  requestContext(request).setIdleTimeout(idleTimeoutS);
  let isWanted = true;
  let hasBegun = false;
  const deadline = performance.now() + firstSegmentTimeoutMs;
  const isListening = () => isWanted && !request.signal.aborted && (hasBegun || performance.now() < deadline);
  const isOpen = () => isStillPublic(database.read, audioId);
  const frames = liveFrames(database.read, watch, audioId, isListening, isOpen);
  const first = await readFirstFrames(frames).catch((error: unknown) => {
    leave();
    throw error;
  });
  hasBegun = true;
  // Ahead of whoever reads slowly is one sentence.
  const body = streamBody(first, frames, 1, (error) => {
    isWanted = false;
    leave();
    if (error !== undefined && !(error instanceof AppError)) {
      log.error({ err: error, audio: audioId }, 'audio stream failed');
    }
  });
  return new Response(body, { headers: streamHeaders });
}

/** @throws AppError `not_ready` when none came in time */
async function readFirstFrames(frames: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array> {
  const first = await frames.next();
  if (first.done) throw new AppError('not_ready', 'Not ready');
  return first.value;
}
