import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit, difference } from '../../auth/audit-log.ts';
import type { Queries } from '../../database/open.ts';
import { AppError, type FieldErrors } from '../../errors.ts';
import { described, envelope } from '../../http/endpoint.ts';
import { readJsonBody, readOptionalJsonBody } from '../../http/request-body.ts';
import { factsOf } from '../../http/request-context.ts';
import { readQuery, readTimestamp, validate } from '../../http/validation.ts';
import { namedLanguage } from '../choose-voice.ts';
import { type Moved, prioritizePost } from '../priority.ts';
import type { AudioQueue } from '../queue.ts';
import { audiosOfPost, remakeAudios, remakeSite } from '../regenerate.ts';
import { RemadeAudios } from '../schema.ts';
import { urlProblem } from '../submit.ts';
import type { PostDeps } from './routes.ts';
import {
  EditPostBody,
  PostLanguageQuery,
  PostRecord,
  SiteOfPosts,
  SitePostParams,
} from './schema.ts';
import { findPost, type PostChanges, type PostRow, postRecords, updatePost } from './store.ts';

export interface EditDeps extends Pick<PostDeps, 'database' | 'bySession' | 'baseUrl'> {
  readonly queue: Pick<AudioQueue, 'turnOf' | 'moved'>;
}

const bodyByteMax = 10_000;

