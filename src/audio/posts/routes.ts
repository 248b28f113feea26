import { Elysia } from 'elysia';
import { insertAuditEntry } from '../../auth/audit-log.ts';
import type { Queries } from '../../database/open.ts';
import type { Audio, Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, envelope, reply } from '../../http/endpoint.ts';
import type { Services } from '../../services.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { chooseVoice, parseLanguage } from '../choose-voice.ts';
import { warnOfContent } from '../content-warnings.ts';
import {
  AudioRecord,
  DeletedPost,
  exampleQueuedAudio,
  exampleReadyAudio,
  GenerateBody,
  StatusQuery,
  toTitleFields,
  toUrlFields,
} from '../schema.ts';
import { findAudio, toAudioRecord } from '../store.ts';
import {
  type EnqueueResult,
  type GenerateRequest,
  parseGenerateRequest,
  type SubmitDeps,
  submitPost,
} from '../submit.ts';
import { buildPostPage } from './post-list.ts';
import { PostDetail, PostPage, PostsQuery, RetriedPost, SiteParams, SitePostParams } from './schema.ts';
import { buildPostDetail, listFailedAudios, type PostRow, requirePost } from './store.ts';

const examplePost = {
  post_id: 'news/4711',
  ...toTitleFields('Harbor town reopens its lighthouse'),
  ...toUrlFields('https://www.example.org/news/4711'),
  visibility: 'public',
  publish_at: null,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

const listSpec = endpointSpec({
  summary: 'List posts',
  description:
    '`status`, `language` and `voice_id` filter by the main audio of a post; each item has all of its languages. `counts` are those of the site.',
  tag: 'Posts',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
  query: PostsQuery,
  responses: reply(200, 'OK', 'A page of posts', PostPage, {
    example: {
      items: [
        {
          ...{ ...examplePost, audio: [exampleReadyAudio] },
          ...{ plays: [0, 0, 12, 31, 8, 5, 2], deleted_at: null, purge_at: null },
        },
      ],
      next_cursor: null,
      counts: { all: 120, ready: 117, generating: 2, failed: 1, scheduled: 4, private: 3, deleted: 2 },
    },
  }),
});

const showSpec = endpointSpec({
  summary: 'Get a post',
  description: 'Includes its text and its audio in all languages and voices.',
  tag: 'Posts',
  access: 'session',
  role: 'viewer',
  params: SitePostParams,
  responses: reply(200, 'OK', 'The post', PostDetail, {
    example: {
      ...examplePost,
      audio: [
        {
          ...exampleReadyAudio,
          main: true,
          ...toTitleFields(examplePost.title),
          content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
          voice: { id: 1, name: 'Aspen', language: 'en' },
          segments_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.json',
          last_ready: null,
        },
      ],
    },
  }),
  errors: ['post_not_found'],
});

const createSpec = endpointSpec({
  summary: 'Create a post',
  description:
    'Requires the editor role; available on every plan. Same body, rules and monthly quota as `POST /v1/audio/generate`. 403 if the site is inactive or its subscription or trial has ended.',
  tag: 'Posts',
  access: 'session',
  role: 'editor',
  requiresSubscription: true,
  params: SiteParams,
  body: GenerateBody,
  bodyExample: {
    post_id: 'news/4711',
    post_title: 'Harbor town reopens its lighthouse',
    content: '<p>The lighthouse of Port Ellery opened its doors again on Saturday.</p>',
  },
  bodyHandling: 'unchecked',
  maxBodyBytes: 'article',
  responses: {
    ...reply(202, 'Audio generation queued', 'Queued', AudioRecord, {
      example: exampleQueuedAudio,
      headers: { Location: 'URL of the post' },
    }),
    ...reply(200, 'Audio already ready', 'Unchanged since the last accepted request; nothing was queued', AudioRecord, {
      example: exampleReadyAudio,
      headers: { Location: 'URL of the post' },
    }),
  },
  errors: ['plan_restriction', 'post_quota_exceeded', 'queue_full', 'disk_space_low'],
});

const retrySpec = endpointSpec({
  summary: 'Retry failed audio',
  description:
    'Requires the editor role. In the given language, or in all failed languages. A missing voice is replaced by the default voice of the language.',
  tag: 'Posts',
  access: 'session',
  role: 'editor',
  requiresSubscription: true,
  params: SitePostParams,
  query: StatusQuery,
  responses: reply(202, 'Audio generation queued', 'Queued', RetriedPost, { example: { items: [exampleQueuedAudio] } }),
  errors: ['post_not_found', 'conflict', 'plan_restriction', 'post_quota_exceeded', 'queue_full', 'disk_space_low'],
});

const deleteSpec = endpointSpec({
  summary: 'Delete a post',
  description:
    'Requires the editor role. In the given language, or in all languages. Its MP3 URLs return 410 at once. The post still counts against the quota of its month.',
  tag: 'Posts',
  access: 'session',
  role: 'editor',
  params: SitePostParams,
  query: StatusQuery,
  responses: reply(200, 'Audio deleted', 'The deleted languages', DeletedPost, {
    example: { post_id: 'news/4711', languages: ['en'] },
  }),
  errors: ['post_not_found'],
});

/** Posts of a site, for its members. */
export function postRoutes(services: Services) {
  const { endpoint, database, baseUrl, postDeletion } = services;
  const { deletedRetentionDays } = services.config;
  return new Elysia({ name: 'posts', prefix: '/v1/sites/:site/posts' })
    .get(
      '',
      ...endpoint(listSpec, ({ site, query }) => {
        const { q: search, state, status, voice_id: voiceId, visibility } = query;
        const filter = { siteId: site.id, search, state, status, voiceId, visibility, language: parseLanguage(query) };
        return buildPostPage(database.read, filter, query, { baseUrl, deletedRetentionDays });
      }),
    )
    .post(
      '',
      ...endpoint(createSpec, ({ request, user, site, body }) => createPost(services, request, { user, site, body })),
    )
    .get(
      '/:post_id',
      ...endpoint(showSpec, async ({ site, params }) =>
        buildPostDetail(database.read, await requirePost(database.read, site.id, params.post_id), baseUrl),
      ),
    )
    .delete(
      '/:post_id',
      ...endpoint(deleteSpec, async ({ user, site, params: { post_id }, query }) => {
        const language = parseLanguage(query) ?? null;
        return database.write(site.id, async (db) => {
          const languages = await postDeletion.deletePost(db, site.id, post_id, language);
          if (languages.length === 0) throw new AppError('post_not_found', 'Post not found');
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'post.deleted', siteId: site.id, subject: post_id },
            before: { languages },
          });
          return { post_id, languages };
        });
      }),
    )
    .post(
      '/:post_id/retry',
      ...endpoint(retrySpec, async ({ user, site, params, query }) => {
        const post = await requirePost(database.read, site.id, params.post_id);
        const failed = await listFailedAudios(database.read, post.id, parseLanguage(query));
        if (failed.length === 0) throw new AppError('conflict', 'No failed audio for this post');
        const items: AudioRecord[] = [];
        for (const audio of failed) {
          const result = await retryAudio(services, { site, post, audio, userId: user.id });
          items.push(toAudioRecord(result.audio, baseUrl));
        }
        return { items };
      }),
    );
}

