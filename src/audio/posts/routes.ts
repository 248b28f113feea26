import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit } from '../../auth/audit-log.ts';
import type { SessionAccess } from '../../auth/sessions.ts';
import type { Queries } from '../../database/open.ts';
import type { Audio, Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { described, envelope } from '../../http/endpoint.ts';
import { pageFrom, startOfPage } from '../../http/pagination.ts';
import { readJsonBody } from '../../http/request-body.ts';
import { readQuery } from '../../http/validation.ts';
import { namedLanguage } from '../choose-voice.ts';
import type { Removal } from '../deletion.ts';
import { AudioRecord, DeletedPost, GenerateBody } from '../schema.ts';
import { audioRecord, findAudio } from '../store.ts';
import { type GenerateRequest, type HandInDeps, handIn, readGenerateRequest } from '../submit.ts';
import {
  PostDetail,
  PostLanguageQuery,
  PostPage,
  PostsQuery,
  RetriedPost,
  SiteOfPosts,
  SitePostParams,
} from './schema.ts';
import {
  failedAudios,
  findPost,
  listPosts,
  type PostRow,
  postDetail,
  postRecords,
} from './store.ts';

export interface PostDeps extends HandInDeps {
  readonly bySession: SessionAccess;
  readonly removal: Pick<Removal, 'deletePost' | 'settle'>;
  readonly baseUrl: string;
  readonly limits: HandInDeps['limits'] & {
    readonly contentLengthMax: number;
    readonly bodyByteMax: number;
  };
  /** @throws AppError `not_allowed` when nothing may be made for a site just now */
  readonly checkServed: (site: Site) => void;
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

const listOperation = described({
  summary: 'Posts of a site',
  description:
    'Newest first. `status` and `language` choose posts that have such an audio; each post shows all of its languages.',
  tag: 'Posts',
  access: 'session',
  params: SiteOfPosts,
  query: PostsQuery,
  answers: {
    200: {
      description: 'A page of posts',
      message: 'OK',
      data: PostPage,
      example: { items: [{ ...examplePost, audio: [exampleAudio] }], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const showOperation = described({
  summary: 'One post',
  description: 'With its text and every language and voice of it.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  answers: {
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

const createOperation = described({
  summary: 'Hand a post in',
  description:
    'For editors, on every plan. Takes what `POST /v1/audio/generate` takes, by the same rules and the same monthly quota. A site that is inactive, or whose subscription or trial is over, gets 403.',
  tag: 'Posts',
  access: 'session',
  params: SiteOfPosts,
  body: GenerateBody,
  bodyExample: {
    post_id: 'news/4711',
    post_title: 'Harbor town reopens its lighthouse',
    content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
  },
  answers: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: AudioRecord,
      example: queuedAudio,
      headers: { Location: 'Address of the post' },
    },
    200: {
      description: 'Nothing changed since the newest accepted request: nothing is queued',
      message: 'Audio already ready',
      data: AudioRecord,
      example: exampleAudio,
      headers: { Location: 'Address of the post' },
    },
  },
  errors: ['not_found', 'not_allowed', 'plan_restriction', 'post_quota_exceeded', 'queue_full'],
});

const retryOperation = described({
  summary: 'Try again what failed',
  description:
    'For editors: in the named language, or in all that failed. A voice that is gone is replaced by the usual one of the language.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: PostLanguageQuery,
  answers: {
    202: {
      description: 'Queued again',
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

const deleteOperation = described({
  summary: 'Delete a post',
  description:
    'For editors: in the named language, or wholly. Its MP3 addresses answer 410 at once. It stays counted in its month.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: PostLanguageQuery,
  answers: {
    200: {
      description: 'Deleted, in these languages',
      message: 'Audio deleted',
      data: DeletedPost,
      example: { post_id: 'news/4711', languages: ['en'] },
    },
  },
  errors: ['not_found', 'post_not_found', 'not_allowed'],
});

/** The posts of a site, as its people see and handle them. */
export function postRoutes(deps: PostDeps) {
  const { database, bySession, baseUrl, limits, removal } = deps;
  const found = async (site: Site, postId: string): Promise<PostRow> => {
    const post = await findPost(database.read, site.id, postId);
    if (post === undefined) throw new AppError('post_not_found', 'Post not found');
    return post;
  };
  return new Elysia({ name: 'posts', prefix: '/v1/sites/:site/posts' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const query = readQuery(PostsQuery, request);
        const { limit, after } = startOfPage(query, Type.Integer());
        const posts = await listPosts(database.read, {
          siteId: site.id,
          search: query.q,
          status: query.status,
          language: namedLanguage(query),
          visibility: query.visibility,
          before: after,
          most: limit + 1,
        });
        const page = pageFrom(
          posts,
          limit,
          ({ id }) => id,
          (post) => post,
        );
        const items = await postRecords(database.read, page.items, baseUrl);
        return envelope('OK', { items, next_cursor: page.next_cursor });
      },
      listOperation,
    )
    .post(
      '',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        deps.checkServed(site);
        const body = await readJsonBody(request, limits.bodyByteMax);
        const asked = readGenerateRequest(body, limits.contentLengthMax);
        const { queued, message, audio } = await handIn(deps, site, asked, (db, { audio }) =>
          audit(db, {
            ...{ userId: user.id, action: 'post.queued', siteId: site.id, subject: asked.postId },
            after: { language: audio.language, voice_id: audio.voice_id, title: asked.title },
          }),
        );
        const location = `${baseUrl}/v1/sites/${site.id}/posts/${encodeURIComponent(asked.postId)}`;
        return Response.json(envelope(message, audioRecord(audio, baseUrl)), {
          status: queued ? 202 : 200,
          headers: { location },
        });
      },
      createOperation,
    )
    .get(
      '/:post_id',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const post = await found(site, params.post_id);
        return envelope('OK', await postDetail(database.read, post, baseUrl));
      },
      showOperation,
    )
    .delete(
      '/:post_id',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const language = namedLanguage(readQuery(PostLanguageQuery, request)) ?? null;
        const { post_id } = params;
        const languages = await removal.deletePost(site.id, post_id, language, (db, languages) =>
          audit(db, {
            ...{ userId: user.id, action: 'post.deleted', siteId: site.id, subject: post_id },
            before: { languages },
          }),
        );
        if (languages.length === 0) throw new AppError('post_not_found', 'Post not found');
        return envelope('Audio deleted', { post_id, languages });
      },
      deleteOperation,
    )
    .post(
      '/:post_id/retry',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        deps.checkServed(site);
        const language = namedLanguage(readQuery(PostLanguageQuery, request));
        const post = await found(site, params.post_id);
        const failed = await failedAudios(database.read, post.id, language);
        if (failed.length === 0) throw new AppError('conflict', 'Nothing of this post has failed');
        const items: AudioRecord[] = [];
        for (const audio of failed) {
          const asked = await requestAgain(deps, post, audio);
          const accepted = await handIn(deps, site, asked, async (db) => {
            await checkUnchanged(db, audio);
            await audit(db, {
              ...{ userId: user.id, action: 'post.retried', siteId: site.id },
              subject: post.external_id,
              before: { language: audio.language, error: audio.error },
            });
          });
          items.push(audioRecord(accepted.audio, baseUrl));
        }
        return Response.json(envelope('Audio generation queued', { items }), { status: 202 });
      },
      retryOperation,
    );
}

/** Undoes a retry that would put an older text in the place of one handed in meanwhile. */
async function checkUnchanged(db: Queries, failed: Audio): Promise<void> {
  const now = await findAudio(db, failed.post_id, failed.language);
  if (now?.generation === failed.generation + 1) return;
  throw new AppError('conflict', 'The post was changed meanwhile');
}

async function requestAgain(
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
