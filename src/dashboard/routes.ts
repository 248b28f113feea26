import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { AppError } from '../errors.ts';
import { basePathOf, htmlDocument, htmlText, noIcon, pageAnswer } from '../http/html.ts';
import { type Asset, assetAnswer } from '../http/static-assets.ts';

export interface DashboardDeps {
  readonly baseUrl: string;
}

/** The page for people: it does nothing that the API doesn't offer. */
export function dashboardRoutes({ baseUrl }: DashboardDeps) {
  const page = pageOf(baseUrl);
  let assets: Promise<Readonly<Record<string, Asset>>> | undefined;
  return new Elysia({ name: 'dashboard' })
    .get('/', () => pageAnswer(page))
    .get('/dashboard/:file', async ({ params, request }) => {
      assets ??= readAssets();
      const files = await assets;
      const asset = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
      if (asset === undefined) throw new AppError('not_found', 'Not found');
      return assetAnswer(request, asset);
    });
}

async function readAssets(): Promise<Readonly<Record<string, Asset>>> {
  const { script, style } = await browserBundle('dashboard');
  return {
    'app.js': { content: script, type: 'text/javascript; charset=utf-8' },
    'app.css': { content: style, type: 'text/css; charset=utf-8' },
  };
}

function pageOf(baseUrl: string): string {
  const basePath = basePathOf(baseUrl);
  const publicUrl = new URL(baseUrl).href.replace(/\/+$/, '');
  return htmlDocument({
    language: 'en',
    title: 'Lectern',
    head: [
      '<meta name="color-scheme" content="light dark">',
      noIcon,
      `<link rel="stylesheet" href="${basePath}/dashboard/app.css">`,
      `<script type="module" src="${basePath}/dashboard/app.js"></script>`,
    ],
    body: `<noscript>This page needs JavaScript. All it does can be done by the API: <a href="${basePath}/docs">${basePath}/docs</a>.</noscript>
<div id="app" data-base="${basePath}" data-public-url="${htmlText(publicUrl)}"></div>`,
  });
}
