import { Elysia } from 'elysia';
import type { Preflight, RequireDomain } from '../../auth/domain-access.ts';
import type { Database } from '../../database/open.ts';
import type { AudioStatus, Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../../http/endpoint.ts';
import { conditionalJsonResponse } from '../../http/static-assets.ts';
import { getQueryParam, parseQuery } from '../../http/validation.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { requestedLanguage } from '../choose-voice.ts';
import { AudioRecord, PublicAudio, PublicAudioQuery, PublicStatusQuery } from '../schema.ts';
import { canonicalizeUrl, toAudioRecord } from '../store.ts';
import { type AudioSelector, buildPublicAudio, findPublicAudio, findPublicStatus } from './published-audio.ts';

export interface PublicAudioDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly requireDomain: RequireDomain;
  readonly preflight: Preflight;
  readonly baseUrl: string;
}

const readyRecord = {
  id: 1,
  post_id: 'news/4711',
  status: 'ready',
  progress_percent: 100,
  audio_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.mp3',
  duration_seconds: 151,
  language: 'en',
  voice_id: 1,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:09.000Z',
};
const etagHeader = { ETag: 'For `If-None-Match`' };
const notModified = { description: 'Not modified' };

const statusOperation = endpointSpec({
  summary: 'Get the public status of a post',
  description:
    'Same record as the status route of an API key. Private posts and posts with a future `publish_at` are not found.',
  tag: 'Public',
  access: 'domain',
  query: PublicStatusQuery,
  responses: {
    200: {
      description: 'The audio record',
      message: 'OK',
      data: AudioRecord,
      example: readyRecord,
      headers: etagHeader,
    },
    304: notModified,
  },
  errors: ['post_not_found'],
});

const audioOperation = endpointSpec({
  summary: 'Get the public audio of a post',
  description:
    'Selected by `post_id` or by the URL of the page. If several posts have the same URL, the newest is returned.',
  tag: 'Public',
  access: 'domain',
  query: PublicAudioQuery,
  responses: {
    200: {
      description: 'The audio and its variants',
      message: 'OK',
      data: PublicAudio,
      example: {
        ...readyRecord,
        title: 'Harbor town reopens its lighthouse',
        url: 'https://www.example.org/news/4711',
        voice: { id: 1, name: 'Alder', language: 'en' },
        segments_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.json',
        last_ready: null,
        variants: [
          {
            language: 'en',
            voice: { id: 2, name: 'Linden', language: 'en' },
            audio_url: 'https://audio.example.org/v1/media/Yc2vUe9QpR4sT7wX1zB5nM8k.mp3',
            duration_seconds: 149,
            segments_url: 'https://audio.example.org/v1/media/Yc2vUe9QpR4sT7wX1zB5nM8k.json',
          },
        ],
      },
      headers: etagHeader,
    },
    304: notModified,
  },
  errors: ['post_not_found'],
});

/** What pages and players ask: by a domain of the site, without a key. */
export function publicAudioRoutes(deps: PublicAudioDeps) {
  const { database, catalog, requireDomain, preflight, baseUrl } = deps;
  const siteOf = (request: Request) => requireDomain(request, getQueryParam(request, 'domain'), 'page');
  return new Elysia({ name: 'public-audio' })
    .get(
      '/v1/public/audio/status',
      async ({ request }) => {
        const site = await siteOf(request);
        const query = parseQuery(PublicStatusQuery, request);
        const language = await requestedLanguage(catalog, query);
        const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        const body = envelope('OK', toAudioRecord(audio, baseUrl));
        return conditionalJsonResponse(request, body, getCacheControl(audio.status));
      },
      toEndpointHook(statusOperation),
    )
    .options('/v1/public/audio/status', ({ request }) => preflight(request, 'GET, HEAD'))
    .get(
      '/v1/public/audio',
      async ({ request }) => {
        const site = await siteOf(request);
        const query = parseQuery(PublicAudioQuery, request);
        const wanted = await parseSelector(catalog, site, query);
        const audio = await findPublicAudio(database.read, wanted);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        const data = await buildPublicAudio(database.read, site, audio, baseUrl);
        return conditionalJsonResponse(request, envelope('OK', data), getCacheControl(audio.status));
      },
      toEndpointHook(audioOperation),
    )
    .options('/v1/public/audio', ({ request }) => preflight(request, 'GET, HEAD'));
}

/** A page may be read by more people in a minute than the budget of its site: caches between answer most of them. */
function getCacheControl(status: AudioStatus): string {
  return `public, max-age=${status === 'ready' ? 60 : 3}`;
}

/** @throws AppError `validation_failed` */
async function parseSelector(catalog: Catalog, site: Site, query: PublicAudioQuery): Promise<AudioSelector> {
  const post = parsePostSelector(query);
  const { voice_id: voiceId = null } = query;
  const namesLanguage = (query.lang ?? query.language) !== undefined;
  // A voice speaks one language: whoever names it needn't name that too.
  const language = voiceId === null || namesLanguage ? await requestedLanguage(catalog, query) : null;
  if (voiceId !== null && (await catalog.find(voiceId)) === undefined) {
    throw invalid('voice_id', `voice ${voiceId} not found`);
  }
  return { siteId: site.id, post, language, voiceId, mainOnly: site.allow_switch === 0 };
}

function parsePostSelector({ post_id: postId, url }: PublicAudioQuery): AudioSelector['post'] {
  if (postId !== undefined) return { postId };
  if (url === undefined) throw invalid('post_id', 'is required unless url is given');
  const page = canonicalizeUrl(url);
  if (page === null) throw invalid('url', 'must be an http(s) URL');
  return { page };
}

function invalid(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
