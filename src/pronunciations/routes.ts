import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { findPost } from '../audio/posts/store.ts';
import { listRegenerableAudioIds, regenerateAudios } from '../audio/regenerate.ts';
import type { RegeneratedAudios } from '../audio/schema.ts';
import { diffStates, insertAuditEntry } from '../auth/audit-log.ts';
import { requireActiveSubscription } from '../auth/domain-access.ts';
import type { Queries } from '../database/database.ts';
import type { PronunciationRow } from '../database/feature-schema.ts';
import type { Site } from '../database/schema.ts';
import { invalid } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { paginateById } from '../http/pagination.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import {
  type Entry,
  type PhonemeValidator,
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
  SavedPronunciation,
} from './schema.ts';
import {
  deletePronunciation,
  findPronunciation,
  insertPronunciation,
  listPronunciations,
  pronunciationNotFound,
  updatePronunciation,
} from './store.ts';
import { createPhonemeValidator, validatePhonemes } from './voices.ts';

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

/** What the specs of one scope share. */
export function buildScopeSpecs({ name }: PronunciationScope) {
  const isSite = name === 'site';
  const entryParams = isSite
    ? Type.Object({ ...SiteParams.properties, ...PronunciationParams.properties })
    : PronunciationParams;
  const list = { tag, access: 'session', ...(isSite && { params: SiteParams }) } as const;
  const entry = { tag, access: 'session', params: entryParams } as const;
  // Entries of the installation apply to every site: all users may read them, admins may change them.
  const reader = isSite && ({ role: 'viewer' } as const);
  const editor = { role: isSite ? 'editor' : 'admin' } as const;
  return {
    whose: isSite ? 'the pronunciations of a site' : 'the pronunciations of the installation',
    whoMay: isSite ? 'For editors.' : 'For admins.',
    precedence: isSite
      ? 'It overrides the entry of the installation.'
      : 'It applies to every site without an entry for the word.',
    readList: { ...list, ...reader },
    changeList: { ...list, ...editor },
    readEntry: { ...entry, ...reader },
    changeEntry: { ...entry, ...editor },
    readErrors: isSite ? (['not_found'] as const) : ([] as const),
    changeErrors: isSite ? (['not_found', 'not_allowed'] as const) : (['not_allowed'] as const),
  };
}

function buildSpecs(scope: PronunciationScope) {
  const { whose, whoMay, precedence, readList, changeList, readEntry, changeEntry, readErrors, changeErrors } =
    buildScopeSpecs(scope);
  return {
    list: endpointSpec({
      ...readList,
      summary: `List ${whose}`,
      query: PronunciationsQuery,
      responses: reply(200, 'OK', 'A page of entries, oldest first', PronunciationPage, {
        example: { items: [exampleEntry], next_cursor: null },
      }),
      errors: readErrors,
    }),
    create: endpointSpec({
      ...changeList,
      summary: `Create an entry in ${whose}`,
      description: `${whoMay} It applies to new audio. Existing audio keeps its pronunciation until it is regenerated; then only sentences with the word are synthesized again. Timings show the word as written. ${precedence} An entry for one language overrides one for all languages. Phonemes in \`[[…]]\` are validated against the voices that may use them.`,
      body: PronunciationBody,
      bodyExample: { word: exampleEntry.word, alias: exampleEntry.alias, language: 'en' },
      responses: reply(201, 'Pronunciation created', 'Added', SavedPronunciation, {
        example: { ...exampleEntry, regenerated: null },
        headers: { Location: 'URL of the entry' },
      }),
      errors: [...changeErrors, 'conflict', 'disk_space_low'],
    }),
    show: endpointSpec({
      ...readEntry,
      summary: `Get an entry of ${whose}`,
      responses: reply(200, 'OK', 'The entry', Pronunciation, { example: exampleEntry }),
      errors: ['not_found'],
    }),
    update: endpointSpec({
      ...changeEntry,
      summary: `Update an entry of ${whose}`,
      description: `${whoMay} It applies to audio that is generated from now on.`,
      body: PronunciationChanges,
      bodyExample: { alias: 'Shuh-vawn' },
      responses: reply(200, 'Pronunciation updated', 'The updated entry', SavedPronunciation, {
        example: { ...exampleEntry, alias: 'Shuh-vawn', regenerated: null },
      }),
      errors: ['not_found', 'not_allowed', 'conflict', 'disk_space_low'],
    }),
    delete: endpointSpec({
      ...changeEntry,
      summary: `Delete an entry of ${whose}`,
      description: `${whoMay} It applies to audio that is generated from now on.`,
      responses: reply(200, 'Pronunciation deleted', 'Deleted', Type.Object({ id: Type.Integer() }), {
        example: { id: 1 },
      }),
      errors: ['not_found', 'not_allowed'],
    }),
  };
}

