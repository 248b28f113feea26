import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { DomainAccess, Preflight } from '../../auth/domain-access.ts';
import type { Database, Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { described } from '../../http/endpoint.ts';
import { growingBody } from '../../http/request-body.ts';
import { factsOf } from '../../http/request-context.ts';
import { queryValue, readQuery } from '../../http/validation.ts';
import type { Log } from '../../log.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { askedLanguage } from '../choose-voice.ts';
import type { AudioWatch } from '../events.ts';
import { findPublicStatus, isStillPublic } from '../posts/published-audio.ts';
import { PublicStatusQuery } from '../schema.ts';
import { type AudioView, mediaUrl } from '../store.ts';
import { findMaking, framesAt, type Making } from './store.ts';

/** How many may listen at once to posts that are being made. */
export interface ListenerLimits {
  readonly listenersMax: number;
  readonly listenersPerSiteMax: number;
}

/** Counts those who listen to posts that are being made: each holds a connection and a sentence in memory. */
export interface Listeners {
  /**
   * @returns what ends the listening; may be called more than once
   * @throws AppError `too_many_listeners`
   */
  admit(siteId: number): () => void;
}

export function createListeners({ listenersMax, listenersPerSiteMax }: ListenerLimits): Listeners {
  const countBySite = new Map<number, number>();
  let count = 0;
  const add = (siteId: number, change: 1 | -1): void => {
    const ofSite = (countBySite.get(siteId) ?? 0) + change;
    count += change;
    if (ofSite === 0) countBySite.delete(siteId);
    else countBySite.set(siteId, ofSite);
  };
  return {
    admit: (siteId) => {
      if (count >= listenersMax || (countBySite.get(siteId) ?? 0) >= listenersPerSiteMax) {
        throw new AppError('too_many_listeners', 'Too many are listening');
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
const lookPauseMs = 1_000;

/**
 * The MP3 frames of an audio, sentence by sentence as they are spoken, to the last one. Until the first is there, the newest
 * text counts; from then on the one that was begun.
 * @param isWanted false as soon as nobody listens any more; then it just ends
 * @param isOpen whether it may still be heard; asked before each sentence
 * @throws AppError `media_not_found` when no more will come: the audio failed, was replaced or deleted, or may be heard no
 *   longer; `not_ready` when the server stops
 */
async function* framesAsMade(
  read: Queries,
  watch: AudioWatch,
  audioId: number,
  isWanted: () => boolean,
  isOpen: () => Promise<boolean>,
): AsyncGenerator<Uint8Array, undefined> {
  let making: Making | undefined;
  let position = 0;
  while (isWanted()) {
    const news = watch.next(audioId);
    if (!(await isOpen())) throw noMore();
    const frames = await framesOf(read, making, position);
    if (frames !== undefined) {
      position += 1;
      yield frames;
      continue;
    }
    if (making?.segmentCount === position) return;
    const before = making;
    making = await findMaking(read, audioId);
    if (making === undefined || making.status === 'failed') throw noMore();
    // It goes on after the restart.
    if (watch.isClosed) throw new AppError('not_ready', 'Not ready');
    if (position > 0 && making.generation !== before?.generation) throw noMore();
    // An interruption begins a new version: the same sentences, in the same places.
    const isLookedAt = making.versionId === before?.versionId;
    if (isLookedAt && making.segmentCount === before?.segmentCount) {
      await Promise.race([news, Bun.sleep(lookPauseMs)]);
    }
  }
}

async function framesOf(read: Queries, making: Making | undefined, position: number) {
  const versionId = making?.versionId ?? null;
  return versionId === null ? undefined : framesAt(read, versionId, position);
}

function noMore(): AppError {
  return new AppError('media_not_found', 'Media not found');
}

const path = '/v1/public/audio/stream';
/** So long a listener waits for the first sentence of a post whose turn is yet to come. */
const firstPatienceMs = 120_000;
/** A connection on which nothing moves for longer ends, be it that the client is gone or reads nothing. */
const idleMaxS = 240;

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
  readonly byDomain: DomainAccess;
  readonly preflight: Preflight;
  readonly baseUrl: string;
  readonly watch: AudioWatch;
  readonly listeners: Listeners;
  readonly log: Log;
}

const streamOperation = described({
  summary: 'Listen to a post while it is made',
  description:
    'MP3 frames, sentence by sentence as they are spoken. It begins with the first sentence and ends with the last; it breaks off when the post is changed or deleted, becomes private, or fails.',
  tag: 'Public',
  access: 'domain',
  query: PublicStatusQuery,
  answers: {
    200: {
      description: 'The audio from its beginning, as far as it is made, then the rest as it comes',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
    302: {
      description: 'It is ready: the MP3 is elsewhere',
      headers: { Location: 'Address of the MP3' },
    },
  },
  errors: ['post_not_found', 'media_not_found', 'not_ready', 'too_many_listeners'],
});

/** Listening before the end. */
export function streamRoutes(deps: StreamDeps) {
  const { database, catalog, byDomain, preflight, baseUrl } = deps;
  const find = async (request: Request): Promise<{ audio: AudioView; siteId: number }> => {
    const site = await byDomain(request, queryValue(request, 'domain'), 'page');
    const query = readQuery(PublicStatusQuery, request);
    const language = await askedLanguage(catalog, query);
    const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
    if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
    return { audio, siteId: site.id };
  };
  return new Elysia({ name: 'stream' })
    .get(
      path,
      async ({ request }) => {
        const { audio, siteId } = await find(request);
        return toMp3(audio, baseUrl) ?? (await streamAnswer(deps, request, siteId, audio.id));
      },
      streamOperation,
    )
    .head(path, async ({ request }) => {
      const { audio } = await find(request);
      return toMp3(audio, baseUrl) ?? new Response(null, { headers: streamHeaders });
    })
    .options(path, ({ request }) => preflight(request, 'GET, HEAD'));
}

function toMp3(audio: AudioView, baseUrl: string): Response | undefined {
  if (audio.status !== 'ready' || audio.media_key === null) return undefined;
  const location = mediaUrl(baseUrl, audio.media_key, 'mp3');
  return new Response(null, {
    status: 302,
    headers: { location, 'cache-control': 'public, max-age=60' },
  });
}

/** Answers with the first sentence: until then it may turn out that there is nothing to hear. */
async function streamAnswer(
  { database, watch, listeners, log }: StreamDeps,
  request: Request,
  siteId: number,
  audioId: number,
): Promise<Response> {
  const leave = listeners.admit(siteId);
  request.signal.addEventListener('abort', leave);
  factsOf(request).allowIdle(idleMaxS);
  let isWanted = true;
  let hasBegun = false;
  const deadline = performance.now() + firstPatienceMs;
  const isListening = () =>
    isWanted && !request.signal.aborted && (hasBegun || performance.now() < deadline);
  const isOpen = () => isStillPublic(database.read, audioId);
  const frames = framesAsMade(database.read, watch, audioId, isListening, isOpen);
  const first = await firstOf(frames).catch((error: unknown) => {
    leave();
    throw error;
  });
  hasBegun = true;
  // Ahead of whoever reads slowly is one sentence.
  const body = growingBody(first, frames, 1, (error) => {
    isWanted = false;
    leave();
    if (error !== undefined && !(error instanceof AppError)) {
      log.error({ err: error, audio: audioId }, 'a stream broke');
    }
  });
  return new Response(body, { headers: streamHeaders });
}

/** @throws AppError `not_ready` when none came in time */
async function firstOf(frames: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array> {
  const first = await frames.next();
  if (first.done) throw new AppError('not_ready', 'Not ready');
  return first.value;
}
