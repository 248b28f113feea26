import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit } from '../auth/audit-log.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readTextBody } from '../http/request-body.ts';
import { readQuery } from '../http/validation.ts';
import { askedLanguage, auditedSite, entryOf, type Level, ownerOf } from './entry.ts';
import {
  allEntries,
  contentTypes,
  type FileFormat,
  importEntries,
  readFile,
  writeFile,
} from './import-export.ts';
import type { PronunciationDeps } from './routes.ts';
import { wordsOf } from './routes.ts';
import { judgePhonemes } from './voices.ts';

const bodyByteMax = 2_000_000;
const xmlTypes = [contentTypes.pls, 'application/xml', 'text/xml'];
const importTypes = [contentTypes.csv, ...xmlTypes];

const ImportQuery = Type.Object({
  mode: Type.Optional(
    Type.Union([Type.Literal('merge'), Type.Literal('replace')], {
      default: 'merge',
      description:
        '`merge` keeps entries that the file does not name, `replace` deletes them: with PLS those of its language',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'Only says what would come of it' }),
  ),
});

const ExportQuery = Type.Object({
  format: Type.Optional(Type.Union([Type.Literal('csv'), Type.Literal('pls')], { default: 'csv' })),
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description:
        'Only entries of this language; empty: of every. A PLS document holds one language, so there it is needed',
    }),
  ),
});

const Imported = Type.Object(
  {
    created: Type.Integer(),
    changed: Type.Integer(),
    unchanged: Type.Integer(),
    deleted: Type.Integer(),
    dry_run: Type.Boolean({ description: 'True: nothing was written' }),
  },
  { title: 'ImportedPronunciations' },
);

function operationsOf(level: Level) {
  const { whose, whoMay, lexicon, reading, changing } = wordsOf(level);
  return {
    import: described({
      ...lexicon,
      summary: `Import ${whose}`,
      description: `${whoMay} CSV with a head (\`word,alias,language,match_case\`; the last two may be missing), or W3C PLS 1.0. All of the file is taken or nothing: what is wrong is told line by line, the first 50.`,
      query: ImportQuery,
      body: Type.String(),
      bodyExample: 'word,alias,language,match_case\r\nSiobhan,[[ʃɪvˈɔːn]],en,false\r\n',
      bodyTypes: importTypes,
      answers: {
        200: {
          description: 'What has changed, or would',
          message: 'Pronunciations imported',
          data: Imported,
          example: { created: 120, changed: 3, unchanged: 41, deleted: 0, dry_run: false },
        },
      },
      errors: [...changing, 'conflict', 'validation_failed'],
    }),
    export: described({
      ...lexicon,
      summary: `Export ${whose}`,
      description:
        'As a table, or as a document of W3C PLS 1.0. What it gives out, the import takes.',
      query: ExportQuery,
      answers: {
        200: {
          description: 'The file',
          content: [
            { type: contentTypes.csv, schema: Type.String() },
            { type: contentTypes.pls, schema: Type.String() },
          ],
        },
      },
      errors: reading,
    }),
  };
}

/** A lexicon as a file. */
export function exchangeRoutes<Prefix extends string>(
  { database, catalog }: PronunciationDeps,
  level: Level<Prefix>,
) {
  const operations = operationsOf(level);
  return new Elysia({ name: `${level.name} exchange`, prefix: level.prefix })
    .post(
      '/import',
      async ({ request, params }) => {
        const { user, site } = await level.forChanges(request, params);
        const { mode = 'merge', dry_run = false } = readQuery(ImportQuery, request);
        const text = await readTextBody(request, bodyByteMax, importTypes);
        const judge = judgePhonemes(await catalog.voices(), site);
        const file = readFile(text, formatOf(request), judge);
        const imported = await database.write(async (db) => {
          const done = await importEntries(db, ownerOf(site), file, mode, dry_run);
          if (!dry_run) {
            await audit(db, {
              ...{ userId: user.id, action: 'pronunciations.imported', ...auditedSite(site) },
              after: { mode, ...done },
            });
          }
          return done;
        });
        return envelope('Pronunciations imported', { ...imported, dry_run });
      },
      operations.import,
    )
    .get(
      '/export',
      async ({ request, params }) => {
        const { site } = await level.forReading(request, params);
        const { format = 'csv', language: given } = readQuery(ExportQuery, request);
        const language = askedLanguage(given);
        if (format === 'pls' && language === undefined) {
          throw new AppError('validation_failed', 'Validation failed', {
            language: ['is required: a PLS document holds one language'],
          });
        }
        const rows = await allEntries(database.read, ownerOf(site), language);
        return new Response(writeFile(rows.map(entryOf), format, language), {
          headers: {
            'content-type': `${contentTypes[format]}; charset=utf-8`,
            'content-disposition': `attachment; filename="${fileName(site, language)}.${format}"`,
          },
        });
      },
      operations.export,
    );
}

function formatOf(request: Request): FileFormat {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === contentTypes.csv ? 'csv' : 'pls';
}

function fileName(site: Site | null, language: string | undefined): string {
  return ['pronunciations', site?.slug, language].filter((part) => part).join('-');
}
