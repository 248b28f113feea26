import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { diffStates, insertAuditEntry } from '../auth/audit-log.ts';
import type { RequireSession } from '../auth/sessions.ts';
import type { PronunciationRow } from '../database/feature-schema.ts';
import type { Database } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { envelope, toEndpointHook } from '../http/endpoint.ts';
import { decodeCursor, paginate } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { parseId, parseQuery, validate } from '../http/validation.ts';
import type { Catalog } from '../voices/catalog.ts';
import {
  type PronunciationScope,
  parseEntry,
  parseRequestedLanguage,
  toAuditSite,
  toEntry,
  toOwner,
  toPronunciationRecord,
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
  pronunciationNotFound,
  updatePronunciation,
} from './store.ts';
import { createPhonemeValidator, type PhonemeValidator, validatePhonemes } from './voices.ts';

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
export function buildScopeTexts({ name }: PronunciationScope) {
  const isSite = name === 'site';
  return {
    whose: isSite ? 'the pronunciations of a site' : 'the pronunciations of the installation',
    whoMay: isSite ? 'For editors.' : 'For admins.',
    holds: isSite
      ? 'It overrides the entry of the installation.'
      : 'It applies to every site without an entry for the word.',
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
function buildEndpoints(level: PronunciationScope) {
  const { whose, whoMay, holds, lexicon, entry, reading, changing } = buildScopeTexts(level);
  return {
    list: toEndpointHook({
      ...lexicon,
      summary: `List ${whose}`,
      query: PronunciationsQuery,
      responses: {
        200: {
          description: 'A page of entries, oldest first',
          message: 'OK',
          data: PronunciationPage,
          example: { items: [exampleEntry], next_cursor: null },
        },
      },
      errors: reading,
    }),
    create: toEndpointHook({
      ...lexicon,
      summary: `Create an entry in ${whose}`,
      description: `${whoMay} It applies to new audio. Existing audio keeps its pronunciation until it is regenerated; then only sentences with the word are synthesized again. Timings show the word as written. ${holds} An entry for one language overrides one for all languages. Phonemes in \`[[…]]\` are validated against the voices that may use them.`,
      body: PronunciationBody,
      bodyExample: { word: exampleEntry.word, alias: exampleEntry.alias, language: 'en' },
      responses: {
        201: {
          description: 'Added',
          message: 'Pronunciation created',
          data: Pronunciation,
          example: exampleEntry,
          headers: { Location: 'URL of the entry' },
        },
      },
      errors: [...changing, 'conflict'],
    }),
    show: toEndpointHook({
      ...entry,
      summary: `Get an entry of ${whose}`,
      responses: {
        200: {
          description: 'The entry',
          message: 'OK',
          data: Pronunciation,
          example: exampleEntry,
        },
      },
      errors: ['not_found'],
    }),
    change: toEndpointHook({
      ...entry,
      summary: `Update an entry of ${whose}`,
      description: `${whoMay} It holds for what is made from now on.`,
      body: PronunciationChanges,
      bodyExample: { alias: 'Shuh-vawn' },
      responses: {
        200: {
          description: 'The updated entry',
          message: 'Pronunciation updated',
          data: Pronunciation,
          example: { ...exampleEntry, alias: 'Shuh-vawn' },
        },
      },
      errors: ['not_found', 'not_allowed', 'conflict'],
    }),
    remove: toEndpointHook({
      ...entry,
      summary: `Delete an entry of ${whose}`,
      description: `${whoMay} It holds for what is made from now on.`,
      responses: {
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

const maxBodyBytes = 10_000;

export interface PronunciationDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
  readonly catalog: Pick<Catalog, 'voices'>;
  readonly baseUrl: string;
}

/** The entries of one lexicon. */
export function pronunciationRoutes<Prefix extends string>(
  { database, catalog, baseUrl }: PronunciationDeps,
  level: PronunciationScope<Prefix>,
) {
  const operations = buildEndpoints(level);
  const judgeFor = async (site: Site | null): Promise<PhonemeValidator> =>
    createPhonemeValidator(await catalog.voices(), site);
  const shown = (row: PronunciationRow, judge: PhonemeValidator) => toPronunciationRecord(row, judge(row).lacking);
  return new Elysia({ name: `${level.name} pronunciations`, prefix: level.prefix })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await level.authorizeRead(request, params);
        const query = parseQuery(PronunciationsQuery, request);
        const { limit, after } = decodeCursor(query, Type.Integer());
        const rows = await listPronunciations(database.read, toOwner(site), {
          ...{
            search: query.q,
            language: parseRequestedLanguage(query.language),
            after,
            limit: limit + 1,
          },
        });
        const judge = await judgeFor(site);
        return envelope(
          'OK',
          paginate(
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
        const { user, site, path } = await level.authorizeChange(request, params);
        const body = validate(PronunciationBody, await readJsonBody(request, maxBodyBytes));
        const entry = parseEntry({ language: '', match_case: false, ...body });
        const judge = await judgeFor(site);
        validatePhonemes(judge, entry);
        const made = await database.write(async (db) => {
          const row = await insertPronunciation(db, toOwner(site), entry);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'pronunciation.created', ...toAuditSite(site) },
            ...{ subject: row.word, after: toEntry(row) },
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
        const { site } = await level.authorizeRead(request, params);
        const row = await findPronunciation(
          database.read,
          toOwner(site),
          parseId(params.pronunciation, pronunciationNotFound),
        );
        return envelope('OK', shown(row, await judgeFor(site)));
      },
      operations.show,
    )
    .patch(
      '/:pronunciation',
      async ({ request, params }) => {
        const { user, site } = await level.authorizeChange(request, params);
        const id = parseId(params.pronunciation, pronunciationNotFound);
        const body = validate(PronunciationChanges, await readJsonBody(request, maxBodyBytes));
        const { word, alias, language, match_case } = parseEntry(body);
        const judge = await judgeFor(site);
        const changed = await database.write(async (db) => {
          const before = await findPronunciation(db, toOwner(site), id);
          const was = toEntry(before);
          const entry = {
            word: word ?? was.word,
            alias: alias ?? was.alias,
            language: language ?? was.language,
            match_case: match_case ?? was.match_case,
          };
          if (diffStates(was, entry) === undefined) return before;
          validatePhonemes(judge, entry);
          const now = await updatePronunciation(db, before, entry);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'pronunciation.changed', ...toAuditSite(site) },
            ...{ subject: now.word, before: was, after: toEntry(now) },
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
        const { user, site } = await level.authorizeChange(request, params);
        const id = parseId(params.pronunciation, pronunciationNotFound);
        await database.write(async (db) => {
          const row = await findPronunciation(db, toOwner(site), id);
          await deletePronunciation(db, id);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'pronunciation.deleted', ...toAuditSite(site) },
            ...{ subject: row.word, before: toEntry(row) },
          });
        });
        return envelope('Pronunciation deleted', { id });
      },
      operations.remove,
    );
}
