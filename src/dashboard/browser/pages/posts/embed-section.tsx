import { Copy } from '../../components/copy.tsx';
import { Section } from '../../components/page.tsx';
import { playerSnippet } from '../../snippets.ts';

/** The embed code of a post. */
export function EmbedSection({ postId }: { readonly postId: string }) {
  return (
    <Section
      title="Embed the player"
      about="Paste this code where the player should appear, on a page of a domain of this site. post-id is optional if the post has the URL of the page."
    >
      <Copy label="Embed code" text={playerSnippet({ 'post-id': postId })} isBlock />
    </Section>
  );
}
