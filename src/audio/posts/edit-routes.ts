import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { diffStates, insertAuditEntry } from '../../auth/audit-log.ts';
import type { Queries } from '../../database/open.ts';
import { AppError, type FieldErrors } from '../../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../../http/endpoint.ts';
import { readJsonBody, readOptionalJsonBody } from '../../http/request-body.ts';
import { requestContext } from '../../http/request-context.ts';
import { parseIsoTimestamp, parseQuery, validate } from '../../http/validation.ts';
import { parseLanguage } from '../choose-voice.ts';
import { type PriorityChange, prioritizePost } from '../priority.ts';
import type { AudioQueue } from '../queue.ts';
import { listRegenerableAudioIds, regenerateAudios, regenerateSite } from '../regenerate.ts';
import { RegeneratedAudios } from '../schema.ts';
import { validateUrl } from '../submit.ts';
import type { PostDeps } from './routes.ts';
import { EditPostBody, PostLanguageQuery, PostRecord, SiteParams, SitePostParams } from './schema.ts';
import { buildPostRecords, findPost, type PostChanges, type PostRow, updatePost } from './store.ts';

export interface EditDeps extends Pick<PostDeps, 'database' | 'requireSession' | 'baseUrl'> {
  readonly queue: Pick<AudioQueue, 'nextVirtualTime' | 'notifyRescheduled'>;
}

const maxBodyBytes = 10_000;

const editOperation = endpointSpec({
  summary: 'Update a post',
  description:
    'Requires the editor role. Updates the metadata of the post; the text and its audio do not change. A new priority applies from the next sentence.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  body: EditPostBody,
  bodyExample: { visibility: 'private', priority: 'high' },
  responses: {
    200: {
      description: 'The updated post',
      message: 'Post updated',
      data: PostRecord,
      example: {
        post_id: 'news/4711',
        title: 'Harbor town reopens its lighthouse',
        url: 'https://www.example.org/news/4711',
        visibility: 'private',
        publish_at: null,
        created_at: '2026-11-02T08:15:00.000Z',
        updated_at: '2026-11-02T08:16:00.000Z',
        audio: [],
      },
    },
  },
  errors: ['not_found', 'post_not_found', 'not_allowed', 'conflict'],
});

/** Posts changed without their text being sent again. */
export function editRoutes({ database, requireSession, queue, baseUrl }: EditDeps) {
  return new Elysia({ name: 'post editing', prefix: '/v1/sites/:site/posts' }).patch(
    '/:post_id',
    async ({ request, params }) => {
      const { user, site } = await requireSession.site(request, params.site, 'editor');
      const body = validate(EditPostBody, await readJsonBody(request, maxBodyBytes));
      const changes = parseChanges(body);
      const { post, moved } = await database.write(async (db) => {
        const before = await requirePost(db, site.id, params.post_id);
        const changed = diffStates(pickEditable(before), { ...pickEditable(before), ...changes });
        if (changed !== undefined) await updatePost(db, before.id, changes);
        const moved = body.priority === undefined ? [] : await prioritizePost(db, queue, before.id, body.priority);
        if (changed !== undefined || moved.length > 0) {
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'post.updated', siteId: site.id },
            subject: before.external_id,
            before: { ...changed?.before, ...summarizePreviousPriorities(moved) },
            after: { ...changed?.after, ...(moved.length > 0 && { priority: body.priority }) },
          });
        }
        return { post: await requirePost(db, site.id, params.post_id), moved };
      });
      for (const { id } of moved) await queue.notifyRescheduled(id);
      const [record] = await buildPostRecords(database.read, [post], baseUrl);
      if (record === undefined) throw new AppError('post_not_found', 'Post not found');
      return envelope('Post updated', record);
    },
    toEndpointHook(editOperation),
  );
}

async function requirePost(db: Queries, siteId: number, postId: string): Promise<PostRow> {
  const post = await findPost(db, siteId, postId);
  if (post === undefined) throw new AppError('post_not_found', 'Post not found');
  return post;
}

function pickEditable({ url, publish_at, visibility }: PostRow): Required<PostChanges> {
  return { url, publish_at, visibility };
}

/** As one value where all languages had the same. */
function summarizePreviousPriorities(moved: readonly PriorityChange[]): object {
  const [first] = moved;
  if (first === undefined) return {};
  if (moved.every(({ previousPriority: before }) => before === first.previousPriority))
    return { priority: first.previousPriority };
  return {
    priority: Object.fromEntries(moved.map(({ language, previousPriority: before }) => [language, before])),
  };
}

