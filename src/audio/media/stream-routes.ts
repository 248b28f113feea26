import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { growingBody } from '../../http/growing-body.ts';
import { described } from '../../http/operation.ts';
import { queryValue } from '../../http/query-value.ts';
import { factsOf } from '../../http/request-facts.ts';
import { readQuery } from '../../http/validate.ts';
import type { Log } from '../../log.ts';
import type { DomainAccess, Preflight } from '../../sites/domain-access.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { askedLanguage } from '../asked-language.ts';
import { findPublicStatus, isStillPublic } from '../public/store.ts';
import { mediaUrl } from '../record.ts';
import { PublicStatusQuery } from '../schema.ts';
import type { AudioView } from '../store.ts';
import type { AudioWatch } from '../watch.ts';
import type { Listeners } from './listeners.ts';
import { framesAsMade } from './stream.ts';

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
