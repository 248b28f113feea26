import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import { AppError } from '../errors.ts';
import { renderBrandHead } from '../http/brand/brand.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { getBasePath, htmlResponse, renderHtmlDocument } from '../http/html.ts';
import { buildOpenApiDocument, type MountedRoute, type ServerInfo } from '../http/openapi.ts';
import { type Asset, assetResponse, conditionalJsonResponse } from '../http/static-assets.ts';
import pageStyle from './page.css' with { type: 'file' };
import startScript from './start.js' with { type: 'file' };

const files: Readonly<Record<string, { path: string; type: string }>> = {
  'swagger-ui-bundle.js': { path: swaggerScript, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { path: swaggerStyle, type: 'text/css; charset=utf-8' },
  'page.css': { path: pageStyle, type: 'text/css; charset=utf-8' },
  'start.js': { path: startScript, type: 'text/javascript; charset=utf-8' },
};

const assets = new Map<string, Promise<Asset>>();

const documentOperation = endpointSpec({
  summary: 'Get the OpenAPI document',
  description: 'OpenAPI 3.1. An interactive reference is at `/docs`.',
  tag: 'Operation',
  access: 'none',
  responses: {
    200: {
      description: 'The OpenAPI document',
      content: {
        type: 'application/json',
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
    },
    304: { description: 'Not modified' },
  },
});

/**
 * The OpenAPI document and an interactive page without third-party requests.
 * @param listRoutes everything mounted; called at the first request
 */
export function referenceRoutes({ baseUrl, version }: ServerInfo, listRoutes: () => readonly MountedRoute[]) {
  let document: object | undefined;
  const page = renderPage(getBasePath(baseUrl));
  return new Elysia({ name: 'reference' })
    .get(
      '/v1/openapi.json',
      ({ request }) => {
        document ??= buildOpenApiDocument(listRoutes(), { baseUrl, version });
        return conditionalJsonResponse(request, document, 'public, max-age=60');
      },
      toEndpointHook(documentOperation),
    )
    .get('/docs', () => htmlResponse(page))
    .get('/docs/:file', ({ params, request }) => serveFile(params.file, request));
}

function renderPage(basePath: string): string {
  return renderHtmlDocument({
    language: 'en',
    title: 'Lectern API',
    head: [
      ...renderBrandHead(basePath),
      `<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">`,
      `<link rel="stylesheet" href="${basePath}/docs/page.css">`,
      `<script src="${basePath}/docs/swagger-ui-bundle.js" defer></script>`,
      `<script src="${basePath}/docs/start.js" defer></script>`,
    ],
    body: `<noscript>This page needs JavaScript. The OpenAPI document is <a href="${basePath}/v1/openapi.json">openapi.json</a>.</noscript>
<main id="reference" data-document="${basePath}/v1/openapi.json"></main>`,
  });
}

async function serveFile(name: string, request: Request): Promise<Response> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new AppError('not_found', 'Not found');
  const asset = assets.getOrInsertComputed(name, async () => ({
    content: await Bun.file(file.path).bytes(),
    type: file.type,
  }));
  return assetResponse(request, await asset);
}
