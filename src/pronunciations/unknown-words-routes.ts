import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { nullable } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { SiteParams } from './schema.ts';
import { acceptWord, findUnknownWordsOfSite, withdrawAcceptance } from './unknown-words.ts';

const defaultDays = 7;

const UnknownWords = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        word: Type.String(),
        language: Type.String({ description: 'Of the audio' }),
        count: Type.Integer({ description: 'How often it is spoken' }),
        posts: Type.Array(Type.String(), {
          description: '`post_id`s of posts with it, the newest first; at most five',
        }),
        post_titles: Type.Array(nullable(Type.String()), { description: 'Their titles, in the same order' }),
        since: Type.String({ description: 'When the first audio with it was ready' }),
      }),
    ),
  },
  {
    title: 'UnknownWords',
    examples: [
      {
        items: [
          {
            ...{ word: 'Qaqortoq', language: 'en', count: 6, since: '2026-11-21T09:00:00.000Z' },
            ...{ posts: ['news/4711'], post_titles: ['Harbor town reopens its lighthouse'] },
          },
        ],
      },
    ],
  },
);

const listSpec = endpointSpec({
  summary: 'List unknown words of a site',
  description:
    'Names and acronyms in ready audio that no entry and no dictionary knows: espeak-ng spoke them by its rules for letters. Without accepted ones; the most frequent first, at most 200.',
  tag: 'Pronunciations',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 90, default: defaultDays, description: 'Since the audio was ready' }),
    ),
  }),
  responses: reply(200, 'OK', 'The words', UnknownWords),
});

const acceptSpec = endpointSpec({
  summary: 'Accept the pronunciation of an unknown word',
  description: 'Accepts the word as it is spoken; the site no longer lists it.',
  tag: 'Pronunciations',
  access: 'session',
  role: 'editor',
  params: SiteParams,
  body: Type.Object({
    word: Type.String({ minLength: 1, maxLength: 100, description: 'As it is listed' }),
    accepted: Type.Optional(Type.Boolean({ default: true, description: 'False: withdraws it' })),
  }),
  bodyExample: { word: 'Qaqortoq' },
  responses: reply(200, 'Word updated', 'The word', Type.Object({ word: Type.String(), accepted: Type.Boolean() }), {
    example: { word: 'Qaqortoq', accepted: true },
  }),
});

export function unknownWordRoutes({ endpoint, database, getAliases }: Services) {
  return new Elysia({ name: 'unknown words', prefix: '/v1/sites/:site/unknown-words' })
    .get(
      '',
      ...endpoint(listSpec, async ({ site, query: { days = defaultDays } }) => ({
        items: await findUnknownWordsOfSite(database.read, site.id, days, getAliases),
      })),
    )
    .post(
      '/accept',
      ...endpoint(acceptSpec, async ({ user, site, body: { word, accepted = true } }) => {
        await database.write(site.id, async (db) => {
          const isChanged = accepted
            ? await acceptWord(db, site.id, word, user.email)
            : await withdrawAcceptance(db, site.id, word);
          if (!isChanged) return;
          const action = accepted ? 'word.accepted' : 'word.acceptance_withdrawn';
          await insertAuditEntry(db, { userId: user.id, action, siteId: site.id, subject: word });
        });
        return { word, accepted };
      }),
    );
}
