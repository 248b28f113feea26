import { api, encodeSegment, publicUrl, unwrap } from '../../../api.ts';
import { Copy } from '../../../components/copy.tsx';
import { Section } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { useQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { discoverySnippet, frameSnippet } from '../../../snippets.ts';
import { EmbedBuilder } from './embed-builder.tsx';

/** What a page needs to let its article be heard. */
export function PlayerSection() {
  const { site } = useSite();
  const newest = useQuery(
    () => unwrap(api.sites({ site: encodeSegment(site.slug) }).posts.get({ query: { status: 'ready', limit: 1 } })),
    [site.slug],
  );
  const { origin } = new URL(publicUrl);
  const [domain = ''] = site.domains;
  return (
    <QueryView of={newest}>
      {({ items: [post] }) => (
        <>
          <EmbedBuilder newest={post} />
          <Section
            title="Content-Security-Policy"
            about="Pages that send one name this server in it, beside what stands there already."
          >
            <Copy label="Policy" isBlock text={`script-src ${origin}; connect-src ${origin}; media-src ${origin}`} />
          </Section>
          <Section
            title="Without JavaScript"
            about="A frame plays in newsletters’ web versions, in AMP, and wherever no script may run. Its host goes into frame-src of a Content-Security-Policy."
          >
            <Copy
              label="Frame"
              isBlock
              text={frameSnippet({
                domain,
                postId: post?.post_id ?? 'news/4711',
                title: post?.title ?? 'Listen to this article',
              })}
            />
          </Section>
          <Section
            title="oEmbed"
            about="Editors elsewhere who paste the address of an article get its player, when the head of its page has this line (oEmbed):"
          >
            <Copy
              label="HTML for the head of an article"
              isBlock
              text={discoverySnippet(post?.url ?? `https://${domain}/news/4711`)}
            />
          </Section>
        </>
      )}
    </QueryView>
  );
}
