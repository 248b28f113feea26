import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { browserBundle } from '../executable/browser-bundles.ts';
import { type Asset, assetAnswer } from '../http/asset.ts';
import { basePathOf, pageAnswer } from '../http/page.ts';

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
  // As a URL is written, no quote is left in it.
  const publicUrl = new URL(baseUrl).href.replace(/\/+$/, '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lectern</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/dashboard/app.css">
<script type="module" src="${basePath}/dashboard/app.js"></script>
</head>
<body>
<noscript>This page needs JavaScript. All it does can be done by the API: <a href="${basePath}/docs">${basePath}/docs</a>.</noscript>
<div id="app" data-base="${basePath}" data-public-url="${publicUrl}"></div>
</body>
</html>
`;
}
