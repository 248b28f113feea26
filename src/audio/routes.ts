import { Elysia } from 'elysia';
import type { KeyAccess } from '../auth/api-keys.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { conditionalAnswer } from '../http/static-assets.ts';
import { readQuery } from '../http/validation.ts';
import { askedLanguage, checkLanguage, namedLanguage } from './choose-voice.ts';
import type { Removal } from './deletion.ts';
import {
  AudioRecord,
  AudioRecords,
  DeletedPost,
  GenerateBody,
  PostParams,
  StatusesQuery,
  StatusQuery,
} from './schema.ts';
import { audioRecord, findView, findViews, statusUrl } from './store.ts';
import { type HandInDeps, handIn, readGenerateRequest } from './submit.ts';

const cacheControl = 'private, no-cache';

export interface AudioDeps extends HandInDeps {
  readonly byKey: KeyAccess;
  readonly removal: Pick<Removal, 'deletePost' | 'settle'>;
  readonly baseUrl: string;
  readonly limits: HandInDeps['limits'] & {
    readonly contentLengthMax: number;
    readonly bodyByteMax: number;
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

const generateOperation = described({
  summary: 'Queue the generation of a post',
  tag: 'Audio',
  access: 'key',
  body: GenerateBody,
  bodyExample: {
    post_id: 'news/4711',
    post_title: 'Harbor town reopens its lighthouse',
    post_url: 'https://www.example.org/news/4711',
    content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
  },
  answers: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: AudioRecord,
      example: exampleRecord,
      headers: { Location: 'Address of the status' },
    },
    200: {
      description: 'Nothing changed since the newest accepted request: nothing is queued',
      message: 'Audio already ready',
      data: AudioRecord,
      example: readyRecord,
      headers: { Location: 'Address of the status' },
    },
  },
  errors: ['post_quota_exceeded', 'queue_full'],
});

const statusesOperation = described({
  summary: 'Status of up to 100 posts',
  tag: 'Audio',
  access: 'key',
  query: StatusesQuery,
  answers: {
    200: {
      description: 'A record, or a null status, for each post asked for',
      message: 'OK',
      data: AudioRecords,
      example: { items: [readyRecord, { post_id: 'news/4712', status: null }] },
    },
    304: { description: 'Unchanged since the ETag that was sent' },
  },
});

const statusOperation = described({
  summary: 'Status of a post',
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  answers: {
    200: {
      description: 'The audio record',
      message: 'OK',
      data: AudioRecord,
      example: readyRecord,
    },
    304: { description: 'Unchanged since the ETag that was sent' },
  },
  errors: ['post_not_found'],
});

const deleteOperation = described({
  summary: 'Delete the audio of a post',
  description:
    'In one language, or in all: every voice, MP3 and sentence. Their addresses answer 410 at once. A later generate makes a new record.',
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  answers: {
    200: {
      description: 'Deleted, in these languages',
      message: 'Audio deleted',
      data: DeletedPost,
      example: { post_id: 'news/4711', languages: ['de', 'en'] },
    },
  },
  errors: ['post_not_found'],
});

/** The main job: hand an article in, ask how far it is, take it back. */
export function audioRoutes(deps: AudioDeps) {
  const { database, catalog, removal, byKey, baseUrl, limits } = deps;
  return new Elysia({ name: 'audio', prefix: '/v1/audio' })
    .post(
      '/generate',
      async ({ request }) => {
        // Credentials first: whoever has none learns nothing about the body.
        const site = await byKey(request);
        const body = await readJsonBody(request, limits.bodyByteMax);
        const asked = readGenerateRequest(body, limits.contentLengthMax);
        const accepted = await handIn(deps, site, asked);
        const record = audioRecord(accepted.audio, baseUrl);
        return Response.json(envelope(accepted.message, record), {
          status: accepted.queued ? 202 : 200,
          headers: { location: statusUrl(baseUrl, record.post_id, record.language) },
        });
      },
      generateOperation,
    )
    .get(
      '/status',
      async ({ request }) => {
        const site = await byKey(request);
        const query = readQuery(StatusesQuery, request);
        const language = await askedLanguage(catalog, query);
        const postIds = [...new Set(query.post_id)];
        const found = await findViews(database.read, site.id, postIds, language);
        const byPost = new Map(found.map((audio) => [audio.external_id, audio]));
        const items = postIds.map((postId) => {
          const audio = byPost.get(postId);
          return audio === undefined
            ? { post_id: postId, status: null }
            : audioRecord(audio, baseUrl);
        });
        return conditionalAnswer(request, envelope('OK', { items }), cacheControl);
      },
      statusesOperation,
    )
    .get(
      '/:post_id/status',
      async ({ request, params }) => {
        const site = await byKey(request);
        const language = await askedLanguage(catalog, readQuery(StatusQuery, request));
        const audio = await findView(database.read, site.id, params.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        const body = envelope('OK', audioRecord(audio, baseUrl));
        return conditionalAnswer(request, body, cacheControl);
      },
      statusOperation,
    )
    .delete(
      '/:post_id',
      async ({ request, params: { post_id } }) => {
        const site = await byKey(request);
        const language = namedLanguage(readQuery(StatusQuery, request));
        const languages = await removal.deletePost(site.id, post_id, language ?? null);
        if (languages.length === 0) {
          // Only now: what was made in a voice that is gone must go too.
          if (language !== undefined) await checkLanguage(catalog, language);
          throw new AppError('post_not_found', 'Post not found');
        }
        return envelope('Audio deleted', { post_id, languages });
      },
      deleteOperation,
    );
}
