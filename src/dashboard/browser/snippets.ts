import { publicUrl } from './api.ts';

/** Loads the player. */
export const playerScript = `<script async src="${publicUrl}/v1/public/player.js"></script>`;

/** The embed code of the player. @param postId for a page that does not tell its post by its address */
export function playerSnippet(postId?: string): string {
  const attribute = postId === undefined ? '' : ` post-id="${escapeAttribute(postId)}"`;
  return `${playerScript}\n<lectern-player${attribute}></lectern-player>`;
}

export function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
