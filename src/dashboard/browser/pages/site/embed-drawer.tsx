import { publicUrl } from '../../api.ts';
import { CopyLine } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useSite } from '../../site.tsx';
import { discoverySnippet, frameSnippet, playerSnippet } from '../../snippets.ts';

const examplePost = 'news/4711';

/** Embed codes for pages that the usual one does not fit. */
export function EmbedDrawer({ onClose }: { readonly onClose: () => void }) {
  const { site } = useSite();
  const [domain = ''] = site.domains;
  const { origin } = new URL(publicUrl);
  return (
    <Dialog title="Other ways to embed" onClose={onClose} isDrawer>
      <div class="stack">
        <Way
          title="By post ID"
          about="Where the address of a page is not the address of its post. Your template fills in the ID."
        >
          <CopyLine label="Embed code with post ID" text={playerSnippet({ 'post-id': examplePost })} />
        </Way>
        <Way
          title="Without JavaScript"
          about="For AMP or newsletters on the web. Add the host to frame-src of a Content-Security-Policy."
        >
          <CopyLine
            label="Iframe code"
            text={frameSnippet({ domain, postId: examplePost, title: 'Listen to this article' })}
          />
        </Way>
        <Way title="Content-Security-Policy" about="If your pages send one, add these sources.">
          <CopyLine label="Policy" text={`script-src ${origin}; connect-src ${origin}; media-src ${origin}`} />
        </Way>
        <Way
          title="oEmbed"
          about="Systems with oEmbed show the player for a pasted address if the head of the page has this line."
        >
          <CopyLine
            label="HTML for the head of an article"
            text={discoverySnippet(`https://${domain}/${examplePost}`)}
          />
        </Way>
      </div>
    </Dialog>
  );
}

interface WayProps {
  readonly title: string;
  readonly about: string;
  readonly children: preact.ComponentChildren;
}

function Way({ title, about, children }: WayProps) {
  return (
    <section class="stack tight">
      <div>
        <h3>{title}</h3>
        <p class="sub small">{about}</p>
      </div>
      {children}
    </section>
  );
}
