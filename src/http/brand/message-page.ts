import type { ErrorResponse } from '../error-response.ts';
import { acceptsHtml, escapeHtml, htmlResponse, renderHtmlDocument } from '../html.ts';
import { renderBrandHead, renderStyleLinks } from './brand.ts';

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
