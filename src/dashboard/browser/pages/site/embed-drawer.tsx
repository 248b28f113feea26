import { publicUrl } from '../../api.ts';
import { CopyLine } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { links } from '../../location.ts';
import { useSite } from '../../site.tsx';
import {
  ampSnippet,
  discoverySnippet,
  frameSnippet,
  injectedSnippet,
  playerSnippet,
  wordPressSnippet,
} from '../../snippets.ts';

const examplePost = 'news/4711';

/** Code for content systems, and for pages that the usual embed code does not fit. */
export function EmbedDrawer({ onClose }: { readonly onClose: () => void }) {
  const { site } = useSite();
  const [domain = ''] = site.domains;
  const { origin } = new URL(publicUrl);
  const framed = { domain, postId: examplePost, title: 'Listen to this article' };
  const feed = <a href={`#${links.ofSite(site.slug, '/sources?open=add')}`}>Add the feed</a>;
  return (
    <Dialog title="Other ways to embed" onClose={onClose} isDrawer>
      <div class="stack">
        <Way
          title="WordPress"
          about={
            <>
              Sends each post when it is published or changed, and shows the player above it. Save it as{' '}
              <code>wp-content/plugins/lectern.php</code> and activate it. In <code>wp-config.php</code> set an{' '}
              <a href={`#${links.ofSite(site.slug, '/developers?open=key')}`}>API key</a>:{' '}
              <code>define( 'LECTERN_KEY', 'svc_live_…' );</code>
            </>
          }
          label="WordPress plugin"
          text={wordPressSnippet()}
        />
        <Way
          title="Ghost"
          about={
            <>
              {feed} <code>https://{domain}/rss/</code>, and inject this code into the site footer. Other systems with a
              feed work the same; <code>.gh-content</code> is the element with the text.
            </>
          }
          label="Ghost code"
          text={injectedSnippet('.gh-content')}
        />
        <Way
          title="Drupal"
          about={
            <>
              {feed} <code>https://{domain}/rss.xml</code> with full text, and put this into{' '}
              <code>node--article--full.html.twig</code> above <code>{'{{ content }}'}</code>.
            </>
          }
          label="Drupal template code"
          text={playerSnippet({})}
        />
        <Way
          title="By post ID"
          about="Where the address of a page is not the address of its post. Your template fills in the ID."
          label="Embed code with post ID"
          text={playerSnippet({ 'post-id': examplePost })}
        />
        <Way
          title="Without JavaScript"
          about="For newsletters on the web. Add the host to frame-src of a Content-Security-Policy."
          label="Iframe code"
          text={frameSnippet(framed)}
        />
        <Way
          title="AMP"
          about="For pages with the component amp-iframe. It needs HTTPS."
          label="AMP code"
          text={ampSnippet(framed)}
        />
        <Way
          title="Content-Security-Policy"
          about="If your pages send one, add these sources."
          label="Policy"
          text={`script-src ${origin}; connect-src ${origin}; media-src ${origin}`}
        />
        <Way
          title="oEmbed"
          about="Systems with oEmbed show the player for a pasted address if the head of the page has this line."
          label="HTML for the head of an article"
          text={discoverySnippet(`https://${domain}/${examplePost}`)}
        />
      </div>
    </Dialog>
  );
}

interface WayProps {
  readonly title: string;
  readonly about: preact.ComponentChildren;
  readonly label: string;
  readonly text: string;
}

function Way({ title, about, label, text }: WayProps) {
  return (
    <section class="stack tight">
      <div>
        <h3>{title}</h3>
        <p class="sub small">{about}</p>
      </div>
      <CopyLine label={label} text={text} />
    </section>
  );
}
