import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Site } from '../database/schema.ts';
import { invalid } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { readTextBody } from '../http/request-body.ts';
import type { Services } from '../services.ts';
import { type PronunciationScope, parseRequestedLanguage, toAuditSite, toEntry, toOwner } from './entry.ts';
import {
  contentTypes,
  type FileFormat,
  formatFile,
  importEntries,
  listAllEntries,
  parseFile,
} from './import-export.ts';
import { buildScopeSpecs } from './routes.ts';
import { createPhonemeValidator } from './voices.ts';

const maxBodyBytes = 2_000_000;
const xmlTypes = [contentTypes.pls, 'application/xml', 'text/xml'];
const importTypes = [contentTypes.csv, ...xmlTypes];

const ImportQuery = Type.Object({
  mode: Type.Optional(
    Type.Union([Type.Literal('merge'), Type.Literal('replace')], {
      default: 'merge',
      description:
        '`merge` keeps entries missing from the file; `replace` deletes them (with PLS: those of its language)',
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Validate and report changes without writing' })),
});

const ExportQuery = Type.Object({
  format: Type.Optional(Type.Union([Type.Literal('csv'), Type.Literal('pls')], { default: 'csv' })),
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description:
        'Only entries of this language; empty: entries for all languages. Required for PLS, which holds one language',
    }),
  ),
});

const ImportResponse = Type.Object(
  {
    created: Type.Integer(),
    changed: Type.Integer(),
    unchanged: Type.Integer(),
    deleted: Type.Integer(),
    dry_run: Type.Boolean({ description: 'Whether this was a dry run' }),
  },
  { title: 'ImportedPronunciations' },
);

function buildSpecs(scope: PronunciationScope) {
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
  const specs = buildSpecs(scope);
  return new Elysia({ name: `${scope.name} pronunciation files`, prefix: scope.prefix })
    .post(
      '/import',
      ...endpoint(specs.import, async ({ request, user, site = null, query }) => {
        const { mode = 'merge', dry_run = false } = query;
        const text = await readTextBody(request, maxBodyBytes, importTypes);
        const validator = createPhonemeValidator(await catalog.voices(), site);
        const file = parseFile(text, parseFormat(request), validator);
        const result = await database.write(site?.id ?? 'server', async (db) => {
          const counts = await importEntries(db, toOwner(site), file, mode, dry_run);
          const action = { userId: user.id, action: 'pronunciations.imported', ...toAuditSite(site) };
          if (!dry_run) await insertAuditEntry(db, { ...action, after: { mode, ...counts } });
          return counts;
        });
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
