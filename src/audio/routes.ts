import { type TObject, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { AudioStatus, Site } from '../database/schema.ts';
import { AppError, invalid, passes } from '../errors.ts';
import { endpointSpec, envelope, reply } from '../http/endpoint.ts';
import { streamBody } from '../http/request-body.ts';
import type { Services } from '../services.ts';
import { defaultPlayerSettings } from '../sites/player-settings.ts';
import { SiteParams } from '../sites/schema.ts';
import type { Catalog } from '../voices/catalog.ts';
import {
  buildPostNotFound,
  checkLanguage,
  chooseVoice,
  parseLanguage,
  requestedLanguage,
  warnOfContent,
} from './choose-voice.ts';
import { LiveAudio, resyncEvent } from './live-updates.ts';
import { newsItemBodies } from './news-items.ts';
import {
  type AudioSelector,
  buildPublicAudio,
  findPublicAudio,
  findPublicStatus,
  parsePostSelector,
} from './posts/published-audio.ts';
import { PostCounts } from './posts/schema.ts';
import {
  AudioRecord,
  AudioRecords,
  DeletedPost,
  exampleQueuedAudio,
  exampleReadyAudio,
  GenerateBody,
  PostParams,
  PublicAudio,
  PublicAudioQuery,
  PublicStatusQuery,
  StatusesQuery,
  StatusQuery,
  toTitleFields,
  toUrlFields,
} from './schema.ts';
import { findAudioSummary, listAudioSummaries, statusUrl, toAudioRecord } from './store.ts';
import { parseGenerateRequest, submitPost } from './submit.ts';

const cacheControl = 'private, no-cache';
const notModified = { description: 'Not modified' };
const byKey = { tag: 'Audio', access: 'key' } as const;

const generateSpec = endpointSpec({
  summary: 'Generate audio for a post',
  ...byKey,
  body: GenerateBody,
  bodyExample: {
    post_id: 'news/4711',
    post_title: 'Harbor town reopens its lighthouse',
    post_url: 'https://www.example.org/news/4711',
    content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
  },
  bodyHandling: 'unchecked',
  bodyConverters: newsItemBodies,
  maxBodyBytes: 'article',
  responses: {
    ...reply(202, 'Audio generation queued', 'Queued', AudioRecord, {
      example: exampleQueuedAudio,
      headers: { Location: 'URL of the status' },
    }),
    ...reply(200, 'Audio already ready', 'Unchanged since the last accepted request; nothing was queued', AudioRecord, {
      example: exampleReadyAudio,
      headers: { Location: 'URL of the status' },
    }),
  },
  errors: ['post_quota_exceeded', 'queue_full', 'disk_space_low'],
});

const statusesSpec = endpointSpec({
  summary: 'Get the status of up to 100 posts',
  ...byKey,
  query: StatusesQuery,
  cacheControl,
  responses: {
    ...reply(200, 'OK', 'An audio record for each requested post; `status` is null for unknown posts', AudioRecords, {
      example: { items: [exampleReadyAudio, { post_id: 'news/4712', status: null }] },
    }),
    304: notModified,
  },
});

const statusSpec = endpointSpec({
  summary: 'Get the status of a post',
  ...byKey,
  params: PostParams,
  query: StatusQuery,
  cacheControl,
  responses: {
    ...reply(200, 'OK', 'The audio record', AudioRecord, { example: exampleReadyAudio }),
    304: notModified,
  },
  errors: ['post_not_found'],
});

const deleteSpec = endpointSpec({
  summary: 'Delete the audio of a post',
  description:
    'Deletes all voices, MP3s and sentences, in one language or in all. The MP3 URLs return 410 at once. A later generate request creates a new record. Editors can restore a post without a language left for a time.',
  ...byKey,
  params: PostParams,
  query: StatusQuery,
  responses: reply(200, 'Audio deleted', 'The deleted languages', DeletedPost, {
    example: { post_id: 'news/4711', languages: ['de', 'en'] },
  }),
  errors: ['post_not_found'],
});

/** Audio of posts, for content management systems. */
export function audioRoutes(services: Services) {
  const { endpoint, database, catalog, postDeletion, baseUrl, config } = services;
  return new Elysia({ name: 'audio', prefix: '/v1/audio' })
    .post(
      '/generate',
      ...endpoint(generateSpec, async ({ request, site, body }) => {
        const input = parseGenerateRequest(body, config.maxContentLength);
        const voice = await chooseVoice(catalog, site, input);
        warnOfContent(request, site, input, voice);
        const { audio, message, queued } = await database.write(site.id, (db) =>
          submitPost(db, services, { site, voice, request: input }),
        );
        const record = toAudioRecord(audio, baseUrl);
        return Response.json(envelope(message, record), {
          status: queued ? 202 : 200,
          headers: { location: statusUrl(baseUrl, record.post_id, record.language) },
        });
      }),
    )
    .get(
      '/status',
      ...endpoint(statusesSpec, async ({ site, query }) => {
        const language = await requestedLanguage(catalog, query);
        const postIds = [...new Set(query.post_id)];
        const audios = await listAudioSummaries(database.read, site.id, postIds, language);
        const audioByPost = new Map(audios.map((audio) => [audio.external_id, audio]));
        const items = postIds.map((postId) => {
          const audio = audioByPost.get(postId);
          return audio === undefined ? { post_id: postId, status: null } : toAudioRecord(audio, baseUrl);
        });
        return { items };
      }),
    )
    .get(
      '/:post_id/status',
      ...endpoint(statusSpec, async ({ site, params, query }) => {
        const language = await requestedLanguage(catalog, query);
        const audio = await findAudioSummary(database.read, site.id, params.post_id, language);
        if (audio === undefined) throw await buildPostNotFound(database.read, site.id, params.post_id, language);
        return toAudioRecord(audio, baseUrl);
      }),
    )
    .delete(
      '/:post_id',
      ...endpoint(deleteSpec, async ({ site, params: { post_id }, query }) => {
        const language = parseLanguage(query);
        const languages = await database.write(site.id, (db) =>
          postDeletion.deletePost(db, site.id, post_id, language ?? null),
        );
        if (languages.length > 0) return { post_id, languages };
        // Checked only now: audio in a language without a voice can be deleted, too.
        if (language === undefined) throw new AppError('post_not_found');
        await checkLanguage(catalog, language);
        throw await buildPostNotFound(database.read, site.id, post_id, language);
      }),
    );
}

const etagHeader = { ETag: 'For `If-None-Match`' };
const publicAccess = {
  tag: 'Public',
  access: 'domain',
  cacheControl: getCacheControl,
  errors: ['post_not_found'],
} as const;

const publicStatusSpec = endpointSpec({
  summary: 'Get the public status of a post',
  description:
    'Same record as the status route of an API key. Private posts and posts with a future `publish_at` are not found.',
  ...publicAccess,
  query: PublicStatusQuery,
  responses: {
    ...reply(200, 'OK', 'The audio record', AudioRecord, { example: exampleReadyAudio, headers: etagHeader }),
    304: notModified,
  },
});

const audioSpec = endpointSpec({
  summary: 'Get the public audio of a post',
  description:
    'Selected by `post_id` or by the URL of the page. If several posts have the same URL, the newest is returned.',
  ...publicAccess,
  query: PublicAudioQuery,
  responses: {
    ...reply(200, 'OK', 'The audio and its variants', PublicAudio, {
      example: {
        ...exampleReadyAudio,
        ...toTitleFields('Harbor town reopens its lighthouse'),
        ...toUrlFields('https://www.example.org/news/4711'),
        voice: { id: 1, name: 'Aspen', language: 'en' },
        segments_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.json',
        last_ready: null,
        variants: [
          {
            language: 'en',
            voice: { id: 2, name: 'Cedar', language: 'en' },
            audio_url: 'https://audio.example.org/v1/media/Yc2vUe9QpR4sT7wX1zB5nM8k.mp3',
            duration_seconds: 149,
            segments_url: 'https://audio.example.org/v1/media/Yc2vUe9QpR4sT7wX1zB5nM8k.json',
          },
        ],
        player: defaultPlayerSettings,
      },
      headers: etagHeader,
    }),
    304: notModified,
  },
});

/** Audio for pages and players, by a domain of the site. */
export function publicAudioRoutes({ endpoint, database, catalog, preflight, baseUrl }: Services) {
  return new Elysia({ name: 'public-audio' })
    .get(
      '/v1/public/audio/status',
      ...endpoint(publicStatusSpec, async ({ site, query }) => {
        const language = await requestedLanguage(catalog, query);
        const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found');
        return toAudioRecord(audio, baseUrl);
      }),
    )
    .options('/v1/public/audio/status', ({ request }) => preflight(request, 'GET, HEAD'))
    .get(
      '/v1/public/audio',
      ...endpoint(audioSpec, async ({ site, query }) => {
        const selector = await parseSelector(catalog, site, query);
        const audio = await findPublicAudio(database.read, selector);
        if (audio === undefined) throw new AppError('post_not_found');
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

const contentType = 'text/event-stream';
/** A client that was disconnected connects again after this time. */
const retryMs = 3_000;

function listMembers({ properties }: TObject): string {
  return Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}

const description = `Server-sent events, at most a second after the change, until the client disconnects or loses its access:

- \`audio\`: an audio that changed: ${listMembers(LiveAudio)}. \`progress\` is 0 to 1, \`queue_position\` that of the 50 next ones, \`seconds_left\` an estimate.
- \`counts\`: the posts in each state, first and when they change: ${listMembers(PostCounts)}.
- \`resync\`: events are missing, as after a new connection with \`Last-Event-ID\`. Load the data again.

A comment follows every 15 seconds. The number of listeners is limited for each site.`;

const example = `retry: ${retryMs}

event: counts
data: {"all":120,"ready":117,"generating":2,"failed":1,"private":3,"deleted":2,"scheduled":4}
id: 1

event: audio
data: {"post_id":"news/4711","language":"en","voice_id":1,"main":true,"status":"generating","progress":0.62,"queue_position":null,"seconds_left":4,"error":null}
id: 2

`;

const stream = {
  tag: 'Posts',
  description,
  responses: {
    200: {
      description: 'The events',
      content: { type: contentType, schema: Type.String(), example },
      headers: { 'Cache-Control': 'private, no-store' },
    },
  },
  errors: ['too_many_listeners'],
} as const;

const siteSpec = endpointSpec({
  ...stream,
  summary: 'Listen to changes of a site',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
});

const keySpec = endpointSpec({
  ...stream,
  summary: 'Listen to changes of audio',
  ...byKey,
});

/** Live updates, for the dashboard and for content management systems. */
export function liveRoutes(services: Services) {
  const { endpoint, requireSession, requireApiKey } = services;
  return new Elysia({ name: 'live updates' })
    .get(
      '/v1/sites/:site/live',
      ...endpoint(siteSpec, async ({ request, site, params }) =>
        openStream(services, request, site.id, () =>
          requireSession.site(request, params.site, 'viewer', { isPassive: true }),
        ),
      ),
    )
    .get(
      '/v1/audio/events',
      ...endpoint(keySpec, async ({ request, site }) =>
        openStream(services, request, site.id, () => requireApiKey(request, { budget: null })),
      ),
    );
}

function openStream(
  { liveUpdates, liveLimiter, log }: Services,
  request: Request,
  siteId: number,
  checkAccess: () => Promise<unknown>,
): Response {
  const headers = {
    'content-type': contentType,
    'cache-control': 'private, no-store',
    // Else nginx buffers the events.
    'x-accel-buffering': 'no',
  };
  if (request.method === 'HEAD') return new Response(null, { headers });
  const releaseSlot = liveLimiter.acquireSlot(siteId);
  const listener = liveUpdates.subscribe(siteId, () => passes(checkAccess));
  const end = (): void => {
    listener.end();
    releaseSlot();
  };
  request.signal.addEventListener('abort', end);
  // No event follows where the client went away before.
  if (request.signal.aborted) end();
  const resync = request.headers.has('last-event-id') ? resyncEvent() : '';
  const first = new TextEncoder().encode(`retry: ${retryMs}\n\n${resync}`);
  const body = streamBody(first, listener.read(), 1, (error) => {
    end();
    if (error !== undefined) log.error({ err: error, site: siteId }, 'live updates failed');
  });
  return new Response(body, { headers });
}
