import { publicUrl } from './api.ts';

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

/** @returns an iframe, which also plays without JavaScript */
export function frameSnippet(post: { domain: string; postId: string; title: string }): string {
  const query = new URLSearchParams({ domain: post.domain, post_id: post.postId });
  const address = escaped(`${publicUrl}/v1/public/embed?${query}`);
  return `<iframe src="${address}" title="${escaped(post.title)}" width="600" height="156" loading="lazy" style="border: 0"></iframe>`;
}

/** @returns the oEmbed discovery link for an article page */
export function discoverySnippet(pageUrl: string): string {
  const address = escaped(`${publicUrl}/v1/public/oembed?url=${encodeURIComponent(pageUrl)}`);
  return `<link rel="alternate" type="application/json+oembed" href="${address}">`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
