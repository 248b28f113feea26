import { api, ask, part, publicUrl } from '../../../api.ts';
import { useLoaded } from '../../../loading.ts';
import { Copy } from '../../../parts/copy.tsx';
import { LoadedView } from '../../../parts/list.tsx';
import { Section } from '../../../parts/page.tsx';
import { useSite } from '../../../site.tsx';
import { discoverySnippet, frameSnippet } from '../../../snippets.ts';
import { EmbedBuilder } from './embed-builder.tsx';

/** What a page needs to let its article be heard. */
export function PlayerChapter() {
  const { site } = useSite();
  const newest = useLoaded(
    () =>
      ask(api.sites({ site: part(site.slug) }).posts.get({ query: { status: 'ready', limit: 1 } })),
    [site.slug],
  );
  const { origin } = new URL(publicUrl);
  const [domain = ''] = site.domains;
  return (
    <LoadedView of={newest}>
      {({ items: [post] }) => (
        <>
          <EmbedBuilder newest={post} />
          <Section
            title="Content-Security-Policy"
            about="Pages that send one name this server in it, beside what stands there already."
          >
            <Copy
              label="Policy"
              isBlock
              text={`script-src ${origin}; connect-src ${origin}; media-src ${origin}`}
            />
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
            title="On other people’s pages"
            about="Editors elsewhere who paste the address of an article get its player, when the head of its page has this line (oEmbed):"
          >
            <Copy
              label="Line for the head of an article"
              isBlock
              text={discoverySnippet(post?.url ?? `https://${domain}/news/4711`)}
            />
          </Section>
        </>
      )}
    </LoadedView>
  );
}