interface CreateInput {
  readonly user: { readonly id: number };
  readonly site: Site;
  readonly body: unknown;
}

async function createPost(services: Services, request: Request, { user, site, body }: CreateInput): Promise<Response> {
  const { config, database, catalog, baseUrl } = services;
  const input = parseGenerateRequest(body, config.maxContentLength);
  const voice = await chooseVoice(catalog, site, input);
  warnOfContent(request, site, input, voice);
  const { queued, message, audio } = await database.write(site.id, async (db) => {
    const result = await submitPost(db, services, { site, voice, request: input });
    const { language, voice_id } = result.audio;
    if (result.queued) {
      await insertAuditEntry(db, {
        ...{ userId: user.id, action: 'post.queued', siteId: site.id, subject: input.postId },
        after: { language, voice_id, title: input.title },
      });
    }
    return result;
  });
  const location = `${baseUrl}/v1/sites/${site.id}/posts/${encodeURIComponent(input.postId)}`;
  return Response.json(envelope(message, toAudioRecord(audio, baseUrl)), {
    status: queued ? 202 : 200,
    headers: { location },
  });
}

interface RetryInput {
  readonly site: Site;
  readonly post: PostRow;
  readonly audio: Audio;
  readonly userId: number;
}

async function retryAudio(deps: SubmitDeps, { site, post, audio, userId }: RetryInput): Promise<EnqueueResult> {
  const { database, catalog } = deps;
  const request = await buildRetryRequest(catalog, post, audio);
  const voice = await chooseVoice(catalog, site, request);
  return database.write(site.id, async (db) => {
    const result = await submitPost(db, deps, { site, voice, request });
    if (!result.queued) return result;
    await checkUnchanged(db, audio);
    await insertAuditEntry(db, {
      ...{ userId, action: 'post.retried', siteId: site.id, subject: post.external_id },
      before: { language: audio.language, error: audio.error },
    });
    return result;
  });
}

/** Undoes a retry that would replace a text submitted since by the older one. */
async function checkUnchanged(db: Queries, failed: Audio): Promise<void> {
  const now = await findAudio(db, failed.post_id, failed.language);
  if (now?.revision === failed.revision + 1) return;
  throw new AppError('conflict', 'The post was modified concurrently');
}

async function buildRetryRequest(
  catalog: Catalog,
  post: PostRow,
  { content, content_type: contentType, title, voice_id, language, priority }: Audio,
): Promise<GenerateRequest> {
  const voice = await catalog.find(voice_id);
  const isUsable = voice?.enabled === 1;
  return {
    postId: post.external_id,
    ...{ content, contentType, title, language, priority },
    post: {},
    voiceId: isUsable ? voice_id : null,
  };
}
