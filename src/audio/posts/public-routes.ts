import { Elysia } from 'elysia';
import type { AudioStatus, Site } from '../../database/schema.ts';
import { AppError, invalid } from '../../errors.ts';
import { endpointSpec, reply } from '../../http/endpoint.ts';
import type { Services } from '../../services.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { requestedLanguage } from '../choose-voice.ts';
import { AudioRecord, exampleReadyAudio, PublicAudio, PublicAudioQuery, PublicStatusQuery } from '../schema.ts';
import { canonicalizeUrl, toAudioRecord } from '../store.ts';
import { type AudioSelector, buildPublicAudio, findPublicAudio, findPublicStatus } from './published-audio.ts';

const etagHeader = { ETag: 'For `If-None-Match`' };
const notModified = { description: 'Not modified' };

const statusSpec = endpointSpec({
  summary: 'Get the public status of a post',
  description:
    'Same record as the status route of an API key. Private posts and posts with a future `publish_at` are not found.',
  tag: 'Public',
  access: 'domain',
  query: PublicStatusQuery,
  cacheControl: getCacheControl,
  responses: {
    ...reply(200, 'OK', 'The audio record', AudioRecord, { example: exampleReadyAudio, headers: etagHeader }),
    304: notModified,
  },
  errors: ['post_not_found'],
});

const audioSpec = endpointSpec({
  summary: 'Get the public audio of a post',
  description:
    'Selected by `post_id` or by the URL of the page. If several posts have the same URL, the newest is returned.',
  tag: 'Public',
  access: 'domain',
  query: PublicAudioQuery,
  cacheControl: getCacheControl,
  responses: {
    ...reply(200, 'OK', 'The audio and its variants', PublicAudio, {
      example: {
        ...exampleReadyAudio,
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
    }),
    304: notModified,
  },
  errors: ['post_not_found'],
});

/** Audio for pages and players, by a domain of the site. */
export function publicAudioRoutes({ endpoint, database, catalog, preflight, baseUrl }: Services) {
  return new Elysia({ name: 'public-audio' })
    .get(
      '/v1/public/audio/status',
      ...endpoint(statusSpec, async ({ site, query }) => {
        const language = await requestedLanguage(catalog, query);
        const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        return toAudioRecord(audio, baseUrl);
      }),
    )
    .options('/v1/public/audio/status', ({ request }) => preflight(request, 'GET, HEAD'))
    .get(
      '/v1/public/audio',
      ...endpoint(audioSpec, async ({ site, query }) => {
        const selector = await parseSelector(catalog, site, query);
        const audio = await findPublicAudio(database.read, selector);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        return buildPublicAudio(database.read, site, audio, baseUrl);
      }),
    )
    .options('/v1/public/audio', ({ request }) => preflight(request, 'GET, HEAD'));
}

/** A page may have more readers per minute than its site has requests: shared caches answer most of them. */
function getCacheControl({ status }: { readonly status: AudioStatus }): string {
  return `public, max-age=${status === 'ready' ? 60 : 3}`;
}

/** @throws AppError `validation_failed` */
async function parseSelector(catalog: Catalog, site: Site, query: PublicAudioQuery): Promise<AudioSelector> {
  const post = parsePostSelector(query);
  const { voice_id: voiceId = null } = query;
  const namesLanguage = (query.lang ?? query.language) !== undefined;
  // A voice has one language: a query with a voice needs no language.
  const language = voiceId === null || namesLanguage ? await requestedLanguage(catalog, query) : null;
  if (voiceId !== null && (await catalog.find(voiceId)) === undefined) {
    throw invalid('voice_id', `voice ${voiceId} not found`);
  }
  return { siteId: site.id, post, language, voiceId, mainOnly: site.allow_switch === 0 };
}

function parsePostSelector({ post_id: postId, url }: PublicAudioQuery): AudioSelector['post'] {
  if (postId !== undefined) return { postId };
  if (url === undefined) throw invalid('post_id', 'is required unless url is given');
  const canonicalUrl = canonicalizeUrl(url);
  if (canonicalUrl === null) throw invalid('url', 'must be an http(s) URL');
  return { canonicalUrl };
}
