import { createHash } from 'node:crypto';
import { Elysia } from 'elysia';
import type { Database } from '../database/open.ts';
import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { isNotModified } from '../http/conditional.ts';
import { envelope } from '../http/envelope.ts';
import { readJsonBody } from '../http/json-body.ts';
import { createSiteAccess } from '../sites/access.ts';
import type { KeyUse } from '../sites/api-keys.ts';
import type { Catalog } from '../voices/catalog.ts';
import { acceptRequest, type QueueLimits } from './accept.ts';
import { checkLanguage, chooseVoice } from './choose-voice.ts';
import type { AudioQueue } from './queue.ts';
import { audioRecord, statusUrl } from './record.ts';
import { primaryLanguage, readGenerateRequest } from './request.ts';
import { findView, findViews } from './store.ts';

const defaultLanguage = 'en';
const postsPerStatusMax = 100;

export interface AudioDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: Pick<AudioQueue, 'turnOf' | 'changed'>;
  readonly keyUse: KeyUse;
  readonly baseUrl: string;
  readonly limits: QueueLimits & {
    readonly contentLengthMax: number;
    readonly bodyByteMax: number;
  };
}

/** The main job: hand an article in, ask how far it is. */
export function audioRoutes({ database, catalog, queue, keyUse, baseUrl, limits }: AudioDeps) {
  const siteOfKey = createSiteAccess(database, keyUse);
  const siteOf = (request: Request): Promise<Site> => siteOfKey(request.headers.get('x-api-key'));

  return new Elysia({ name: 'audio', prefix: '/v1/audio' })
    .post(
      '/generate',
      async ({ request }) => {
        // Credentials first: whoever has none learns nothing about the body.
        const site = await siteOf(request);
        const body = await readJsonBody(request, limits.bodyByteMax);
        const asked = readGenerateRequest(body, limits.contentLengthMax);
        const voice = await chooseVoice(catalog, site, asked);
        const accepted = await acceptRequest(database, site, voice, asked, limits, queue.turnOf);
        if (accepted.queued) await queue.changed(accepted.audio.id);
        const record = audioRecord(accepted.audio, baseUrl);
        return Response.json(envelope(accepted.message, record), {
          status: accepted.queued ? 202 : 200,
          headers: { location: statusUrl(baseUrl, record.post_id, record.language) },
        });
      },
      { parse: 'none', detail: { summary: 'Queue the generation of a post', tags: ['audio'] } },
    )
    .get(
      '/status',
      async ({ request }) => {
        const site = await siteOf(request);
        const query = new URL(request.url).searchParams;
        const language = await askedLanguage(catalog, query);
        const postIds = [...new Set(query.getAll('post_id'))];
        if (postIds.length === 0 || postIds.length > postsPerStatusMax) {
          throw new AppError('validation_failed', 'Validation failed', {
            post_id: [`must be given 1 to ${postsPerStatusMax} times`],
          });
        }
        const found = await findViews(database.read, site.id, postIds, language);
        const byPost = new Map(found.map((audio) => [audio.external_id, audio]));
        const items = postIds.map((postId) => {
          const audio = byPost.get(postId);
          return audio === undefined
            ? { post_id: postId, status: null }
            : audioRecord(audio, baseUrl);
        });
        return cheapAnswer(request, envelope('OK', { items }));
      },
      { detail: { summary: 'Status of up to 100 posts', tags: ['audio'] } },
    )
    .get(
      '/:post_id/status',
      async ({ request, params }) => {
        const site = await siteOf(request);
        const language = await askedLanguage(catalog, new URL(request.url).searchParams);
        const audio = await findView(database.read, site.id, params.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        return cheapAnswer(request, envelope('OK', audioRecord(audio, baseUrl)));
      },
      { detail: { summary: 'Status of a post', tags: ['audio'] } },
    );
}

/** @throws AppError `validation_failed` when no installed voice speaks it */
async function askedLanguage(catalog: Catalog, query: URLSearchParams): Promise<string> {
  const given = query.get('language') ?? query.get('lang');
  if (given === null) return defaultLanguage;
  const language = primaryLanguage(given);
  if (language === undefined) {
    throw new AppError('validation_failed', 'Validation failed', {
      language: ['must be a language code like en or de'],
    });
  }
  await checkLanguage(catalog, language);
  return language;
}

/** An answer that costs a poll next to nothing while nothing changes. */
function cheapAnswer(request: Request, body: unknown): Response {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha1').update(text).digest('base64url')}"`;
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    'content-type': 'application/json',
  };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}