export function pronunciationRoutes<Prefix extends string>(services: Services, scope: PronunciationScope<Prefix>) {
  const { endpoint, database, catalog, baseUrl } = services;
  const specs = buildSpecs(scope);
  const createValidator = async (site: Site | null): Promise<PhonemeValidator> =>
    createPhonemeValidator(await catalog.voices(), site);
  return new Elysia({ name: `${scope.name} pronunciations`, prefix: scope.prefix })
    .get(
      '',
      ...endpoint(specs.list, async ({ site = null, query }) => {
        const filter = { search: query.q, language: parseRequestedLanguage(query.language) };
        const validator = await createValidator(site);
        return paginateById(
          query,
          (after, limit) => listPronunciations(database.read, toOwner(site), { ...filter, after, limit }),
          (rows) => rows.map((row) => toPronunciationRecord(row, validator)),
        );
      }),
    )
    .post(
      '',
      ...endpoint(specs.create, async ({ request, user, site = null, body }) => {
        const { regenerate_posts, ...values } = body;
        const entry = parseEntry({ language: '', match_case: false, ...values });
        const validator = await createValidator(site);
        const postRowIds = await findPostsToRegenerate(database.read, site, regenerate_posts);
        validatePhonemes(validator, entry);
        const row = await database.write(site?.id ?? 'server', (db) =>
          createPronunciation(db, { userId: user.id, site }, entry),
        );
        const path = scope.prefix.replace(':site', String(site?.id));
        requestContext(request).responseHeaders['location'] = `${baseUrl}${path}/${row.id}`;
        const regenerated = await regeneratePosts(services, site, postRowIds, row.language);
        return { ...toPronunciationRecord(row, validator), regenerated };
      }),
    )
    .get(
      '/:pronunciation',
      ...endpoint(specs.show, async ({ site = null, params }) => {
        const id = parseId(params.pronunciation, pronunciationNotFound);
        const row = await findPronunciation(database.read, toOwner(site), id);
        return toPronunciationRecord(row, await createValidator(site));
      }),
    )
    .patch(
      '/:pronunciation',
      ...endpoint(specs.update, async ({ user, site = null, params, body }) => {
        const id = parseId(params.pronunciation, pronunciationNotFound);
        const { regenerate_posts, ...values } = body;
        const changes = parseEntry(values);
        const validator = await createValidator(site);
        const postRowIds = await findPostsToRegenerate(database.read, site, regenerate_posts);
        const author = { userId: user.id, site };
        const row = await database.write(site?.id ?? 'server', (db) =>
          changePronunciation(db, author, id, changes, validator),
        );
        const regenerated = await regeneratePosts(services, site, postRowIds, row.language);
        return { ...toPronunciationRecord(row, validator), regenerated };
      }),
    )
    .delete(
      '/:pronunciation',
      ...endpoint(specs.delete, async ({ user, site = null, params }) => {
        const id = parseId(params.pronunciation, pronunciationNotFound);
        await database.write(site?.id ?? 'server', (db) => removePronunciation(db, { userId: user.id, site }, id));
        return { id };
      }),
    );
}

/**
 * @returns row ids; undefined without a request
 * @throws AppError `validation_failed`; `not_allowed` if nothing may be generated for the site
 */
async function findPostsToRegenerate(
  db: Queries,
  site: Site | null,
  postIds: readonly string[] | undefined,
): Promise<number[] | undefined> {
  if (postIds === undefined) return undefined;
  if (site === null) throw invalid('regenerate_posts', 'is only for the entries of a site');
  requireActiveSubscription(site);
  const posts = await Promise.all(postIds.map((postId) => findPost(db, site.id, postId)));
  const unknown = postIds.filter((_, index) => posts[index] === undefined);
  if (unknown.length > 0) {
    const problems = unknown.map((postId) => `post ${postId} not found`);
    throw invalid('regenerate_posts', ...problems);
  }
  return posts.flatMap((post) => post?.id ?? []);
}

async function regeneratePosts(
  services: Services,
  site: Site | null,
  postRowIds: readonly number[] | undefined,
  language: string,
): Promise<RegeneratedAudios | null> {
  if (site === null || postRowIds === undefined) return null;
  const { read } = services.database;
  const audioIds = await Promise.all(postRowIds.map((id) => listRegenerableAudioIds(read, id, language || undefined)));
  return regenerateAudios(services, site.id, audioIds.flat());
}

/** Who changes the entries of a site, or with null those of the installation. */
interface Author {
  readonly userId: number;
  readonly site: Site | null;
}

async function createPronunciation(db: Queries, { userId, site }: Author, entry: Entry): Promise<PronunciationRow> {
  const row = await insertPronunciation(db, toOwner(site), entry);
  await insertAuditEntry(db, {
    ...{ userId, action: 'pronunciation.created', ...toAuditSite(site) },
    ...{ subject: row.word, after: toEntry(row) },
  });
  return row;
}

/** @throws AppError `not_found`, `conflict`, `validation_failed` */
async function changePronunciation(
  db: Queries,
  { userId, site }: Author,
  id: number,
  changes: PronunciationChanges,
  validator: PhonemeValidator,
): Promise<PronunciationRow> {
  const row = await findPronunciation(db, toOwner(site), id);
  const before = toEntry(row);
  const entry = { ...before, ...changes };
  if (diffStates(before, entry) === undefined) return row;
  validatePhonemes(validator, entry);
  const updated = await updatePronunciation(db, row, entry);
  await insertAuditEntry(db, {
    ...{ userId, action: 'pronunciation.changed', ...toAuditSite(site) },
    ...{ subject: updated.word, before, after: toEntry(updated) },
  });
  return updated;
}

async function removePronunciation(db: Queries, { userId, site }: Author, id: number): Promise<void> {
  const row = await findPronunciation(db, toOwner(site), id);
  await deletePronunciation(db, id);
  await insertAuditEntry(db, {
    ...{ userId, action: 'pronunciation.deleted', ...toAuditSite(site) },
    ...{ subject: row.word, before: toEntry(row) },
  });
}
