import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit, difference } from '../auth/audit-log.ts';
import type { SessionAccess } from '../auth/sessions.ts';
import type { PronunciationRow } from '../database/feature-schema.ts';
import type { Database } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { described, envelope } from '../http/endpoint.ts';
import { pageFrom, startOfPage } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { idIn, readQuery, validate } from '../http/validation.ts';
import type { Catalog } from '../voices/catalog.ts';
import {
  askedLanguage,
  auditedSite,
  entryOf,
  type Level,
  ownerOf,
  pronunciationRecord,
  readEntry,
} from './entry.ts';
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
import { checkPhonemes, type JudgePhonemes, judgePhonemes } from './voices.ts';

const tag = 'Pronunciations';

export const exampleEntry = {
  id: 1,
  language: 'en',
  word: 'Siobhan',
  alias: '[[ʃɪˈvɔːn]]',
  match_case: false,
  lacking: [],
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

/** What is written alike of every route of a level. */
export function wordsOf({ name }: Level) {
  const isSite = name === 'site';
  return {
    whose: isSite ? "a site's lexicon" : 'the lexicon of the installation',
    whoMay: isSite ? 'For editors.' : 'For admins.',
    holds: isSite
      ? "It stands above the installation's."
      : 'It holds for every site that has no entry of its own for the word.',
    lexicon: { tag, access: 'session' as const, ...(isSite && { params: SiteParams }) },
    entry: {
      tag,
      access: 'session' as const,
      params: isSite
        ? Type.Object({ ...SiteParams.properties, ...PronunciationParams.properties })
        : PronunciationParams,
    },
    /** Errors of reading, and of changes. */
    reading: isSite ? (['not_found'] as const) : ([] as const),
    changing: isSite ? (['not_found', 'not_allowed'] as const) : (['not_allowed'] as const),
  };
}

/** How the routes of one lexicon are described. */
function operationsOf(level: Level) {
  const { whose, whoMay, holds, lexicon, entry, reading, changing } = wordsOf(level);
  return {
    list: described({
      ...lexicon,
      summary: `Words of ${whose}`,
      query: PronunciationsQuery,
      answers: {
        200: {
          description: 'A page of entries, oldest first',
          message: 'OK',
          data: PronunciationPage,
          example: { items: [exampleEntry], next_cursor: null },
        },
      },
      errors: reading,
    }),
    create: described({
      ...lexicon,
      summary: `Add a word to ${whose}`,
      description: `${whoMay} It holds for what is made from now on; an audio that is there stays as it is until it is made again, and then only the sentences with the word are spoken again. Timings show the word as it is written. ${holds} An entry of a language goes before one of every language. Phonemes in \`[[…]]\` are checked against the voices that may say them.`,
      body: PronunciationBody,
      bodyExample: { word: exampleEntry.word, alias: exampleEntry.alias, language: 'en' },
      answers: {
        201: {
          description: 'Added',
          message: 'Pronunciation created',
          data: Pronunciation,
          example: exampleEntry,
          headers: { Location: 'Address of the entry' },
        },
      },
      errors: [...changing, 'conflict'],
    }),
    show: described({
      ...entry,
      summary: `An entry of ${whose}`,
      answers: {
        200: {
          description: 'The entry',
          message: 'OK',
          data: Pronunciation,
          example: exampleEntry,
        },
      },
      errors: ['not_found'],
    }),
    change: described({
      ...entry,
      summary: `Change an entry of ${whose}`,
      description: `${whoMay} It holds for what is made from now on.`,
      body: PronunciationChanges,
      bodyExample: { alias: 'Shuh-vawn' },
      answers: {
        200: {
          description: 'As it is now',
          message: 'Pronunciation updated',
          data: Pronunciation,
          example: { ...exampleEntry, alias: 'Shuh-vawn' },
        },
      },
      errors: ['not_found', 'not_allowed', 'conflict'],
    }),
    remove: described({
      ...entry,
      summary: `Delete an entry of ${whose}`,
      description: `${whoMay} It holds for what is made from now on.`,
      answers: {
        200: {
          description: 'Deleted',
          message: 'Pronunciation deleted',
          data: Type.Object({ id: Type.Integer() }),
          example: { id: 1 },
        },
      },
      errors: ['not_found', 'not_allowed'],
    }),
  };
}

const bodyByteMax = 10_000;

export interface PronunciationDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly catalog: Pick<Catalog, 'voices'>;
  readonly baseUrl: string;
}

