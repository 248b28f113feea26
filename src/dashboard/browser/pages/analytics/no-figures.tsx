import { LinkButton } from '../../components/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { links } from '../../links.ts';
import type { SiteDetail } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';

interface NoFiguresProps {
  readonly site: SiteDetail;
  readonly postId: string | undefined;
}

/** What must happen for figures to come. */
export function NoFigures({ site, postId }: NoFiguresProps) {
  return (
    <EmptyState
      title={postId === undefined ? 'Nothing was heard in these days' : 'Nobody heard this post'}
      action={
        postId === undefined ? (
          <LinkButton href={`#${links.ofSite(site.slug, '/posts')}`}>Posts of this site</LinkButton>
        ) : undefined
      }
    >
      <p>
        Figures come from the player on your pages. Put it into the page of{' '}
        {postId === undefined ? 'a post' : 'this post'}, press play there, and the first play shows here within a
        minute:
      </p>
      <Copy label="Embed code" text={playerSnippet({ 'post-id': postId ?? 'POST-ID' })} isBlock />
      <p>
        The page must be on a domain of the site: {site.domains.join(', ')}. Apps and servers of your own send events
        with an API key: <code>POST /v1/events/track</code>.
      </p>
    </EmptyState>
  );
}
