import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../../auth/audit-log.ts';
import { requireActiveSubscription } from '../../auth/domain-access.ts';
import { timestamp } from '../../clock.ts';
import { AppError, type FieldErrors, throwIfInvalid } from '../../errors.ts';
import { endpointSpec, reply } from '../../http/endpoint.ts';
import { literalUnion, parseIsoTimestamp, requireTimestamp } from '../../http/validation.ts';
import type { Services } from '../../services.ts';
import { SiteParams } from '../../sites/schema.ts';
import { parseLanguage } from '../choose-voice.ts';
import { regenerateSite } from '../regenerate.ts';
import { GenerateBody, RegeneratedAudios, StatusQuery } from '../schema.ts';
import type { PostFields } from '../store.ts';
import { type SubmitDeps, validateUrl } from '../submit.ts';
import {
  deletePost,
  dismissPost,
  editPost,
  type PostAction,
  regeneratePost,
  restorePost,
  retryPost,
} from './actions.ts';
import { EditPostBody, examplePost, PostRecord, SitePostParams } from './schema.ts';
import { buildPostRecords } from './store.ts';

const shared = { tag: 'Posts', access: 'session', role: 'editor' } as const;

const editSpec = endpointSpec({
  summary: 'Update a post',
  description:
    'Requires the editor role. Updates the metadata of the post; the text and its audio do not change. A new priority applies from the next sentence.',
  ...shared,
  params: SitePostParams,
  body: EditPostBody,
  bodyExample: { visibility: 'private', priority: 'high' },
  responses: reply(200, 'Post updated', 'The updated post', PostRecord, {
    example: { ...examplePost, visibility: 'private', updated_at: '2026-11-02T08:16:00.000Z', audio: [] },
  }),
  errors: ['post_not_found', 'conflict'],
});

/** Changes of a post that keep its text. */
export function editRoutes(services: Services) {
  const { endpoint, database, baseUrl } = services;
  return new Elysia({ name: 'post editing', prefix: '/v1/sites/:site/posts' }).patch(
    '/:post_id',
    ...endpoint(editSpec, async ({ user, site, params, body }) => {
      const changes = { fields: parseChanges(body), priority: body.priority };
      const post = await editPost(services, { site, userId: user.id, postId: params.post_id }, changes);
      const [record] = await buildPostRecords(database.read, [post], baseUrl);
      if (record === undefined) throw new AppError('post_not_found');
      return record;
    }),
  );
}

/** @throws AppError `validation_failed` */
function parseChanges({ url, post_url = url, publish_at, visibility }: EditPostBody): PostFields {
  const errors: FieldErrors = {};
  const newUrl = post_url?.trim() === '' ? null : post_url;
  const urlProblem = newUrl == null ? undefined : validateUrl(newUrl);
  if (urlProblem !== undefined) errors[url === undefined ? 'post_url' : 'url'] = [urlProblem];
  const publishAt = publish_at == null ? publish_at : parseIsoTimestamp(publish_at);
  if (publish_at != null && publishAt === undefined) {
    errors['publish_at'] = ['must be an ISO 8601 date and time'];
  }
  throwIfInvalid(errors);
  return {
    ...(newUrl !== undefined && { url: newUrl }),
    ...(publishAt !== undefined && { publish_at: publishAt }),
    ...(visibility !== undefined && { visibility }),
  };
}

const regenerateTimeoutMs = 120_000;

const RegenerateBody = Type.Object({
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description: 'Only audio in this language; default: all languages',
    }),
  ),
  made_before: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'ISO 8601. Only audio whose generation started before this time; default: now. If the response was not `complete`, repeat the request with the `made_before` of the first response',
    }),
  ),
});

const RegeneratedSite = Type.Object({
  ...RegeneratedAudios.properties,
  made_before: Type.String({ description: 'The time that was applied' }),
});

const example = { audios: 240, posts: 120, voiceless: 0, complete: true };
const regenerateDescription =
  'Audio is regenerated from the stored text and voice with the current pronunciations and settings, at low priority. Only changed sentences are synthesized; the current MP3 is served until then. No quota is used. Queued and failed audio is not changed.';

const regenerateSiteSpec = endpointSpec({
  summary: 'Regenerate the audio of a site',
  description: `Requires the editor role. ${regenerateDescription} Fills at most half of the queue.`,
  ...shared,
  requiresSubscription: true,
  params: SiteParams,
  body: RegenerateBody,
  bodyOptional: true,
  maxBodyBytes: 1_000,
  idleTimeoutS: 240,
  bodyExample: { language: 'en' },
  responses: reply(202, 'Audio generation queued', 'Queued', RegeneratedSite, {
    example: { ...example, made_before: '2026-11-02T08:15:00.000Z' },
  }),
});

const regeneratePostSpec = endpointSpec({
  summary: 'Regenerate a post',
  description: `Requires the editor role. In the given language, or in all languages. ${regenerateDescription} Audio that was removed by the retention settings is generated again.`,
  ...shared,
  requiresSubscription: true,
  params: SitePostParams,
  query: StatusQuery,
  responses: reply(202, 'Audio generation queued', 'Queued', RegeneratedAudios, {
    example: { ...example, audios: 2, posts: 1 },
  }),
  errors: ['post_not_found'],
});

