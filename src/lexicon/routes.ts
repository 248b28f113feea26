import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { envelope } from '../http/envelope.ts';
import { readJsonBody } from '../http/json-body.ts';
import { described } from '../http/operation.ts';
import { pageFrom, startOfPage } from '../http/paging.ts';
import { idIn } from '../http/path-id.ts';
import { readQuery, validate } from '../http/validate.ts';
import { audit } from '../users/audit.ts';
import type { SessionAccess } from '../users/session-access.ts';
import { entryOf, languageOf, pronunciationRecord, readEntry } from './entry.ts';
import {
  Pronunciation,
  PronunciationBody,
  PronunciationChanges,
  PronunciationPage,
  PronunciationParams,
  PronunciationsQuery,
  SiteParams,
} from './schema.ts';
import {
  deletePronunciation,
  findPronunciation,
  insertPronunciation,
  listPronunciations,
  unknownPronunciation,
  updatePronunciation,
} from './store.ts';

const bodyByteMax = 10_000;
const tag = 'Pronunciations';

export interface PronunciationDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly baseUrl: string;
}

const example = {
  id: 1,
  language: 'en',
  word: 'Siobhan',
  alias: 'Shivawn',
  match_case: false,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

const listOperation = described({
  summary: "A site's lexicon",
  tag,
  access: 'session',
  params: SiteParams,
  query: PronunciationsQuery,
  answers: {
    200: {
      description: 'A page of entries, oldest first',
      message: 'OK',
      data: PronunciationPage,
      example: { items: [example], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const createOperation = described({
  summary: 'Add a word and what is said instead',
  description:
    'For editors. It holds for what is made from now on; an audio that is there stays as it is until its text changes, and then only the sentences with the word are spoken again. Timings show the word as it is written. An entry of a language goes before one of every language.',
  tag,
  access: 'session',
  params: SiteParams,
  body: PronunciationBody,
  bodyExample: { word: example.word, alias: example.alias, language: 'en' },
  answers: {
    201: {
      description: 'Added',
      message: 'Pronunciation created',
      data: Pronunciation,
      example,
      headers: { Location: 'Address of the entry' },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const showOperation = described({
  summary: 'An entry of the lexicon',
  tag,
  access: 'session',
  params: PronunciationParams,
  answers: { 200: { description: 'The entry', message: 'OK', data: Pronunciation, example } },
  errors: ['not_found'],
});

const changeOperation = described({
  summary: 'Change an entry of the lexicon',
  description: 'For editors. It holds for what is made from now on.',
  tag,
  access: 'session',
  params: PronunciationParams,
  body: PronunciationChanges,
  bodyExample: { alias: 'Shuh-vawn' },
  answers: {
    200: {
      description: 'As it is now',
      message: 'Pronunciation updated',
      data: Pronunciation,
      example: { ...example, alias: 'Shuh-vawn' },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const deleteOperation = described({
  summary: 'Delete an entry of the lexicon',
  description: 'For editors. It holds for what is made from now on.',
  tag,
  access: 'session',
  params: PronunciationParams,
  answers: {
    200: {
      description: 'Deleted',
      message: 'Pronunciation deleted',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 1 },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** What a site has said instead of words. */
export function pronunciationRoutes({ database, bySession, baseUrl }: PronunciationDeps) {
  return new Elysia({ name: 'pronunciations', prefix: '/v1/sites/:site/pronunciations' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const query = readQuery(PronunciationsQuery, request);
        const { limit, after } = startOfPage(query, Type.Integer());
        const rows = await listPronunciations(database.read, site.id, {
          ...{ part: query.q, language: askedLanguage(query.language), after, most: limit + 1 },
        });
        return envelope(
          'OK',
          pageFrom(rows, limit, ({ id }) => id, pronunciationRecord),
        );
      },
      listOperation,
    )
    .post(
      '',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const body = validate(PronunciationBody, await readJsonBody(request, bodyByteMax));
        const entry = readEntry({ language: '', match_case: false, ...body });
        const made = await database.write(async (db) => {
          const row = await insertPronunciation(db, site.id, entry);
          await audit(db, {
            ...{ userId: user.id, action: 'pronunciation.created', siteId: site.id },
            ...{ subject: row.word, after: entryOf(row) },
          });
          return row;
        });
        const location = `${baseUrl}/v1/sites/${site.id}/pronunciations/${made.id}`;
        return Response.json(envelope('Pronunciation created', pronunciationRecord(made)), {
          ...{ status: 201, headers: { location } },
        });
      },
      createOperation,
    )
    .get(
      '/:pronunciation',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const row = await findPronunciation(
          database.read,
          site.id,
          idIn(params.pronunciation, unknownPronunciation),
        );
        return envelope('OK', pronunciationRecord(row));
      },
      showOperation,
    )
    .patch(
      '/:pronunciation',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const id = idIn(params.pronunciation, unknownPronunciation);
        const body = validate(PronunciationChanges, await readJsonBody(request, bodyByteMax));
        const { word, alias, language, match_case } = readEntry(body);
        const changed = await database.write(async (db) => {
          const before = await findPronunciation(db, site.id, id);
          const was = entryOf(before);
          const now = await updatePronunciation(db, before, {
            word: word ?? was.word,
            alias: alias ?? was.alias,
            language: language ?? was.language,
            match_case: match_case ?? was.match_case,
          });
          await audit(db, {
            ...{ userId: user.id, action: 'pronunciation.changed', siteId: site.id },
            ...{ subject: now.word, before: was, after: entryOf(now) },
          });
          return now;
        });
        return envelope('Pronunciation updated', pronunciationRecord(changed));
      },
      changeOperation,
    )
    .delete(
      '/:pronunciation',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const id = idIn(params.pronunciation, unknownPronunciation);
        await database.write(async (db) => {
          const row = await findPronunciation(db, site.id, id);
          await deletePronunciation(db, id);
          await audit(db, {
            ...{ userId: user.id, action: 'pronunciation.deleted', siteId: site.id },
            ...{ subject: row.word, before: entryOf(row) },
          });
        });
        return envelope('Pronunciation deleted', { id });
      },
      deleteOperation,
    );
}

function askedLanguage(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const language = languageOf(given);
  if (language !== undefined) return language;
  throw new AppError('validation_failed', 'Validation failed', {
    language: ['must be a language code like en, or empty for those of every language'],
  });
}
