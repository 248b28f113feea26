import { Button, LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { links } from '../../links.ts';
import { useSite } from '../../site.tsx';

/** Ways to create a post. */
export function NoPosts() {
  const { site, canEdit } = useSite();
  return (
    <EmptyState
      title="No posts yet"
      action={
        canEdit && (
          <>
            <LinkButton kind="primary" href={`#${links.ofSite(site.slug, '/new')}`}>
              New post
            </LinkButton>
            <LinkButton href={`#${links.ofSite(site.slug, '/settings')}`}>Open configuration</LinkButton>
          </>
        )
      }
    >
      <p>A post is an article with its audio. Create posts in three ways:</p>
      <ul class="bullets">
        <li>
          <strong>In the dashboard:</strong> paste text, preview the narration, and submit the post.
        </li>
        <li>
          <strong>Through the API:</strong> your CMS submits each article with an API key.
        </li>
        <li>
          <strong>From a source:</strong> add an RSS, Atom or JSON feed. New items become posts.
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
        The search finds posts whose title, ID or URL contains every word. A search of fewer than three characters finds
        IDs that begin with it.
      </p>
    </EmptyState>
  );
}
