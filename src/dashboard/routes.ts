import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { AppError } from '../errors.ts';
import { renderBrandHead } from '../http/brand/brand.ts';
import { escapeHtml, getBasePath, htmlResponse, renderHtmlDocument } from '../http/html.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';

/** The dashboard, a client of the public API. */
export function dashboardRoutes({ baseUrl }: { readonly baseUrl: string }) {
  const page = renderPage(baseUrl);
  let assets: Promise<Readonly<Record<string, Asset>>> | undefined;
  return new Elysia({ name: 'dashboard' })
    .get('/', () => htmlResponse(page))
    .get('/dashboard/:file', async ({ params, request }) => {
      assets ??= loadAssets();
      const files = await assets;
      const asset = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
      if (asset === undefined) throw new AppError('not_found');
      return assetResponse(request, asset);
    });
}

async function loadAssets(): Promise<Readonly<Record<string, Asset>>> {
  const { script, style } = await browserBundle('dashboard');
  return {
    'app.js': { content: script, type: 'text/javascript; charset=utf-8' },
    'app.css': { content: style, type: 'text/css; charset=utf-8' },
  };
}

function renderPage(baseUrl: string): string {
  const basePath = getBasePath(baseUrl);
  const publicUrl = new URL(baseUrl).href.replace(/\/+$/, '');
  return renderHtmlDocument({
    language: 'en',
    title: 'Lectern',
    head: [
      ...renderBrandHead(basePath),
      `<link rel="stylesheet" href="${basePath}/assets/tokens.css">`,
      `<link rel="stylesheet" href="${basePath}/dashboard/app.css">`,
      `<script type="module" src="${basePath}/dashboard/app.js"></script>`,
    ],
    body: `<noscript>The dashboard needs JavaScript. Everything is also available through the API: <a href="${basePath}/docs">${basePath}/docs</a>.</noscript>
<div id="app" data-base="${basePath}" data-public-url="${escapeHtml(publicUrl)}"></div>`,
  });
}