/** The entries of one lexicon. */
export function lexiconRoutes<Prefix extends string>(
  { database, catalog, baseUrl }: PronunciationDeps,
  level: Level<Prefix>,
) {
  const operations = operationsOf(level);
  const judgeFor = async (site: Site | null): Promise<JudgePhonemes> =>
    judgePhonemes(await catalog.voices(), site);
  const shown = (row: PronunciationRow, judge: JudgePhonemes) =>
    pronunciationRecord(row, judge(row).lacking);
  return new Elysia({ name: `${level.name} pronunciations`, prefix: level.prefix })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await level.forReading(request, params);
        const query = readQuery(PronunciationsQuery, request);
        const { limit, after } = startOfPage(query, Type.Integer());
        const rows = await listPronunciations(database.read, ownerOf(site), {
          ...{ part: query.q, language: askedLanguage(query.language), after, most: limit + 1 },
        });
        const judge = await judgeFor(site);
        return envelope(
          'OK',
          pageFrom(
            rows,
            limit,
            ({ id }) => id,
            (row) => shown(row, judge),
          ),
        );
      },
      operations.list,
    )
    .post(
      '',
      async ({ request, params }) => {
        const { user, site, path } = await level.forChanges(request, params);
        const body = validate(PronunciationBody, await readJsonBody(request, bodyByteMax));
        const entry = readEntry({ language: '', match_case: false, ...body });
        const judge = await judgeFor(site);
        checkPhonemes(judge, entry);
        const made = await database.write(async (db) => {
          const row = await insertPronunciation(db, ownerOf(site), entry);
          await audit(db, {
            ...{ userId: user.id, action: 'pronunciation.created', ...auditedSite(site) },
            ...{ subject: row.word, after: entryOf(row) },
          });
          return row;
        });
        const location = `${baseUrl}${path}/${made.id}`;
        return Response.json(envelope('Pronunciation created', shown(made, judge)), {
          ...{ status: 201, headers: { location } },
        });
      },
      operations.create,
    )
    .get(
      '/:pronunciation',
      async ({ request, params }) => {
        const { site } = await level.forReading(request, params);
        const row = await findPronunciation(
          database.read,
          ownerOf(site),
          idIn(params.pronunciation, unknownPronunciation),
        );
        return envelope('OK', shown(row, await judgeFor(site)));
      },
      operations.show,
    )
    .patch(
      '/:pronunciation',
      async ({ request, params }) => {
        const { user, site } = await level.forChanges(request, params);
        const id = idIn(params.pronunciation, unknownPronunciation);
        const body = validate(PronunciationChanges, await readJsonBody(request, bodyByteMax));
        const { word, alias, language, match_case } = readEntry(body);
        const judge = await judgeFor(site);
        const changed = await database.write(async (db) => {
          const before = await findPronunciation(db, ownerOf(site), id);
          const was = entryOf(before);
          const entry = {
            word: word ?? was.word,
            alias: alias ?? was.alias,
            language: language ?? was.language,
            match_case: match_case ?? was.match_case,
          };
          if (difference(was, entry) === undefined) return before;
          checkPhonemes(judge, entry);
          const now = await updatePronunciation(db, before, entry);
          await audit(db, {
            ...{ userId: user.id, action: 'pronunciation.changed', ...auditedSite(site) },
            ...{ subject: now.word, before: was, after: entryOf(now) },
          });
          return now;
        });
        return envelope('Pronunciation updated', shown(changed, judge));
      },
      operations.change,
    )
    .delete(
      '/:pronunciation',
      async ({ request, params }) => {
        const { user, site } = await level.forChanges(request, params);
        const id = idIn(params.pronunciation, unknownPronunciation);
        await database.write(async (db) => {
          const row = await findPronunciation(db, ownerOf(site), id);
          await deletePronunciation(db, id);
          await audit(db, {
            ...{ userId: user.id, action: 'pronunciation.deleted', ...auditedSite(site) },
            ...{ subject: row.word, before: entryOf(row) },
          });
        });
        return envelope('Pronunciation deleted', { id });
      },
      operations.remove,
    );
}
