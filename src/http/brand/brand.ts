import sansExt from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-ext-wght-normal.woff2' with {
  type: 'file',
};
import sans from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2' with {
  type: 'file',
};
import serifExt from '@fontsource-variable/newsreader/files/newsreader-latin-ext-wght-normal.woff2' with {
  type: 'file',
};
import serif from '@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2' with { type: 'file' };
import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import type { ErrorResponse } from '../error-response.ts';
import { acceptsHtml, escapeHtml, htmlResponse, renderHtmlDocument } from '../html.ts';
import { type Asset, assetResponse } from '../static-assets.ts';
import icon from './favicon.ico' with { type: 'file' };
import vectorIcon from './favicon.svg' with { type: 'text' };
import logo from './logo.svg' with { type: 'text' };
import mark from './mark.svg' with { type: 'text' };
import pageStyle from './page.css' with { type: 'text' };
import tokens from './tokens.css' with { type: 'text' };

const svgType = 'image/svg+xml';
const cssType = 'text/css; charset=utf-8';

const texts: Readonly<Record<string, Asset>> = {
  'tokens.css': { content: tokens, type: cssType },
  'page.css': { content: pageStyle, type: cssType },
  'logo.svg': { content: logo, type: svgType },
  'mark.svg': { content: mark, type: svgType },
};
const vectorIconAsset = { content: vectorIcon, type: svgType };

/** Fonts that `tokens.css` names. Other scripts use the fonts of the system. */
const fonts: Readonly<Record<string, string>> = {
  'instrument-sans-latin.woff2': sans,
  'instrument-sans-latin-ext.woff2': sansExt,
  'newsreader-latin.woff2': serif,
  'newsreader-latin-ext.woff2': serifExt,
};

const dayCache = 'public, max-age=86400';

/** Icon, fonts and style sheets of all pages. */
export function brandRoutes() {
  const files = new Map<string, Promise<Asset>>();
  const readAsset = (path: string, type: string) =>
    files.getOrInsertComputed(path, async () => ({ content: await Bun.file(path).bytes(), type }));
  return new Elysia({ name: 'brand' })
    .get('/favicon.svg', ({ request }) => assetResponse(request, vectorIconAsset, dayCache))
    .get('/favicon.ico', async ({ request }) => assetResponse(request, await readAsset(icon, 'image/x-icon'), dayCache))
    .get('/assets/:file', ({ params, request }) => assetResponse(request, getByName(texts, params.file)))
    .get('/assets/fonts/:file', async ({ params, request }) =>
      assetResponse(request, await readAsset(getByName(fonts, params.file), 'font/woff2'), dayCache),
    );
}

/**
 * @returns `tokens.css` and the fonts it names, by path, for pages without this server. Fonts that come late are not used
 * there: articles never move while they are read.
 */
export async function readStyleFiles(): Promise<ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>> {
  const read = Object.entries(fonts).map(
    async ([name, path]) => [`fonts/${name}`, await Bun.file(path).bytes()] as const,
  );
  return new Map<string, string | Uint8Array<ArrayBuffer>>([
    ['tokens.css', tokens.replaceAll('font-display: swap', 'font-display: optional')],
    ...(await Promise.all(read)),
  ]);
}

/** The paths of `readStyleFiles`. */
export const stylePaths: readonly string[] = ['tokens.css', ...Object.keys(fonts).map((name) => `fonts/${name}`)];

function getByName<T>(items: Readonly<Record<string, T>>, name: string): T {
  const item = Object.hasOwn(items, name) ? items[name] : undefined;
  if (item === undefined) throw new AppError('not_found');
  return item;
}

/** Elements of the `<head>` of every page: icon and the color of the browser's frame. */
export function renderBrandHead(basePath: string): string[] {
  return [
    '<meta name="color-scheme" content="light dark">',
    '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f3f1ec">',
    '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0d0f0e">',
    `<link rel="icon" href="${basePath}/favicon.svg" type="image/svg+xml">`,
    `<link rel="icon" href="${basePath}/favicon.ico" sizes="32x32">`,
  ];
}

/** Links to the fonts, colors and elements that the pages of the server share. */
export function renderStyleLinks(basePath: string): string[] {
  return ['tokens.css', 'page.css'].map((file) => `<link rel="stylesheet" href="${basePath}/assets/${file}">`);
}

interface MessagePage {
  readonly basePath: string;
  /** BCP 47 code. */
  readonly language?: string;
  readonly theme?: 'light' | 'dark' | undefined;
  readonly title: string;
  /** HTML elements below the title. */
  readonly content?: string;
  /** Default: with the logo above. */
  readonly isFramed?: boolean;
}

export function renderMessagePage(page: MessagePage): string {
  const { basePath, language = 'en', theme, title, content = '', isFramed = false } = page;
  const header = `<header class="top"><a class="logo" href="${basePath}/"><img src="${basePath}/assets/logo.svg" alt="Lectern" width="97" height="26"></a></header>\n`;
  return renderHtmlDocument({
    ...{ language, theme, title },
    head: ['<meta name="robots" content="noindex">', ...renderBrandHead(basePath), ...renderStyleLinks(basePath)],
    body: `${isFramed ? '' : header}<main class="message"><h1>${escapeHtml(title)}</h1>\n${content}</main>`,
  });
}

const maxPathLength = 200;
const explanations: Readonly<Record<number, string>> = {
  402: 'The audio of this site is not available at present.',
  404: 'It was removed, is not public, or the address is incomplete.',
  410: 'The article was changed or removed. Its page has the current audio, if there is one.',
};

/**
 * @param error of a request for something that is missing or not available
 * @returns a page for people who opened the address in a browser; undefined for other errors and for clients of the API
 */
export function toErrorPage(request: Request, error: ErrorResponse, basePath: string): Response | undefined {
  const explanation = explanations[error.status];
  if (explanation === undefined || !['GET', 'HEAD'].includes(request.method) || !acceptsHtml(request)) return undefined;
  const path = basePath + new URL(request.url).pathname;
  const shortPath = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path;
  const title = error.code === 'not_found' ? 'This page does not exist' : error.body.message;
  const page = renderMessagePage({
    basePath,
    title,
    content: `<p>${escapeHtml(explanation)}</p>
<p class="quiet"><code>${escapeHtml(shortPath)}</code></p>
<p class="actions"><a class="button main" href="${basePath}/">Dashboard</a> <a class="button" href="${basePath}/docs">API reference</a></p>`,
  });
  const { headers, body } = htmlResponse(page);
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  return new Response(body, { status: error.status, headers });
}
