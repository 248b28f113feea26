import { LinkButton } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { links } from '../../links.ts';
import type { SiteDetail } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';

interface NoFiguresProps {
  readonly site: SiteDetail;
  readonly postId: string | undefined;
}

/** Empty state: how to get analytics. */
export function NoFigures({ site, postId }: NoFiguresProps) {
  return (
    <EmptyState
      title={postId === undefined ? 'No plays in this period' : 'No plays of this post in this period'}
      action={
        postId === undefined ? (
          <LinkButton href={`#${links.ofSite(site.slug, '/posts')}`}>Open posts</LinkButton>
        ) : undefined
      }
    >
      <p>
        Analytics come from the player on your pages. Add it to the page of{' '}
        {postId === undefined ? 'a post' : 'this post'} and press play. The play appears here within a minute.
      </p>
      <CopyLine label="Embed code" text={playerSnippet({ 'post-id': postId ?? 'POST-ID' })} />
      <p>
        The page must be on a domain of the site: {site.domains.join(', ')}. Your own apps and servers can send events
        with an API key: <code>POST /v1/events/track</code>.
      </p>
    </EmptyState>
  );
}
