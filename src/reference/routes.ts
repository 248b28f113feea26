import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { hasSessionCookie } from '../auth/sessions.ts';
import { browserBundle } from '../build/browser-bundles.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { getBasePath } from '../http/html.ts';
import { buildOpenApiDocument, type MountedRoute, type ServerInfo } from '../http/openapi.ts';
import { type Asset, assetResponse, conditionalJsonResponse, pageResponse } from '../http/static-assets.ts';
import type { ApiDocument } from './document.ts';
import pageStyle from './page.css' with { type: 'text' };
import { renderReferencePage } from './page.ts';

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };

const documentOperation = endpointSpec({
  summary: 'Get the OpenAPI document',
  description: 'OpenAPI 3.1. The page `/docs` shows it and sends requests.',
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

/** The OpenAPI document, and a page that shows it and sends requests. */
export function referenceRoutes({ baseUrl, version }: ServerInfo, listRoutes: () => readonly MountedRoute[]) {
  let document: object | undefined;
  const getDocument = () => {
    document ??= buildOpenApiDocument(listRoutes(), { baseUrl, version });
    return document;
  };
  const pages = new Map<boolean, Asset>();
  const getPage = (hasSession: boolean) =>
    pages.getOrInsertComputed(hasSession, () => {
      const content = renderReferencePage(getDocument() as ApiDocument, getBasePath(baseUrl), hasSession);
      return { content, type: 'text/html; charset=utf-8' };
    });
  let script: Promise<Asset> | undefined;
  return new Elysia({ name: 'reference' })
    .get(
      '/v1/openapi.json',
      ({ request }) => conditionalJsonResponse(request, getDocument(), 'public, max-age=60'),
      toEndpointHook(documentOperation),
    )
    .get('/docs', ({ request }) => pageResponse(request, getPage(hasSessionCookie(request))))
    .get('/docs/page.css', ({ request }) => assetResponse(request, style))
    .get('/docs/reference.js', async ({ request }) => {
      script ??= loadScript();
      return assetResponse(request, await script);
    });
}

async function loadScript(): Promise<Asset> {
  const { script } = await browserBundle('reference');
  return { content: script, type: 'text/javascript; charset=utf-8' };
}
