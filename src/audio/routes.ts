import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, reply } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { checkLanguage, parseLanguage, requestedLanguage } from './choose-voice.ts';
import {
  AudioRecord,
  AudioRecords,
  DeletedPost,
  exampleQueuedAudio,
  exampleReadyAudio,
  GenerateBody,
  PostParams,
  StatusesQuery,
  StatusQuery,
} from './schema.ts';
import { findAudioSummary, listAudioSummaries, statusUrl, toAudioRecord } from './store.ts';
import { parseGenerateRequest, submitPost } from './submit.ts';

const cacheControl = 'private, no-cache';

const generateSpec = endpointSpec({
  summary: 'Generate audio for a post',
  tag: 'Audio',
  access: 'key',
  body: GenerateBody,
  bodyExample: {
    post_id: 'news/4711',
    post_title: 'Harbor town reopens its lighthouse',
    post_url: 'https://www.example.org/news/4711',
    content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
  },
  bodyHandling: 'unchecked',
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
  errors: ['post_quota_exceeded', 'queue_full'],
});

const statusesSpec = endpointSpec({
  summary: 'Get the status of up to 100 posts',
  tag: 'Audio',
  access: 'key',
  query: StatusesQuery,
  cacheControl,
  responses: {
    ...reply(200, 'OK', 'An audio record for each requested post; `status` is null for unknown posts', AudioRecords, {
      example: { items: [exampleReadyAudio, { post_id: 'news/4712', status: null }] },
    }),
    304: { description: 'Not modified' },
  },
});

const statusSpec = endpointSpec({
  summary: 'Get the status of a post',
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  cacheControl,
  responses: {
    ...reply(200, 'OK', 'The audio record', AudioRecord, { example: exampleReadyAudio }),
    304: { description: 'Not modified' },
  },
  errors: ['post_not_found'],
});

const deleteSpec = endpointSpec({
  summary: 'Delete the audio of a post',
  description:
    'Deletes all voices, MP3s and sentences, in one language or in all. The MP3 URLs return 410 at once. A later generate request creates a new record.',
  tag: 'Audio',
  access: 'key',
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
      ...endpoint(generateSpec, async ({ site, body }) => {
        const input = parseGenerateRequest(body, config.maxContentLength);
        const { audio, message, queued } = await submitPost(services, site, input);
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
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        return toAudioRecord(audio, baseUrl);
      }),
    )
    .delete(
      '/:post_id',
      ...endpoint(deleteSpec, async ({ site, params: { post_id }, query }) => {
        const language = parseLanguage(query);
        const languages = await postDeletion.deletePost(site.id, post_id, language ?? null);
        if (languages.length > 0) return { post_id, languages };
        // Checked only now: audio in a language without a voice can be deleted, too.
        if (language !== undefined) await checkLanguage(catalog, language);
        throw new AppError('post_not_found', 'Post not found');
      }),
    );
}
