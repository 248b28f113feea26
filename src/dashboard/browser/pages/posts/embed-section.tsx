import { CopyLine } from '../../components/copy.tsx';
import { Card } from '../../components/page.tsx';
import { playerSnippet } from '../../snippets.ts';

/** The embed code of a post. */
export function EmbedSection({ postId }: { readonly postId: string }) {
  return (
    <Card
      title="Embed the player"
      about="Paste this code where the player should appear, on a page of a domain of this site. post-id is optional if the post has the URL of the page."
    >
      <CopyLine label="Embed code" text={playerSnippet({ 'post-id': postId })} />
    </Card>
  );
}
