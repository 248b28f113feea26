import { base } from '../../api.ts';
import { links } from '../../links.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { SiteDetail } from '../../site.tsx';

interface NoFiguresProps {
  readonly site: SiteDetail;
  readonly postId: string | undefined;
}

/** What must happen for figures to come. */
export function NoFigures({ site, postId }: NoFiguresProps) {
  const snippet = `<script async src="${location.origin}${base}/v1/public/player.js"></script>\n<lectern-player post-id="${attribute(postId ?? 'POST-ID')}"></lectern-player>`;
  return (
    <Empty
      title={postId === undefined ? 'Nothing was heard in these days' : 'Nobody heard this post'}
      action={
        postId === undefined && (
          <LinkButton href={`#${links.ofSite(site.slug, '/posts')}`}>Posts of this site</LinkButton>
        )
      }
    >
      <p>
        Figures come from the player on your pages. Put it into the page of{' '}
        {postId === undefined ? 'a post' : 'this post'}, press play there, and the first play shows
        here within seconds:
      </p>
      <Copy label="Embed code" text={snippet} isBlock />
      <p>
        The page must be on a domain of the site: {site.domains.join(', ')}. Apps and servers of
        your own send events with an API key: <code>POST /v1/events/track</code>.
      </p>
    </Empty>
  );
}

/** A post's id as the value of an attribute. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
