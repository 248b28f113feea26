import { publicUrl } from './api.ts';
import wordPressPlugin from './wordpress-plugin.php' with { type: 'text' };

const script = `<script async src="${publicUrl}/v1/public/player.js"></script>`;

/**
 * The embed code of the player.
 * @param attributes by name; an empty value gives an attribute without a value
 */
export function playerSnippet(attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => (value === '' ? ` ${name}` : ` ${name}="${escaped(value)}"`))
    .join('');
  return `${script}\n<lectern-player${written}></lectern-player>`;
}

/** @param key a new key; undefined: a placeholder */
export function generateSnippet(key: string | undefined): string {
  const body = {
    post_id: 'first-post',
    post_title: 'Harbor town reopens its lighthouse',
    content:
      'The lighthouse of Port Ellery opened its doors again on Saturday. From now on visitors may climb its 199 steps every day until dusk.',
  };
  return [
    `curl ${publicUrl}/v1/audio/generate \\`,
    `  -H 'X-API-Key: ${key ?? 'YOUR_API_KEY'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body, null, 2)}'`,
  ].join('\n');
}

interface FramedPost {
  readonly domain: string;
  readonly postId: string;
  readonly title: string;
}

/** @returns an iframe, which also plays without JavaScript */
export function frameSnippet(post: FramedPost): string {
  return `<iframe ${frameAttributes(post)} loading="lazy" style="border: 0"></iframe>`;
}

/** @returns the same for AMP, which allows an iframe near the top of a page only with a placeholder */
export function ampSnippet(post: FramedPost): string {
  return `<amp-iframe ${frameAttributes(post)} layout="responsive" frameborder="0"
  sandbox="allow-scripts allow-same-origin allow-popups"><span placeholder></span></amp-iframe>`;
}

function frameAttributes({ domain, postId, title }: FramedPost): string {
  const query = new URLSearchParams({ domain, post_id: postId });
  const address = escaped(`${publicUrl}/v1/public/embed?${query}`);
  return `src="${address}" title="${escaped(title)}" width="600" height="156"`;
}

/** For systems that run HTML of one's own on each page. @param before CSS selector of the text */
export function injectedSnippet(before: string): string {
  return `${script}
<script>document.querySelector('${before}')?.before(document.createElement('lectern-player'))</script>`;
}

/** A plugin for WordPress 6.1 and later. The API key is in wp-config.php, where no editor and no page sees it. */
export function wordPressSnippet(): string {
  return wordPressPlugin.trimEnd().replace('https://lectern.example', publicUrl);
}

/** @returns the oEmbed discovery link for an article page */
export function discoverySnippet(pageUrl: string): string {
  const address = escaped(`${publicUrl}/v1/public/oembed?url=${encodeURIComponent(pageUrl)}`);
  return `<link rel="alternate" type="application/json+oembed" href="${address}">`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