/** @throws AppError `validation_failed` */
function parseChanges({ url, publish_at, visibility }: EditPostBody): PostChanges {
  const errors: FieldErrors = {};
  const address = url?.trim() === '' ? null : url;
  const addressProblem = address == null ? undefined : validateUrl(address);
  if (addressProblem !== undefined) errors['url'] = [addressProblem];
  const moment = publish_at == null ? publish_at : parseIsoTimestamp(publish_at);
  if (publish_at != null && moment === undefined) {
    errors['publish_at'] = ['must be an ISO 8601 date and time'];
  }
  if (Object.keys(errors).length > 0) {
    throw new AppError('validation_failed', 'Validation failed', errors);
  }
  return {
    ...(address !== undefined && { url: address }),
    ...(moment !== undefined && { publish_at: moment }),
    ...(visibility !== undefined && { visibility }),
  };
}

const maxRegenerateBodyBytes = 1_000;
/** A connection on which nothing moves for longer ends. */
const idleTimeoutS = 240;
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

const siteOperation = endpointSpec({
  summary: 'Regenerate the audio of a site',
  description: `Requires the editor role. ${regenerateDescription} Fills at most half of the queue.`,
  tag: 'Posts',
  access: 'session',
  params: SiteParams,
  body: RegenerateBody,
  bodyOptional: true,
  bodyExample: { language: 'en' },
  responses: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: RegeneratedSite,
      example: { ...example, made_before: '2026-11-02T08:15:00.000Z' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const postOperation = endpointSpec({
  summary: 'Regenerate a post',
  description: `Requires the editor role. In the given language, or in all languages. ${regenerateDescription}`,
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: PostLanguageQuery,
  responses: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: RegeneratedAudios,
      example: { ...example, audios: 2, posts: 1 },
    },
  },
  errors: ['not_found', 'post_not_found', 'not_allowed'],
});

/** Posts made again from their stored text. */
export function regenerateRoutes(deps: PostDeps) {
  const { database, requireSession } = deps;
  const served = async (request: Request, siteParam: string) => {
    const signedIn = await requireSession.site(request, siteParam, 'editor');
    deps.requireActiveSubscription(signedIn.site);
    return signedIn;
  };
  return new Elysia({ name: 'post remaking', prefix: '/v1/sites/:site/posts' })
    .post(
      '/remake',
      async ({ request, params }) => {
        const { user, site } = await served(request, params.site);
        const body = validate(RegenerateBody, await readOptionalJsonBody(request, maxRegenerateBodyBytes));
        const language = parseLanguage(body);
        const before = parseMadeBefore(body);
        requestContext(request).setIdleTimeout(idleTimeoutS);
        await database.write((db) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'posts.remade', siteId: site.id },
            after: { language: language ?? null, made_before: before },
          }),
        );
        const deadline = performance.now() + regenerateTimeoutMs;
        const remade = await regenerateSite(
          deps,
          { siteId: site.id, language, before },
          () => performance.now() < deadline,
        );
        const data = { ...remade, made_before: before };
        return Response.json(envelope('Audio generation queued', data), { status: 202 });
      },
      toEndpointHook(siteOperation),
    )
    .post(
      '/:post_id/remake',
      async ({ request, params }) => {
        const { user, site } = await served(request, params.site);
        const language = parseLanguage(parseQuery(PostLanguageQuery, request));
        const post = await findPost(database.read, site.id, params.post_id);
        if (post === undefined) throw new AppError('post_not_found', 'Post not found');
        await database.write((db) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'post.remade', siteId: site.id },
            ...{ subject: post.external_id, after: { language: language ?? null } },
          }),
        );
        const ids = await listRegenerableAudioIds(database.read, post.id, language);
        const remade = await regenerateAudios(deps, site.id, ids);
        return Response.json(envelope('Audio generation queued', remade), { status: 202 });
      },
      toEndpointHook(postOperation),
    );
}

/** @throws AppError `validation_failed` */
function parseMadeBefore({ made_before }: Static<typeof RegenerateBody>): string {
  const now = new Date().toISOString();
  if (made_before === undefined) return now;
  const moment = parseIsoTimestamp(made_before);
  if (moment === undefined) {
    throw new AppError('validation_failed', 'Validation failed', {
      made_before: ['must be an ISO 8601 date and time'],
    });
  }
  return [moment, now].toSorted()[0] ?? now;
}
