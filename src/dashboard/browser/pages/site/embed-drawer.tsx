import { publicUrl } from '../../api.ts';
import { CopyLine } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { links } from '../../location.ts';
import { useSite } from '../../site.tsx';
import { escapeAttribute, playerScript, playerSnippet } from '../../snippets.ts';
import wordPressPlugin from './wordpress-plugin.php' with { type: 'text' };

const examplePost = 'news/4711';

/** Code for content systems, and for pages that the usual embed code does not fit. */
export function EmbedDrawer({ onClose }: { readonly onClose: () => void }) {
  const { site } = useSite();
  const [domain = ''] = site.domains;
  const { origin } = new URL(publicUrl);
  const frame = frameAttributes(domain, examplePost, 'Listen to this article');
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
          text={wordPressPlugin.trimEnd().replace('https://lectern.example', publicUrl)}
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
          text={`${playerScript}
<script>document.querySelector('.gh-content')?.before(document.createElement('lectern-player'))</script>`}
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
          text={playerSnippet()}
        />
        <Way
          title="By post ID"
          about="Where the address of a page is not the address of its post. Your template fills in the ID."
          label="Embed code with post ID"
          text={playerSnippet(examplePost)}
        />
        <Way
          title="Without JavaScript"
          about="For newsletters on the web. Add the host to frame-src of a Content-Security-Policy."
          label="Iframe code"
          text={`<iframe ${frame} loading="lazy" style="border: 0"></iframe>`}
        />
        <Way
          title="AMP"
          about="For pages with the component amp-iframe. It needs HTTPS."
          label="AMP code"
          text={ampSnippet(frame)}
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
          text={discoveryLink(`https://${domain}/${examplePost}`)}
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

/** @returns attributes of an iframe, which also plays without JavaScript */
function frameAttributes(domain: string, postId: string, title: string): string {
  const query = new URLSearchParams({ domain, post_id: postId });
  const address = escapeAttribute(`${publicUrl}/v1/public/embed?${query}`);
  return `src="${address}" title="${escapeAttribute(title)}" width="600" height="156"`;
}

/** AMP allows an iframe near the top of a page only with a placeholder. */
function ampSnippet(frame: string): string {
  return `<amp-iframe ${frame} layout="responsive" frameborder="0"
  sandbox="allow-scripts allow-same-origin allow-popups"><span placeholder></span></amp-iframe>`;
}

function discoveryLink(pageUrl: string): string {
  const address = escapeAttribute(`${publicUrl}/v1/public/oembed?url=${encodeURIComponent(pageUrl)}`);
  return `<link rel="alternate" type="application/json+oembed" href="${address}">`;
}
