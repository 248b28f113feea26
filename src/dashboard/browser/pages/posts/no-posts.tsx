import { links } from '../../links.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useSite } from '../../site.tsx';

/** How a post gets here. */
export function NoPosts() {
  const { site, canEdit } = useSite();
  return (
    <Empty
      title="No posts yet"
      action={
        canEdit && (
          <>
            <LinkButton kind="primary" href={`#${links.ofSite(site.slug, '/new-post')}`}>
              New post by hand
            </LinkButton>
            <LinkButton href={`#${links.ofSite(site.slug, '/configuration')}`}>
              API keys and sources
            </LinkButton>
          </>
        )
      }
    >
      <p>A post is an article with what is read out of it. There are three ways to get one here:</p>
      <ul class="bullets">
        <li>
          <strong>By hand:</strong> paste a text, see how it will be read, and hand it in.
        </li>
        <li>
          <strong>By API:</strong> your content system sends each article with a key, under
          Configuration.
        </li>
        <li>
          <strong>From a source:</strong> name an RSS or Atom feed, and new items become posts by
          themselves.
        </li>
      </ul>
      {!canEdit && <p>Editors of this site can do that.</p>}
    </Empty>
  );
}

export function NoneMatching({ onAll }: { readonly onAll: () => void }) {
  return (
    <Empty title="No post matches" action={<Button onClick={onAll}>Show all posts</Button>}>
      <p>
        Words are searched in titles, ids and addresses; all of them have to be there. Shorter than
        three characters: what the id begins with.
      </p>
    </Empty>
  );
}
