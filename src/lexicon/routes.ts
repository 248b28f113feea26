import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { PronunciationRow } from '../database/lexicon-tables.ts';
import type { Database } from '../database/open.ts';
import type { Site } from '../database/tables.ts';
import { envelope } from '../http/envelope.ts';
import { readJsonBody } from '../http/json-body.ts';
import { pageFrom, startOfPage } from '../http/paging.ts';
import { idIn } from '../http/path-id.ts';
import { readQuery, validate } from '../http/validate.ts';
import { audit } from '../users/audit.ts';
import { difference } from '../users/difference.ts';
import type { SessionAccess } from '../users/session-access.ts';
import type { Catalog } from '../voices/catalog.ts';
import { askedLanguage, entryOf, pronunciationRecord, readEntry } from './entry.ts';
import { auditedSite, type Level, ownerOf } from './level.ts';
import { operationsOf } from './operations.ts';
import { PronunciationBody, PronunciationChanges, PronunciationsQuery } from './schema.ts';
import {
  deletePronunciation,
  findPronunciation,
  insertPronunciation,
  listPronunciations,
  unknownPronunciation,
  updatePronunciation,
} from './store.ts';
import { checkPhonemes, type JudgePhonemes, judgePhonemes } from './voices.ts';

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
