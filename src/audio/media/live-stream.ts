import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec } from '../../http/endpoint.ts';
import { streamBody } from '../../http/request-body.ts';
import type { Services } from '../../services.ts';
import { requestedLanguage } from '../choose-voice.ts';
import type { AudioUpdates } from '../events.ts';
import { findPublicStatus, isStillPublic } from '../posts/published-audio.ts';
import { PublicStatusQuery } from '../schema.ts';
import { type AudioSummary, mediaUrl } from '../store.ts';
import { findGenerationProgress, findSegmentFrames, type GenerationProgress } from './store.ts';

type ListenerLimits = Pick<Services['config'], 'maxListeners' | 'maxListenersPerSite'>;

/** Limits the streams of posts that are being generated: each holds a connection, and a sentence in memory. */
export class ListenerLimiter {
  readonly #limits: ListenerLimits;
  readonly #countBySite = new Map<number, number>();
  #count = 0;

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
  }

  /**
   * @returns releases the slot; may be called more than once
   * @throws AppError `too_many_listeners`
   */
  acquireSlot(siteId: number): () => void {
    const { maxListeners, maxListenersPerSite } = this.#limits;
    if (this.#count >= maxListeners || (this.#countBySite.get(siteId) ?? 0) >= maxListenersPerSite) {
      throw new AppError('too_many_listeners', 'Too many concurrent listeners');
    }
    this.#add(siteId, 1);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#add(siteId, -1);
      isReleased = true;
    };
  }

  #add(siteId: number, change: 1 | -1): void {
    const ofSite = (this.#countBySite.get(siteId) ?? 0) + change;
    this.#count += change;
    if (ofSite === 0) this.#countBySite.delete(siteId);
    else this.#countBySite.set(siteId, ofSite);
  }
}

/** Changes by another process, like a command, send no update. */
const pollIntervalMs = 1_000;

/**
 * The MP3 frames of an audio, sentence by sentence as they are synthesized, to the last one. Until the first frames are
 * there, the newest text counts; from then on the one that was begun.
 * @param isWanted false once the client is gone; then the frames just end
 * @param isOpen whether the audio is still public; checked before each sentence
 * @throws AppError `media_not_found` when no more will come: the audio failed, was replaced or deleted, or is no longer
 *   public; `not_ready` when the server stops
 */
async function* liveFrames(
  read: Queries,
  updates: AudioUpdates,
  audioId: number,
  isWanted: () => boolean,
  isOpen: () => Promise<boolean>,
): AsyncGenerator<Uint8Array, undefined> {
  let progress: GenerationProgress | undefined;
  let position = 0;
  while (isWanted()) {
    // Before the look at the rows, so that no update is missed.
    const update = updates.waitForUpdate(audioId);
    if (!(await isOpen())) throw mediaNotFound();
    const frames = await readFrames(read, progress, position);
    if (frames !== undefined) {
      position += 1;
      yield frames;
      continue;
    }
    if (progress?.segmentCount === position) return;
    const before = progress;
    progress = await findGenerationProgress(read, audioId);
    if (progress === undefined || progress.status === 'failed') throw mediaNotFound();
    // Generation continues after the restart.
    if (updates.isClosed) throw new AppError('not_ready', 'Not ready');
    if (position > 0 && progress.generation !== before?.generation) throw mediaNotFound();
    // An interruption begins a new version with the same sentences at the same positions.
    const isUnchanged = progress.versionId === before?.versionId && progress.segmentCount === before?.segmentCount;
    if (isUnchanged) await Promise.race([update, Bun.sleep(pollIntervalMs)]);
  }
}

async function readFrames(read: Queries, progress: GenerationProgress | undefined, position: number) {
  const versionId = progress?.versionId ?? null;
  return versionId === null ? undefined : findSegmentFrames(read, versionId, position);
}

function mediaNotFound(): AppError {
  return new AppError('media_not_found', 'Media not found');
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
  },
  errors: ['post_not_found', 'media_not_found', 'not_ready', 'too_many_listeners'],
});

/** Audio that is still being generated. */
export function streamRoutes(services: Services) {
  const { endpoint, database, catalog, preflight, baseUrl } = services;
  const [respond, hook] = endpoint(streamSpec, async ({ request, site, query }) => {
    const language = await requestedLanguage(catalog, query);
    const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
    if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
    const redirect = redirectToMp3(audio, baseUrl);
    if (redirect !== undefined) return redirect;
    if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
    return buildStreamResponse(services, request, site.id, audio.id);
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

/** Responds once the first sentence is there: until then the audio may turn out to have none. */
async function buildStreamResponse(
  { database, audioUpdates, listenerLimiter, log }: Services,
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
  const frames = liveFrames(database.read, audioUpdates, audioId, isWanted, isOpen);
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
  if (first.done) throw new AppError('not_ready', 'Not ready');
  return first.value;
}
