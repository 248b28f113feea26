import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../../auth/audit-log.ts';
import type { RequireSession } from '../../auth/sessions.ts';
import type { Queries } from '../../database/open.ts';
import type { Audio, Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../../http/endpoint.ts';
import { decodeCursor, paginate } from '../../http/pagination.ts';
import { readJsonBody } from '../../http/request-body.ts';
import { parseQuery } from '../../http/validation.ts';
import { parseLanguage } from '../choose-voice.ts';
import type { PostDeletion } from '../deletion.ts';
import { AudioRecord, DeletedPost, GenerateBody } from '../schema.ts';
import { findAudio, toAudioRecord } from '../store.ts';
import { type GenerateRequest, parseGenerateRequest, type SubmitDeps, submitPost } from '../submit.ts';
import {
  PostDetail,
  PostLanguageQuery,
  PostPage,
  PostsQuery,
  RetriedPost,
  SiteParams,
  SitePostParams,
} from './schema.ts';
import { buildPostDetail, buildPostRecords, findPost, listFailedAudios, listPosts, type PostRow } from './store.ts';

export interface PostDeps extends SubmitDeps {
  readonly requireSession: RequireSession;
  readonly postDeletion: Pick<PostDeletion, 'deletePost' | 'afterCommit'>;
  readonly baseUrl: string;
  readonly limits: SubmitDeps['limits'] & {
    readonly maxContentLength: number;
    readonly maxBodyBytes: number;
  };
  /** @throws AppError `not_allowed` when nothing may be made for a site just now */
  readonly requireActiveSubscription: (site: Site) => void;
}

const exampleAudio = {
  id: 1,
  post_id: 'news/4711',
  status: 'ready',
  progress_percent: 100,
  audio_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.mp3',
  duration_seconds: 151,
  language: 'en',
  voice_id: 1,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:20.000Z',
};
const queuedAudio = {
  ...exampleAudio,
  status: 'pending',
  progress_percent: 0,
  audio_url: null,
  duration_seconds: null,
};
const examplePost = {
  post_id: 'news/4711',
  title: 'Harbor town reopens its lighthouse',
  url: 'https://www.example.org/news/4711',
  visibility: 'public',
  publish_at: null,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

const listOperation = endpointSpec({
  summary: 'List posts',
  description:
    'Newest first. `status` and `language` filter by the audio of a post; each item has all of its languages.',
  tag: 'Posts',
  access: 'session',
  params: SiteParams,
  query: PostsQuery,
  responses: {
    200: {
      description: 'A page of posts',
      message: 'OK',
      data: PostPage,
      example: { items: [{ ...examplePost, audio: [exampleAudio] }], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const showOperation = endpointSpec({
  summary: 'Get a post',
  description: 'Includes its text and its audio in all languages and voices.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  responses: {
    200: {
      description: 'The post',
      message: 'OK',
      data: PostDetail,
      example: {
        ...examplePost,
        audio: [
          {
            ...exampleAudio,
            main: true,
            title: examplePost.title,
            content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
            voice: { id: 1, name: 'Alder', language: 'en' },
            segments_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.json',
            last_ready: null,
          },
        ],
      },
    },
  },
  errors: ['not_found', 'post_not_found'],
});

const createOperation = endpointSpec({
  summary: 'Create a post',
  description:
    'Requires the editor role; available on every plan. Same body, rules and monthly quota as `POST /v1/audio/generate`. 403 if the site is inactive or its subscription or trial has ended.',
  tag: 'Posts',
  access: 'session',
  params: SiteParams,
  body: GenerateBody,
  bodyExample: {
    post_id: 'news/4711',
    post_title: 'Harbor town reopens its lighthouse',
    content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
  },
  responses: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: AudioRecord,
      example: queuedAudio,
      headers: { Location: 'URL of the post' },
    },
    200: {
      description: 'Unchanged since the last accepted request; nothing was queued',
      message: 'Audio already ready',
      data: AudioRecord,
      example: exampleAudio,
      headers: { Location: 'URL of the post' },
    },
  },
  errors: ['not_found', 'not_allowed', 'plan_restriction', 'post_quota_exceeded', 'queue_full'],
});

const retryOperation = endpointSpec({
  summary: 'Retry failed audio',
  description:
    'Requires the editor role. In the given language, or in all failed languages. A missing voice is replaced by the default voice of the language.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: PostLanguageQuery,
  responses: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: RetriedPost,
      example: { items: [queuedAudio] },
    },
  },
  errors: [
    'not_found',
    'post_not_found',
    'not_allowed',
    'conflict',
    'plan_restriction',
    'post_quota_exceeded',
    'queue_full',
  ],
});

const deleteOperation = endpointSpec({
  summary: 'Delete a post',
  description:
    'Requires the editor role. In the given language, or in all languages. Its MP3 URLs return 410 at once. The post still counts against the quota of its month.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: PostLanguageQuery,
  responses: {
    200: {
      description: 'The deleted languages',
      message: 'Audio deleted',
      data: DeletedPost,
      example: { post_id: 'news/4711', languages: ['en'] },
    },
  },
  errors: ['not_found', 'post_not_found', 'not_allowed'],
});

/** The posts of a site, as its people see and handle them. */
export function postRoutes(deps: PostDeps) {
  const { database, requireSession, baseUrl, limits, postDeletion: removal } = deps;
  const found = async (site: Site, postId: string): Promise<PostRow> => {
    const post = await findPost(database.read, site.id, postId);
    if (post === undefined) throw new AppError('post_not_found', 'Post not found');
    return post;
  };
  return new Elysia({ name: 'posts', prefix: '/v1/sites/:site/posts' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        const query = parseQuery(PostsQuery, request);
        const { limit, after } = decodeCursor(query, Type.Integer());
        const posts = await listPosts(database.read, {
          siteId: site.id,
          search: query.q,
          status: query.status,
          language: parseLanguage(query),
          visibility: query.visibility,
          before: after,
          limit: limit + 1,
        });
        const page = paginate(
          posts,
          limit,
          ({ id }) => id,
          (post) => post,
        );
        const items = await buildPostRecords(database.read, page.items, baseUrl);
        return envelope('OK', { items, next_cursor: page.next_cursor });
      },
      toEndpointHook(listOperation),
    )
    .post(
      '',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        deps.requireActiveSubscription(site);
        const body = await readJsonBody(request, limits.maxBodyBytes);
        const asked = parseGenerateRequest(body, limits.maxContentLength);
        const { queued, message, audio } = await submitPost(deps, site, asked, (db, { audio }) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'post.queued', siteId: site.id, subject: asked.postId },
            after: { language: audio.language, voice_id: audio.voice_id, title: asked.title },
          }),
        );
        const location = `${baseUrl}/v1/sites/${site.id}/posts/${encodeURIComponent(asked.postId)}`;
        return Response.json(envelope(message, toAudioRecord(audio, baseUrl)), {
          status: queued ? 202 : 200,
          headers: { location },
        });
      },
      toEndpointHook(createOperation),
    )
    .get(
      '/:post_id',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        const post = await found(site, params.post_id);
        return envelope('OK', await buildPostDetail(database.read, post, baseUrl));
      },
      toEndpointHook(showOperation),
    )
    .delete(
      '/:post_id',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        const language = parseLanguage(parseQuery(PostLanguageQuery, request)) ?? null;
        const { post_id } = params;
        const languages = await removal.deletePost(site.id, post_id, language, (db, languages) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'post.deleted', siteId: site.id, subject: post_id },
            before: { languages },
          }),
        );
        if (languages.length === 0) throw new AppError('post_not_found', 'Post not found');
        return envelope('Audio deleted', { post_id, languages });
      },
      toEndpointHook(deleteOperation),
    )
    .post(
      '/:post_id/retry',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        deps.requireActiveSubscription(site);
        const language = parseLanguage(parseQuery(PostLanguageQuery, request));
        const post = await found(site, params.post_id);
        const failed = await listFailedAudios(database.read, post.id, language);
        if (failed.length === 0) throw new AppError('conflict', 'No failed audio for this post');
        const items: AudioRecord[] = [];
        for (const audio of failed) {
          const asked = await buildRetryRequest(deps, post, audio);
          const accepted = await submitPost(deps, site, asked, async (db) => {
            await checkUnchanged(db, audio);
            await insertAuditEntry(db, {
              ...{ userId: user.id, action: 'post.retried', siteId: site.id },
              subject: post.external_id,
              before: { language: audio.language, error: audio.error },
            });
          });
          items.push(toAudioRecord(accepted.audio, baseUrl));
        }
        return Response.json(envelope('Audio generation queued', { items }), { status: 202 });
      },
      toEndpointHook(retryOperation),
    );
}

/** Undoes a retry that would put an older text in the place of one handed in meanwhile. */
async function checkUnchanged(db: Queries, failed: Audio): Promise<void> {
  const now = await findAudio(db, failed.post_id, failed.language);
  if (now?.generation === failed.generation + 1) return;
  throw new AppError('conflict', 'The post was modified concurrently');
}

async function buildRetryRequest(
  { catalog }: PostDeps,
  post: PostRow,
  { content, title, voice_id, language, priority }: Audio,
): Promise<GenerateRequest> {
  const voice = await catalog.find(voice_id);
  const isUsable = voice?.enabled === 1;
  return {
    postId: post.external_id,
    ...{ content, title, language, priority },
    post: {},
    voiceId: isUsable ? voice_id : null,
  };
}
