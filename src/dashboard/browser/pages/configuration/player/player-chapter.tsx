import { api, ask, part, publicUrl } from '../../../api.ts';
import { links } from '../../../links.ts';
import { useLoaded } from '../../../loading.ts';
import { LinkButton } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { LoadedView } from '../../../parts/list.tsx';
import { Listen } from '../../../parts/listen.tsx';
import { Section } from '../../../parts/page.tsx';
import { useSite } from '../../../site.tsx';
import { playerSnippet } from '../../../snippets.ts';

/** What a page needs to let its article be heard. */
export function PlayerChapter() {
  const { site } = useSite();
  const newest = useLoaded(
    () =>
      ask(api.sites({ site: part(site.slug) }).posts.get({ query: { status: 'ready', limit: 1 } })),
    [site.slug],
  );
  const origin = new URL(publicUrl).origin;
  return (
    <>
      <Section
        title="In your pages"
        about="Put this where the player is to stand, in the template of your articles. It finds the audio by the page’s own address, when posts are handed in with post_url."
      >
        <Copy label="Embed code for a template" isBlock text={playerSnippet({})} />
        <p class="beneath">Or name the post, as your CMS did when it handed the post in:</p>
        <Copy
          label="Embed code of one post"
          isBlock
          text={playerSnippet({ 'post-id': newest.value?.items[0]?.post_id ?? 'news/4711' })}
        />
      </Section>
      <Section title="How it looks">
        <LoadedView of={newest}>
          {({ items: [post] }) => {
            const audio = post?.audio.find(({ audio_url }) => audio_url !== null);
            return post === undefined || audio?.audio_url == null ? (
              <Empty
                title="Nothing to hear yet"
                action={
                  <LinkButton href={`#${links.site(site.slug)}`}>Make the first audio</LinkButton>
                }
              >
                <p>The player of your newest post is shown here.</p>
              </Empty>
            ) : (
              <Listen audioUrl={audio.audio_url} title={post.title ?? post.post_id} />
            );
          }}
        </LoadedView>
      </Section>
      <Section
        title="Content-Security-Policy"
        about="A page that sends one names this server in it, beside what it has there already:"
      >
        <Copy
          label="Policy"
          isBlock
          text={`script-src ${origin}; connect-src ${origin}; media-src ${origin}`}
        />
      </Section>
    </>
  );
}
