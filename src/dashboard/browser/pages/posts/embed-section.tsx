import { Copy } from '../../components/copy.tsx';
import { Section } from '../../components/page.tsx';
import { playerSnippet } from '../../snippets.ts';

/** The line that brings the player of this post onto a page. */
export function EmbedSection({ postId }: { readonly postId: string }) {
  return (
    <Section
      title="Embed the player"
      about="Put this where the player is to stand, on a page of one of this site's domains. Pages that name their address when a post is handed in need no post-id."
    >
      <Copy label="Embed code" text={playerSnippet({ 'post-id': postId })} isBlock />
    </Section>
  );
}
