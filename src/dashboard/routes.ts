import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { AppError } from '../errors.ts';
import { escapeHtml, getBasePath, htmlResponse, renderHtmlDocument } from '../http/html.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';
import favicon from './favicon.svg' with { type: 'text' };
import { fonts } from './fonts.ts';

const icon: Asset = { content: favicon, type: 'image/svg+xml' };

/** The dashboard, a client of the public API. */
export function dashboardRoutes({ baseUrl }: { readonly baseUrl: string }) {
  const page = renderPage(baseUrl);
  let assets: Promise<Readonly<Record<string, Asset>>> | undefined;
  return (
    new Elysia({ name: 'dashboard' })
      .get('/', () => htmlResponse(page, { 'font-src': "'self'" }))
      .get('/favicon.svg', ({ request }) => assetResponse(request, icon))
      // What browsers ask for where a page names no icon.
      .get('/favicon.ico', ({ request }) => assetResponse(request, icon))
      .get('/dashboard/:file', async ({ params, request }) => {
        assets ??= loadAssets();
        const files = await assets;
        const asset = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
        if (asset === undefined) throw new AppError('not_found', 'Not found');
        return assetResponse(request, asset);
      })
  );
}

async function loadAssets(): Promise<Readonly<Record<string, Asset>>> {
  const { script, style } = await browserBundle('dashboard');
  const letters = Object.entries(fonts).map(async ([name, path]) => {
    return [name, { content: await Bun.file(path).bytes(), type: 'font/woff2' }] as const;
  });
  return {
    'app.js': { content: script, type: 'text/javascript; charset=utf-8' },
    'app.css': { content: style, type: 'text/css; charset=utf-8' },
    ...Object.fromEntries(await Promise.all(letters)),
  };
}

function renderPage(baseUrl: string): string {
  const basePath = getBasePath(baseUrl);
  const publicUrl = new URL(baseUrl).href.replace(/\/+$/, '');
  return renderHtmlDocument({
    language: 'en',
    title: 'Lectern',
    head: [
      '<meta name="color-scheme" content="light dark">',
      // --sunken of tokens.css.
      '<meta name="theme-color" content="#f3f1ec" media="(prefers-color-scheme: light)">',
      '<meta name="theme-color" content="#0d0f0e" media="(prefers-color-scheme: dark)">',
      `<link rel="icon" type="image/svg+xml" href="${basePath}/favicon.svg">`,
      `<link rel="stylesheet" href="${basePath}/dashboard/app.css">`,
      `<script type="module" src="${basePath}/dashboard/app.js"></script>`,
    ],
    body: `<noscript>The dashboard needs JavaScript. Everything is also available through the API: <a href="${basePath}/docs">${basePath}/docs</a>.</noscript>
<div id="app" data-base="${basePath}" data-public-url="${escapeHtml(publicUrl)}"></div>`,
  });
}
