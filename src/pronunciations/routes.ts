import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { findPost } from '../audio/posts/store.ts';
import { listRegenerableAudioIds, regenerateAudios } from '../audio/regenerate.ts';
import type { RegeneratedAudios } from '../audio/schema.ts';
import { requireActiveSubscription } from '../auth/domain-access.ts';
import { restorableSince } from '../auth/undo.ts';
import type { Queries } from '../database/database.ts';
import type { Site } from '../database/schema.ts';
import { invalid } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { paginateById } from '../http/pagination.ts';
import { readTextBody } from '../http/request-body.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import {
  type PhonemeValidator,
  type PronunciationScope,
  parseEntry,
  parseRequestedLanguage,
  toEntry,
  toOwner,
  toPronunciationRecord,
} from './entry.ts';
import {
  contentTypes,
  type FileFormat,
  formatFile,
  importEntries,
  listAllEntries,
  parseFile,
} from './import-export.ts';
import {
  DeletedPronunciations,
  ExportQuery,
  exampleEntry,
  ImportQuery,
  ImportResponse,
  Pronunciation,
  PronunciationBody,
  PronunciationChanges,
  PronunciationPage,
  PronunciationParams,
  PronunciationsQuery,
  SavedPronunciation,
} from './schema.ts';
import {
  changePronunciation,
  createPhonemeValidator,
  createPronunciation,
  findPronunciation,
  listDeletedPronunciations,
  listPronunciations,
  removePronunciation,
  validatePhonemes,
} from './store.ts';

const tag = 'Pronunciations';

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
      responses: reply(200, 'OK', 'A page of entries, oldest first', PronunciationPage),
      errors: readErrors,
    }),
    listDeleted: endpointSpec({
      ...readList,
      summary: `List deleted entries of ${whose}`,
      description:
        'Those deleted within `LECTERN_DELETED_RETENTION_DAYS`, at most 200, without those that exist again or were deleted by an import. Create an entry to restore it.',
      responses: reply(200, 'OK', 'Deleted entries, newest first', DeletedPronunciations),
      errors: readErrors,
    }),
    create: endpointSpec({
      ...changeList,
      summary: `Create an entry in ${whose}`,
      description: `${whoMay} It applies to new audio. Existing audio keeps its pronunciation until it is regenerated; then only sentences with the word are synthesized again. Timings show the word as written. ${precedence} An entry for one language overrides one for all languages. Phonemes in \`[[…]]\` are validated against the voices that may use them.`,
      body: PronunciationBody,
      bodyExample: { word: exampleEntry.word, alias: exampleEntry.alias, language: 'en' },
      responses: reply(201, 'Pronunciation created', 'Added', SavedPronunciation, {
        headers: { Location: 'URL of the entry' },
      }),
      errors: [...changeErrors, 'conflict', 'disk_space_low'],
    }),
    show: endpointSpec({
      ...readEntry,
      summary: `Get an entry of ${whose}`,
      responses: reply(200, 'OK', 'The entry', Pronunciation),
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
  const { endpoint, database, catalog, baseUrl, config } = services;
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
      '/deleted',
      ...endpoint(specs.listDeleted, async ({ site = null }) => {
        const since = restorableSince(config.deletedRetentionDays);
        return { items: await listDeletedPronunciations(database.read, toOwner(site), since), next_cursor: null };
      }),
    )
    .get(
      '/:pronunciation',
      ...endpoint(specs.show, async ({ site = null, params }) => {
        const id = parseId(params.pronunciation, 'Pronunciation');
        const row = await findPronunciation(database.read, toOwner(site), id);
        return toPronunciationRecord(row, await createValidator(site));
      }),
    )
    .patch(
      '/:pronunciation',
      ...endpoint(specs.update, async ({ user, site = null, params, body }) => {
        const id = parseId(params.pronunciation, 'Pronunciation');
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
        const id = parseId(params.pronunciation, 'Pronunciation');
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

const maxBodyBytes = 2_000_000;
const xmlTypes = [contentTypes.pls, 'application/xml', 'text/xml'];
const importTypes = [contentTypes.csv, ...xmlTypes];

function buildFileSpecs(scope: PronunciationScope) {
  const { whose, whoMay, readList, changeList, readErrors, changeErrors } = buildScopeSpecs(scope);
  return {
    import: endpointSpec({
      ...changeList,
      summary: `Import ${whose}`,
      description: `${whoMay} CSV with a header row (\`word,alias,language,match_case\`; the last two are optional) or W3C PLS 1.0. The import is atomic; errors are reported by line, at most 50.`,
      query: ImportQuery,
      body: Type.String(),
      bodyExample: 'word,alias,language,match_case\r\nSiobhan,[[ʃɪvˈɔːn]],en,false\r\n',
      bodyTypes: importTypes,
      bodyHandling: 'unread',
      responses: reply(200, 'Pronunciations imported', 'Applied or predicted changes', ImportResponse, {
        example: { created: 120, changed: 3, unchanged: 41, deleted: 0, dry_run: false },
      }),
      errors: [...changeErrors, 'conflict', 'validation_failed'],
    }),
    export: endpointSpec({
      ...readList,
      summary: `Export ${whose}`,
      description: 'CSV or W3C PLS 1.0, in the format of the import.',
      query: ExportQuery,
      responses: {
        200: {
          description: 'The file',
          content: [
            { type: contentTypes.csv, schema: Type.String() },
            { type: contentTypes.pls, schema: Type.String() },
          ],
        },
      },
      errors: readErrors,
    }),
  };
}

export function importExportRoutes<Prefix extends string>(
  { endpoint, database, catalog }: Services,
  scope: PronunciationScope<Prefix>,
) {
  const specs = buildFileSpecs(scope);
  return new Elysia({ name: `${scope.name} pronunciation files`, prefix: scope.prefix })
    .post(
      '/import',
      ...endpoint(specs.import, async ({ request, user, site = null, query }) => {
        const { mode = 'merge', dry_run = false } = query;
        const text = await readTextBody(request, maxBodyBytes, importTypes);
        const validator = createPhonemeValidator(await catalog.voices(), site);
        const file = parseFile(text, parseFormat(request), validator);
        const result = await database.write(site?.id ?? 'server', (db) =>
          importEntries(db, { userId: user.id, site }, file, mode, dry_run),
        );
        return { ...result, dry_run };
      }),
    )
    .get(
      '/export',
      ...endpoint(specs.export, async ({ site = null, query }) => {
        const { format = 'csv' } = query;
        const language = parseRequestedLanguage(query.language);
        if (format === 'pls' && language === undefined) {
          throw invalid('language', 'is required for PLS: a document holds one language');
        }
        const rows = await listAllEntries(database.read, toOwner(site), language);
        return new Response(formatFile(rows.map(toEntry), format, language), {
          headers: {
            'content-type': `${contentTypes[format]}; charset=utf-8`,
            'content-disposition': `attachment; filename="${buildFileName(site, language)}.${format}"`,
          },
        });
      }),
    );
}

function parseFormat(request: Request): FileFormat {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === contentTypes.csv ? 'csv' : 'pls';
}

function buildFileName(site: Site | null, language: string | undefined): string {
  return ['pronunciations', site?.slug, language].filter((part) => part).join('-');
}
