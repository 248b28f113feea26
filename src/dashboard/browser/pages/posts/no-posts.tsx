import { Button, LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { links } from '../../links.ts';
import { useSite } from '../../site.tsx';

/** How a post gets here. */
export function NoPosts() {
  const { site, canEdit } = useSite();
  return (
    <EmptyState
      title="No posts yet"
      action={
        canEdit && (
          <>
            <LinkButton kind="primary" href={`#${links.ofSite(site.slug, '/new-post')}`}>
              New post by hand
            </LinkButton>
            <LinkButton href={`#${links.ofSite(site.slug, '/configuration')}`}>API keys and sources</LinkButton>
          </>
        )
      }
    >
      <p>A post is an article with its audio. Create posts in three ways:</p>
      <ul class="bullets">
        <li>
          <strong>By hand:</strong> paste a text, preview the narration, and submit it.
        </li>
        <li>
          <strong>By API:</strong> your content system sends each article with a key, under Configuration.
        </li>
        <li>
          <strong>From a source:</strong> add an RSS or Atom feed, and new items become posts automatically.
        </li>
      </ul>
      {!canEdit && <p>Creating posts requires the editor role.</p>}
    </EmptyState>
  );
}

export function NoMatchingPosts({ onAll }: { readonly onAll: () => void }) {
  return (
    <EmptyState title="No matching posts" action={<Button onClick={onAll}>Show all posts</Button>}>
      <p>
        Words are searched in titles, ids and addresses; all of them have to be there. Shorter than three characters:
        what the id begins with.
      </p>
    </EmptyState>
  );
}
