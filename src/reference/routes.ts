import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import { AppError } from '../errors.ts';
import { described } from '../http/endpoint.ts';
import { basePathOf, htmlDocument, noIcon, pageAnswer } from '../http/html.ts';
import { type DescribedServer, type MountedRoute, openApiDocument } from '../http/openapi.ts';
import { type Asset, assetAnswer, conditionalAnswer } from '../http/static-assets.ts';
import pageStyle from './page.css' with { type: 'file' };
import startScript from './start.js' with { type: 'file' };

export interface ReferenceDeps extends DescribedServer {
  /** Everything mounted, asked for when all is. */
  readonly routes: () => readonly MountedRoute[];
}

const files: Readonly<Record<string, { path: string; type: string }>> = {
  'swagger-ui-bundle.js': { path: swaggerScript, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { path: swaggerStyle, type: 'text/css; charset=utf-8' },
  'page.css': { path: pageStyle, type: 'text/css; charset=utf-8' },
  'start.js': { path: startScript, type: 'text/javascript; charset=utf-8' },
};

const assets = new Map<string, Promise<Asset>>();

const documentOperation = described({
  summary: 'This description',
  description: 'OpenAPI 3.1. `/docs` shows it as a page.',
  tag: 'Operation',
  access: 'none',
  answers: {
    200: {
      description: 'The OpenAPI document',
      content: {
        type: 'application/json',
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
    },
    304: { description: 'Unchanged since the ETag that was sent' },
  },
});

/** The OpenAPI document, and a page that shows it and lets one try the API; it loads nothing from outside. */
export function referenceRoutes({ routes, baseUrl, version }: ReferenceDeps) {
  let document: object | undefined;
  const page = pageOf(basePathOf(baseUrl));
  return new Elysia({ name: 'reference' })
    .get(
      '/v1/openapi.json',
      ({ request }) => {
        document ??= openApiDocument(routes(), { baseUrl, version });
        return conditionalAnswer(request, document, 'public, max-age=60');
      },
      documentOperation,
    )
    .get('/docs', () => pageAnswer(page))
    .get('/docs/:file', ({ params, request }) => fileAnswer(params.file, request));
}

function pageOf(basePath: string): string {
  return htmlDocument({
    language: 'en',
    title: 'Lectern API',
    head: [
      noIcon,
      `<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">`,
      `<link rel="stylesheet" href="${basePath}/docs/page.css">`,
      `<script src="${basePath}/docs/swagger-ui-bundle.js" defer></script>`,
      `<script src="${basePath}/docs/start.js" defer></script>`,
    ],
    body: `<noscript>This page needs JavaScript. The description itself is <a href="${basePath}/v1/openapi.json">openapi.json</a>.</noscript>
<main id="reference" data-document="${basePath}/v1/openapi.json"></main>`,
  });
}

async function fileAnswer(name: string, request: Request): Promise<Response> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new AppError('not_found', 'Not found');
  const asset = assets.getOrInsertComputed(name, async () => ({
    content: await Bun.file(file.path).bytes(),
    type: file.type,
  }));
  return assetAnswer(request, await asset);
}
