import { Elysia } from 'elysia';
import type { RequireApiKey } from '../auth/api-keys.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { conditionalJsonResponse } from '../http/static-assets.ts';
import { parseQuery } from '../http/validation.ts';
import { checkLanguage, parseLanguage, requestedLanguage } from './choose-voice.ts';
import type { PostDeletion } from './deletion.ts';
import {
  AudioRecord,
  AudioRecords,
  DeletedPost,
  GenerateBody,
  PostParams,
  StatusesQuery,
  StatusQuery,
} from './schema.ts';
import { findAudioSummary, listAudioSummaries, statusUrl, toAudioRecord } from './store.ts';
import { parseGenerateRequest, type SubmitDeps, submitPost } from './submit.ts';

const cacheControl = 'private, no-cache';

export interface AudioDeps extends SubmitDeps {
  readonly requireApiKey: RequireApiKey;
  readonly postDeletion: Pick<PostDeletion, 'deletePost' | 'afterCommit'>;
  readonly baseUrl: string;
  readonly limits: SubmitDeps['limits'] & {
    readonly maxContentLength: number;
    readonly maxBodyBytes: number;
  };
}

const exampleRecord = {
  id: 1,
  post_id: 'news/4711',
  status: 'pending',
  progress_percent: 0,
  audio_url: null,
  duration_seconds: null,
  language: 'en',
  voice_id: 1,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};
const readyRecord = {
  ...exampleRecord,
  status: 'ready',
  progress_percent: 100,
  audio_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.mp3',
  duration_seconds: 151,
};

const generateOperation = endpointSpec({
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
  responses: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: AudioRecord,
      example: exampleRecord,
      headers: { Location: 'URL of the status' },
    },
    200: {
      description: 'Unchanged since the last accepted request; nothing was queued',
      message: 'Audio already ready',
      data: AudioRecord,
      example: readyRecord,
      headers: { Location: 'URL of the status' },
    },
  },
  errors: ['post_quota_exceeded', 'queue_full'],
});

const statusesOperation = endpointSpec({
  summary: 'Get the status of up to 100 posts',
  tag: 'Audio',
  access: 'key',
  query: StatusesQuery,
  responses: {
    200: {
      description: 'An audio record for each requested post; `status` is null for unknown posts',
      message: 'OK',
      data: AudioRecords,
      example: { items: [readyRecord, { post_id: 'news/4712', status: null }] },
    },
    304: { description: 'Not modified' },
  },
});

const statusOperation = endpointSpec({
  summary: 'Get the status of a post',
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  responses: {
    200: {
      description: 'The audio record',
      message: 'OK',
      data: AudioRecord,
      example: readyRecord,
    },
    304: { description: 'Not modified' },
  },
  errors: ['post_not_found'],
});

const deleteOperation = endpointSpec({
  summary: 'Delete the audio of a post',
  description:
    'Deletes all voices, MP3s and sentences, in one language or in all. The MP3 URLs return 410 at once. A later generate request creates a new record.',
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  responses: {
    200: {
      description: 'The deleted languages',
      message: 'Audio deleted',
      data: DeletedPost,
      example: { post_id: 'news/4711', languages: ['de', 'en'] },
    },
  },
  errors: ['post_not_found'],
});

/** The main job: hand an article in, ask how far it is, take it back. */
export function audioRoutes(deps: AudioDeps) {
  const { database, catalog, postDeletion: removal, requireApiKey, baseUrl, limits } = deps;
  return new Elysia({ name: 'audio', prefix: '/v1/audio' })
    .post(
      '/generate',
      async ({ request }) => {
        // Credentials first: whoever has none learns nothing about the body.
        const site = await requireApiKey(request);
        const body = await readJsonBody(request, limits.maxBodyBytes);
        const asked = parseGenerateRequest(body, limits.maxContentLength);
        const accepted = await submitPost(deps, site, asked);
        const record = toAudioRecord(accepted.audio, baseUrl);
        return Response.json(envelope(accepted.message, record), {
          status: accepted.queued ? 202 : 200,
          headers: { location: statusUrl(baseUrl, record.post_id, record.language) },
        });
      },
      toEndpointHook(generateOperation),
    )
    .get(
      '/status',
      async ({ request }) => {
        const site = await requireApiKey(request);
        const query = parseQuery(StatusesQuery, request);
        const language = await requestedLanguage(catalog, query);
        const postIds = [...new Set(query.post_id)];
        const found = await listAudioSummaries(database.read, site.id, postIds, language);
        const byPost = new Map(found.map((audio) => [audio.external_id, audio]));
        const items = postIds.map((postId) => {
          const audio = byPost.get(postId);
          return audio === undefined ? { post_id: postId, status: null } : toAudioRecord(audio, baseUrl);
        });
        return conditionalJsonResponse(request, envelope('OK', { items }), cacheControl);
      },
      toEndpointHook(statusesOperation),
    )
    .get(
      '/:post_id/status',
      async ({ request, params }) => {
        const site = await requireApiKey(request);
        const language = await requestedLanguage(catalog, parseQuery(StatusQuery, request));
        const audio = await findAudioSummary(database.read, site.id, params.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        const body = envelope('OK', toAudioRecord(audio, baseUrl));
        return conditionalJsonResponse(request, body, cacheControl);
      },
      toEndpointHook(statusOperation),
    )
    .delete(
      '/:post_id',
      async ({ request, params: { post_id } }) => {
        const site = await requireApiKey(request);
        const language = parseLanguage(parseQuery(StatusQuery, request));
        const languages = await removal.deletePost(site.id, post_id, language ?? null);
        if (languages.length === 0) {
          // Only now: what was made in a voice that is gone must go too.
          if (language !== undefined) await checkLanguage(catalog, language);
          throw new AppError('post_not_found', 'Post not found');
        }
        return envelope('Audio deleted', { post_id, languages });
      },
      toEndpointHook(deleteOperation),
    );
}
