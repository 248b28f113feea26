import { api, ask, encodeSegment, publicUrl } from '../../../api.ts';
import { CopyLine } from '../../../components/copy.tsx';
import { Card } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { useQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { discoverySnippet, frameSnippet } from '../../../snippets.ts';
import { EmbedBuilder } from './embed-builder.tsx';

/** Embed code and page settings for the player. */
export function PlayerSection() {
  const { site } = useSite();
  const newest = useQuery(
    () => ask(() => api.sites({ site: encodeSegment(site.slug) }).posts.get({ query: { status: 'ready', limit: 1 } })),
    [site.slug],
  );
  const { origin } = new URL(publicUrl);
  const [domain = ''] = site.domains;
  return (
    <QueryView of={newest}>
      {({ items: [post] }) => (
        <>
          <EmbedBuilder newest={post} />
          <Card
            title="Content-Security-Policy"
            about="If your pages send a Content-Security-Policy, add these sources to it."
          >
            <CopyLine label="Policy" text={`script-src ${origin}; connect-src ${origin}; media-src ${origin}`} />
          </Card>
          <Card
            title="Without JavaScript"
            about="Use an iframe where scripts are not allowed, for example in AMP or in web versions of newsletters. Add its host to frame-src of a Content-Security-Policy."
          >
            <CopyLine
              label="Iframe code"
              text={frameSnippet({
                domain,
                postId: post?.post_id ?? 'news/4711',
                title: post?.title ?? 'Listen to this article',
              })}
            />
          </Card>
          <Card
            title="oEmbed"
            about="Systems with oEmbed support show the player for a pasted article URL if the head of the article page contains this line:"
          >
            <CopyLine
              label="HTML for the head of an article"
              text={discoverySnippet(post?.url ?? `https://${domain}/news/4711`)}
            />
          </Card>
        </>
      )}
    </QueryView>
  );
}