/** Audio regenerated from the stored text. */
export function regenerateRoutes(services: Services) {
  const { endpoint, database } = services;
  return new Elysia({ name: 'post regeneration', prefix: '/v1/sites/:site/posts' })
    .post(
      '/remake',
      ...endpoint(regenerateSiteSpec, async ({ user, site, body }) => {
        const language = parseLanguage(body);
        const before = parseMadeBefore(body);
        await database.write(site.id, (db) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'posts.remade', siteId: site.id },
            after: { language: language ?? null, made_before: before },
          }),
        );
        const deadline = performance.now() + regenerateTimeoutMs;
        const hasTime = () => performance.now() < deadline;
        const result = await regenerateSite(services, { siteId: site.id, language, before }, hasTime);
        return { ...result, made_before: before };
      }),
    )
    .post(
      '/:post_id/remake',
      ...endpoint(regeneratePostSpec, ({ user, site, params, query }) => {
        const action = { site, userId: user.id, postId: params.post_id };
        return regeneratePost(services, action, parseLanguage(query));
      }),
    );
}

/** @throws AppError `validation_failed` */
function parseMadeBefore({ made_before }: Static<typeof RegenerateBody>): string {
  const now = timestamp();
  if (made_before === undefined) return now;
  const before = requireTimestamp('made_before', made_before);
  return [before, now].toSorted()[0] ?? now;
}

const BulkBody = Type.Object(
  {
    action: literalUnion(['retry', 'regenerate', 'delete', 'restore', 'make_private', 'make_public', 'dismiss'], {
      description:
        '`retry`, `regenerate`, `delete` and `restore`: as the routes of a post, in all its languages. `dismiss`: its failed audio is not needed; the post is no longer in the state `failed`, until its text is submitted or tried again',
    }),
    post_ids: Type.Array(GenerateBody.properties.post_id, { minItems: 1, maxItems: 200 }),
  },
  { title: 'BulkRequest' },
);
type BulkAction = Static<typeof BulkBody>['action'];

const BulkResult = Type.Object(
  {
    done: Type.Array(Type.String({ description: '`post_id`' })),
    refused: Type.Array(
      Type.Object({ post_id: Type.String(), reason: Type.String({ description: 'One plain sentence' }) }),
    ),
  },
  { title: 'BulkResult' },
);

const bulkSpec = endpointSpec({
  summary: 'Change up to 200 posts',
  description:
    'Requires the editor role; `retry`, `regenerate` and `restore` also a site that may generate. Each post is changed on its own: those that cannot be changed are in `refused` with the reason.',
  ...shared,
  params: SiteParams,
  body: BulkBody,
  bodyExample: { action: 'make_private', post_ids: ['news/4711', 'news/4712'] },
  // 200 ids of 255 characters, escaped.
  maxBodyBytes: 400_000,
  idleTimeoutS: 240,
  responses: reply(200, 'OK', 'What was done', BulkResult, {
    example: { done: ['news/4711'], refused: [{ post_id: 'news/4712', reason: 'Post not found' }] },
  }),
  errors: ['not_allowed'],
});

const actions: Record<BulkAction, (deps: SubmitDeps, action: PostAction) => Promise<unknown>> = {
  retry: retryPost,
  regenerate: regenerateOrExplain,
  delete: deletePost,
  restore: restorePost,
  make_private: (deps, action) => editPost(deps, action, { fields: { visibility: 'private' } }),
  make_public: (deps, action) => editPost(deps, action, { fields: { visibility: 'public' } }),
  dismiss: dismissPost,
};

/** They queue audio. */
const generatingActions: ReadonlySet<BulkAction> = new Set(['retry', 'regenerate', 'restore']);

export function bulkRoutes(services: Services) {
  return new Elysia({ name: 'post bulk changes', prefix: '/v1/sites/:site/posts' }).post(
    '/bulk',
    ...services.endpoint(bulkSpec, async ({ user, site, body: { action, post_ids } }) => {
      if (generatingActions.has(action)) requireActiveSubscription(site);
      const done: string[] = [];
      const refused: Static<typeof BulkResult>['refused'] = [];
      for (const postId of new Set(post_ids)) {
        try {
          await actions[action](services, { site, userId: user.id, postId });
          done.push(postId);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          refused.push({ post_id: postId, reason: explain(error) });
        }
      }
      return { done, refused };
    }),
  );
}

/** @throws AppError `conflict` when nothing was queued */
async function regenerateOrExplain(deps: SubmitDeps, action: PostAction): Promise<void> {
  const { audios, voiceless, complete } = await regeneratePost(deps, action);
  if (audios > 0) return;
  if (!complete) throw new AppError('queue_full');
  throw new AppError('conflict', voiceless > 0 ? 'Its voice is not installed' : 'No audio to regenerate');
}

function explain({ message, fields = {} }: AppError): string {
  const problems = Object.values(fields).flat();
  return problems.length === 0 ? message : `${message}: ${problems.join('; ')}`;
}
