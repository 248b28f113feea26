import { Elysia } from 'elysia';
import type { Queries } from '../../database/open.ts';
import { AppError, type FieldErrors } from '../../errors.ts';
import { envelope } from '../../http/envelope.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { described } from '../../http/operation.ts';
import { readTimestamp } from '../../http/timestamp.ts';
import { validate } from '../../http/validate.ts';
import { audit } from '../../users/audit.ts';
import { difference } from '../../users/difference.ts';
import { type Moved, prioritizePost } from '../priority.ts';
import type { AudioQueue } from '../production/queue.ts';
import { urlProblem } from '../request.ts';
import { postRecords } from './record.ts';
import type { PostDeps } from './routes.ts';
import { EditPostBody, PostRecord, SitePostParams } from './schema.ts';
import { findPost, type PostChanges, type PostRow, updatePost } from './store.ts';

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
