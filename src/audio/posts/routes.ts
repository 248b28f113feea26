import { Elysia } from 'elysia';
import { insertAuditEntry } from '../../auth/audit-log.ts';
import type { Site } from '../../database/schema.ts';
import { endpointSpec, envelope, reply } from '../../http/endpoint.ts';
import type { Services } from '../../services.ts';
import { SiteParams } from '../../sites/schema.ts';
import { chooseVoice, parseLanguage, warnOfContent } from '../choose-voice.ts';
import {
  AudioRecord,
  DeletedPost,
  exampleQueuedAudio,
  exampleReadyAudio,
  GenerateBody,
  StatusQuery,
  toTitleFields,
} from '../schema.ts';
import { toAudioRecord } from '../store.ts';
import { parseGenerateRequest, submitPost } from '../submit.ts';
import { deletePost, restorePost, retryPost } from './actions.ts';
import { buildPostPage } from './post-list.ts';
import {
  DeleteQuery,
  examplePost,
  PostDetail,
  PostFailures,
  PostPage,
  PostsQuery,
  RetriedPost,
  SitePostParams,
} from './schema.ts';
import { buildPostDetail, findFailures, listFailedPostIds, requirePost } from './store.ts';

const forViewers = { tag: 'Posts', access: 'session', role: 'viewer' } as const;
const forEditors = { tag: 'Posts', access: 'session', role: 'editor' } as const;

const listSpec = endpointSpec({
  summary: 'List posts',
  description:
    '`status`, `language` and `voice_id` filter by the main audio of a post; each item has all of its languages. `counts` are those of the site.',
  ...forViewers,
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

const failuresSpec = endpointSpec({
  summary: 'List failures by reason',
  description:
    'The posts in the state `failed`, grouped by reason, at most 50 reasons, most frequent first. A post with the id `failures` is shown under `/posts/%66ailures`.',
  ...forViewers,
  params: SiteParams,
  responses: reply(200, 'OK', 'The reasons', PostFailures, {
    example: {
      items: [
        {
          ...{ reason: 'The content has no speakable text', code: 'no_text', retryable: false },
          ...{ count: 2, post_ids: ['news/4712', 'news/4711'] },
        },
      ],
    },
  }),
});

const maxFailureGroups = 50;
const maxPostsOfFailure = 50;
/** What fails for these reasons fails again. */
const permanentFailures: ReadonlySet<string | null> = new Set(['no_text', 'language']);

const showSpec = endpointSpec({
  summary: 'Get a post',
  description: 'Includes its text and its audio in all languages and voices.',
  ...forViewers,
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
  ...forEditors,
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
  ...forEditors,
  requiresSubscription: true,
  params: SitePostParams,
  query: StatusQuery,
  responses: reply(202, 'Audio generation queued', 'Queued', RetriedPost, { example: { items: [exampleQueuedAudio] } }),
  errors: ['post_not_found', 'conflict', 'plan_restriction', 'post_quota_exceeded', 'queue_full', 'disk_space_low'],
});

const deleteSpec = endpointSpec({
  summary: 'Delete a post',
  description:
    'Requires the editor role. In the given language, or in all languages. Its MP3 URLs return 410 at once. The post still counts against the quota of its month. A post without a language left is in the state `deleted` and can be restored, by default for 30 days; a deleted language of a post with others cannot be restored.',
  ...forEditors,
  params: SitePostParams,
  query: DeleteQuery,
  responses: reply(200, 'Audio deleted', 'The deleted languages', DeletedPost, {
    example: { post_id: 'news/4711', languages: ['en'] },
  }),
  errors: ['post_not_found'],
});

const restoreSpec = endpointSpec({
  summary: 'Restore a deleted post',
  description:
    'Requires the editor role. Generates its audio again from the kept text, with new URLs; audio that had failed is failed again. The post keeps its place in lists and feeds.',
  ...forEditors,
  requiresSubscription: true,
  params: SitePostParams,
  responses: reply(202, 'Audio generation queued', 'Queued', RetriedPost, { example: { items: [exampleQueuedAudio] } }),
  errors: ['post_not_found', 'conflict', 'plan_restriction', 'post_quota_exceeded', 'queue_full', 'disk_space_low'],
});

export function postRoutes(services: Services) {
  const { endpoint, database, baseUrl } = services;
  const { deletedRetentionDays } = services.config;
  return new Elysia({ name: 'posts', prefix: '/v1/sites/:site/posts' })
    .get(
      '',
      ...endpoint(listSpec, ({ site, query }) => {
        const { q: search, state, status, voice_id: voiceId, visibility } = query;
        const filter = {
          ...{ siteId: site.id, timeZone: site.time_zone, search, state, status, voiceId, visibility },
          language: parseLanguage(query),
        };
        return buildPostPage(database.read, filter, query, { baseUrl, deletedRetentionDays });
      }),
    )
    .post(
      '',
      ...endpoint(createSpec, ({ request, user, site, body }) => createPost(services, request, { user, site, body })),
    )
    .get(
      '/failures',
      ...endpoint(failuresSpec, async ({ site }) => {
        const groups = await findFailures(database.read, site.id, maxFailureGroups);
        const items = groups.map(async (group) => {
          const { error: reason, error_code: code, count } = group;
          const post_ids = await listFailedPostIds(database.read, site.id, group, maxPostsOfFailure);
          return { reason, code, retryable: !permanentFailures.has(code), count, post_ids };
        });
        return { items: await Promise.all(items) };
      }),
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
        const options = { language: parseLanguage(query), permanently: query.permanently };
        const languages = await deletePost(services, { site, userId: user.id, postId: post_id }, options);
        return { post_id, languages };
      }),
    )
    .post(
      '/:post_id/restore',
      ...endpoint(restoreSpec, async ({ user, site, params }) => {
        const audios = await restorePost(services, { site, userId: user.id, postId: params.post_id });
        return { items: audios.map((audio) => toAudioRecord(audio, baseUrl)) };
      }),
    )
    .post(
      '/:post_id/retry',
      ...endpoint(retrySpec, async ({ user, site, params, query }) => {
        const action = { site, userId: user.id, postId: params.post_id };
        const audios = await retryPost(services, action, parseLanguage(query));
        return { items: audios.map((audio) => toAudioRecord(audio, baseUrl)) };
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
