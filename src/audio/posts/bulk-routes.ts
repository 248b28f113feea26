import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { requireActiveSubscription } from '../../auth/domain-access.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, reply } from '../../http/endpoint.ts';
import { literalUnion } from '../../http/validation.ts';
import type { Services } from '../../services.ts';
import { GenerateBody } from '../schema.ts';
import type { SubmitDeps } from '../submit.ts';
import {
  deletePost,
  dismissPost,
  editPost,
  type PostAction,
  regeneratePost,
  restorePost,
  retryPost,
} from './actions.ts';
import { SiteParams } from './schema.ts';

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
  tag: 'Posts',
  access: 'session',
  role: 'editor',
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
  if (!complete) throw new AppError('queue_full', 'Queue full');
  throw new AppError('conflict', voiceless > 0 ? 'Its voice is not installed' : 'No audio to regenerate');
}

function explain({ message, fields = {} }: AppError): string {
  const problems = Object.values(fields).flat();
  return problems.length === 0 ? message : `${message}: ${problems.join('; ')}`;
}
