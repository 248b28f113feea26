import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { mainFlag } from '../audio/store.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { daysAgo, timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { nullable } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import { createReplacer, type FindAliases } from '../speech/pronunciation/replacer.ts';
import type { WordCount } from '../speech/pronunciation/unknown-words.ts';

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

/** A word that was spoken by the rules of espeak-ng alone, as nothing else knows it. */
export type UnknownWord = Static<typeof UnknownWords>['items'][number];

/** The newest: a site with more posts sees the words of the last of them. */
const maxVersions = 2_000;
const maxWords = 200;
const maxPosts = 5;

/**
 * @param days since the audio was ready
 * @returns words of the served audio without a pronunciation or acceptance; the most frequent first
 */
export async function findUnknownWordsOfSite(
  db: Queries,
  siteId: number,
  days: number,
  getAliases: FindAliases,
): Promise<UnknownWord[]> {
  const versions = await listVersions(db, siteId, daysAgo(days));
  const accepted = new Set(await listAcceptedWords(db, siteId));
  const byLanguage = Map.groupBy(versions, ({ language }) => language);
  const words: UnknownWord[] = [];
  for (const [language, ofLanguage] of byLanguage) {
    const replace = createReplacer(await getAliases(siteId, language));
    const isNew = ({ word }: UnknownWord) => !accepted.has(word) && replace(word).replacements.length === 0;
    words.push(...countWords(language, ofLanguage).filter(isNew));
  }
  return words.sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1)).slice(0, maxWords);
}

type Version = Awaited<ReturnType<typeof listVersions>>[number];

/** @param versions the newest first */
function countWords(language: string, versions: readonly Version[]): UnknownWord[] {
  const words = new Map<string, UnknownWord>();
  for (const { unknown_words, external_id, title, ready_at } of versions) {
    for (const { word, count } of JSON.parse(unknown_words ?? '[]') as WordCount[]) {
      const entry = words.get(word);
      words.set(word, {
        ...{ word, language, count: (entry?.count ?? 0) + count, since: ready_at ?? '' },
        posts: [...(entry?.posts ?? []), external_id].slice(0, maxPosts),
        post_titles: [...(entry?.post_titles ?? []), title].slice(0, maxPosts),
      });
    }
  }
  return [...words.values()];
}

function listVersions(db: Queries, siteId: number, since: string) {
  return db
    .selectFrom('version')
    .innerJoin('audio', 'audio.version_id', 'version.id')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['version.unknown_words', 'version.ready_at', 'audio.language', 'audio.title', 'post.external_id'])
    .where('version.unknown_words', 'is not', null)
    .where('version.ready_at', '>=', since)
    .where('post.site_id', '=', siteId)
    .where('audio.is_main', '=', mainFlag)
    .orderBy('version.ready_at', 'desc')
    .limit(maxVersions)
    .execute();
}

/** @returns unknown words that are right as they are spoken */
export async function listAcceptedWords(db: Queries, siteId: number): Promise<string[]> {
  const rows = await db.selectFrom('accepted_word').select('word').where('site_id', '=', siteId).execute();
  return rows.map(({ word }) => word);
}

/** Run it in a transaction, as the next. @returns false if it was accepted before */
async function acceptWord(db: Queries, siteId: number, word: string, acceptedBy: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('accepted_word')
    .values({ site_id: siteId, word, accepted_by: acceptedBy, accepted_at: timestamp() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** @returns false if it was not accepted */
async function withdrawAcceptance(db: Queries, siteId: number, word: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('accepted_word')
    .where('site_id', '=', siteId)
    .where('word', '=', word)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const defaultDays = 7;

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