const editOperation = described({
  summary: 'Change a post',
  description:
    'For editors: what the post is beside its text, which stays as it is. Nothing is spoken again. A changed priority holds from the next sentence on.',
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  body: EditPostBody,
  bodyExample: { visibility: 'private', priority: 'high' },
  answers: {
    200: {
      description: 'The post as it is now',
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
export function editRoutes({ database, bySession, queue, baseUrl }: EditDeps) {
  return new Elysia({ name: 'post editing', prefix: '/v1/sites/:site/posts' }).patch(
    '/:post_id',
    async ({ request, params }) => {
      const { user, site } = await bySession.site(request, params.site, 'editor');
      const body = validate(EditPostBody, await readJsonBody(request, bodyByteMax));
      const changes = readChanges(body);
      const { post, moved } = await database.write(async (db) => {
        const before = await foundPost(db, site.id, params.post_id);
        const changed = difference(editable(before), { ...editable(before), ...changes });
        if (changed !== undefined) await updatePost(db, before.id, changes);
        const moved =
          body.priority === undefined
            ? []
            : await prioritizePost(db, queue, before.id, body.priority);
        if (changed !== undefined || moved.length > 0) {
          await audit(db, {
            ...{ userId: user.id, action: 'post.updated', siteId: site.id },
            subject: before.external_id,
            before: { ...changed?.before, ...prioritiesBefore(moved) },
            after: { ...changed?.after, ...(moved.length > 0 && { priority: body.priority }) },
          });
        }
        return { post: await foundPost(db, site.id, params.post_id), moved };
      });
      for (const { id } of moved) await queue.moved(id);
      const [record] = await postRecords(database.read, [post], baseUrl);
      if (record === undefined) throw new AppError('post_not_found', 'Post not found');
      return envelope('Post updated', record);
    },
    editOperation,
  );
}

async function foundPost(db: Queries, siteId: number, postId: string): Promise<PostRow> {
  const post = await findPost(db, siteId, postId);
  if (post === undefined) throw new AppError('post_not_found', 'Post not found');
  return post;
}

function editable({ url, publish_at, visibility }: PostRow): Required<PostChanges> {
  return { url, publish_at, visibility };
}

/** As one value where all languages had the same. */
function prioritiesBefore(moved: readonly Moved[]): object {
  const [first] = moved;
  if (first === undefined) return {};
  if (moved.every(({ before }) => before === first.before)) return { priority: first.before };
  return { priority: Object.fromEntries(moved.map(({ language, before }) => [language, before])) };
}

/** @throws AppError `validation_failed` */
function readChanges({ url, publish_at, visibility }: EditPostBody): PostChanges {
  const errors: FieldErrors = {};
  const address = url?.trim() === '' ? null : url;
  const addressProblem = address == null ? undefined : urlProblem(address);
  if (addressProblem !== undefined) errors['url'] = [addressProblem];
  const moment = publish_at == null ? publish_at : readTimestamp(publish_at);
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

const remakeBodyByteMax = 1_000;
/** A connection on which nothing moves for longer ends. */
const idleMaxS = 240;
const patienceMs = 120_000;

const RemakeBody = Type.Object({
  language: Type.Optional(
    Type.String({ maxLength: 35, description: 'Only audios in it; all unless named' }),
  ),
  made_before: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'ISO 8601: only audios whose making began before it; now unless named. Whoever asks again because the answer was not `complete`, names the moment of the first time',
    }),
  ),
});

const RemadeSite = Type.Object({
  ...RemadeAudios.properties,
  made_before: Type.String({ description: 'The moment that held' }),
});

const example = { audios: 240, posts: 120, voiceless: 0, complete: true };
const whatHappens =
  'Audios are made again from the text and in the voice they have, with the lexicon and the settings as they are now, behind everything that is new. Only sentences that come out otherwise are spoken; until then the MP3 that is there is served. No quota is touched. What waits in the queue or has failed is left alone.';

const siteOperation = described({
  summary: 'Make the audio of a site again',
  description: `For editors. ${whatHappens} At most half of the queue is filled.`,
  tag: 'Posts',
  access: 'session',
  params: SiteOfPosts,
  body: RemakeBody,
  bodyOptional: true,
  bodyExample: { language: 'en' },
  answers: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: RemadeSite,
      example: { ...example, made_before: '2026-11-02T08:15:00.000Z' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const postOperation = described({
  summary: 'Make a post again',
  description: `For editors: in the named language, or all of it. ${whatHappens}`,
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: PostLanguageQuery,
  answers: {
    202: {
      description: 'Queued',
      message: 'Audio generation queued',
      data: RemadeAudios,
      example: { ...example, audios: 2, posts: 1 },
    },
  },
  errors: ['not_found', 'post_not_found', 'not_allowed'],
});

/** Posts made again from their stored text. */
export function remakeRoutes(deps: PostDeps) {
  const { database, bySession } = deps;
  const served = async (request: Request, siteParam: string) => {
    const signedIn = await bySession.site(request, siteParam, 'editor');
    deps.checkServed(signedIn.site);
    return signedIn;
  };
  return new Elysia({ name: 'post remaking', prefix: '/v1/sites/:site/posts' })
    .post(
      '/remake',
      async ({ request, params }) => {
        const { user, site } = await served(request, params.site);
        const body = validate(RemakeBody, await readOptionalJsonBody(request, remakeBodyByteMax));
        const language = namedLanguage(body);
        const before = momentOf(body);
        factsOf(request).allowIdle(idleMaxS);
        await database.write((db) =>
          audit(db, {
            ...{ userId: user.id, action: 'posts.remade', siteId: site.id },
            after: { language: language ?? null, made_before: before },
          }),
        );
        const deadline = performance.now() + patienceMs;
        const remade = await remakeSite(
          deps,
          { siteId: site.id, language, before },
          () => performance.now() < deadline,
        );
        const data = { ...remade, made_before: before };
        return Response.json(envelope('Audio generation queued', data), { status: 202 });
      },
      siteOperation,
    )
    .post(
      '/:post_id/remake',
      async ({ request, params }) => {
        const { user, site } = await served(request, params.site);
        const language = namedLanguage(readQuery(PostLanguageQuery, request));
        const post = await findPost(database.read, site.id, params.post_id);
        if (post === undefined) throw new AppError('post_not_found', 'Post not found');
        await database.write((db) =>
          audit(db, {
            ...{ userId: user.id, action: 'post.remade', siteId: site.id },
            ...{ subject: post.external_id, after: { language: language ?? null } },
          }),
        );
        const ids = await audiosOfPost(database.read, post.id, language);
        const remade = await remakeAudios(deps, site.id, ids);
        return Response.json(envelope('Audio generation queued', remade), { status: 202 });
      },
      postOperation,
    );
}

/** @throws AppError `validation_failed` */
function momentOf({ made_before }: Static<typeof RemakeBody>): string {
  const now = new Date().toISOString();
  if (made_before === undefined) return now;
  const moment = readTimestamp(made_before);
  if (moment === undefined) {
    throw new AppError('validation_failed', 'Validation failed', {
      made_before: ['must be an ISO 8601 date and time'],
    });
  }
  return [moment, now].toSorted()[0] ?? now;
}
