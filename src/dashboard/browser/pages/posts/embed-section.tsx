import { base } from '../../api.ts';
import { Copy } from '../../parts/copy.tsx';
import { Section } from '../../parts/page.tsx';

/** The line that brings the player of this post onto a page. */
export function EmbedSection({ postId }: { readonly postId: string }) {
  const script = `${location.origin}${base}/v1/public/player.js`;
  const snippet = `<script async src="${script}"></script>\n<lectern-player post-id="${escaped(postId)}"></lectern-player>`;
  return (
    <Section
      title="Show it on a page"
      about="Put this where the player is to stand, on a page of one of this site's domains. Pages that name their address when a post is handed in need no post-id."
    >
      <Copy label="Embed code" text={snippet} isBlock />
    </Section>
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
