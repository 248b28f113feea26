import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { envelope } from '../../http/envelope.ts';
import { readOptionalJsonBody } from '../../http/json-body.ts';
import { described } from '../../http/operation.ts';
import { factsOf } from '../../http/request-facts.ts';
import { readTimestamp } from '../../http/timestamp.ts';
import { readQuery, validate } from '../../http/validate.ts';
import { audit } from '../../users/audit.ts';
import { namedLanguage } from '../asked-language.ts';
import { remakeAudios, remakeSite } from '../remake.ts';
import { audiosOfPost } from '../remake-store.ts';
import { RemadeAudios } from '../schema.ts';
import type { PostDeps } from './routes.ts';
import { PostLanguageQuery, SiteOfPosts, SitePostParams } from './schema.ts';
import { findPost } from './store.ts';

const bodyByteMax = 1_000;
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
        const body = validate(RemakeBody, await readOptionalJsonBody(request, bodyByteMax));
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
