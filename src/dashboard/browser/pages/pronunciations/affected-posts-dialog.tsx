import { useState } from 'preact/hooks';
import { type DataOf, request } from '../../api.ts';
import { Button, PageLink } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice, Notice, QueryView, Status } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { links } from '../../location.ts';
import { useAction, useQuery } from '../../query.ts';
import type { SiteRoutes } from '../../site.tsx';
import { bodyOf, type Entry, entriesOf, entryOf } from './pronunciations-api.ts';

type AffectedPosts = DataOf<SiteRoutes['pronunciations']['preview']['post']>;

/** Polling interval; each request searches all posts. */
const pollMs = 5_000;

interface AffectedPostsDialogProps {
  readonly site: string | undefined;
  readonly entry: Entry;
  readonly onClose: () => void;
}

/** The posts that contain a word, and how many of their audios use an older pronunciation of it. */
export function AffectedPostsDialog({ site, entry, onClose }: AffectedPostsDialogProps) {
  const [begun, setBegun] = useState<{ outdated: number; isComplete: boolean }>();
  const touched = useQuery(
    () => request(() => entriesOf(site).preview.post(bodyOf(entry))),
    [site, entry.id],
    (now) => (begun !== undefined && now !== undefined && now.outdated > 0 ? pollMs : undefined),
  );
  const remake = useAction(async () => {
    const { complete } = await request(() => entryOf(site, entry).remake.post());
    setBegun({ outdated: touched.value?.outdated ?? 0, isComplete: complete });
    touched.reload();
  });
  return (
    <Dialog title={`Posts with “${entry.word}”`} onClose={onClose}>
      <QueryView of={touched}>
        {(found) => (
          <div class="stack tight">
            <Count found={found} />
            <First site={site} found={found} />
            {begun === undefined ? (
              found.outdated > 0 && (
                <>
                  <p class="hint">
                    Only sentences with the word are synthesized. New posts go first. The existing audio is served until
                    then. Regeneration does not use quota.
                  </p>
                  <div class="actions">
                    <Button kind="quiet" onClick={onClose} label="Keep existing audio" />
                    <Button
                      kind="primary"
                      action={remake}
                      label={`Regenerate ${formatCount(found.outdated, 'audio file')}`}
                    />
                  </div>
                </>
              )
            ) : (
              <Going begun={begun} left={found.outdated} />
            )}
            <ErrorNotice problem={remake.problem} />
          </div>
        )}
      </QueryView>
    </Dialog>
  );
}

function Count({ found }: { readonly found: AffectedPosts }) {
  const { posts, outdated, complete } = found;
  if (posts === 0) return <p>No post contains this word{complete ? '' : ' among those searched'}.</p>;
  return (
    <p>
      {complete ? '' : 'At least '}
      <strong>{formatCount(posts, 'post')}</strong> {posts === 1 ? 'contains' : 'contain'} it.{' '}
      {outdated === 0
        ? 'All audio uses this pronunciation.'
        : `${formatCount(outdated, 'audio file')} ${outdated === 1 ? 'does' : 'do'} not use this pronunciation yet.`}
    </p>
  );
}

function First({ site, found }: { readonly site: string | undefined; readonly found: AffectedPosts }) {
  if (found.first.length === 0) return null;
  return (
    <ul class="rows tight">
      {found.first.map(({ site_id, post_id, language, outdated, sentence }) => (
        <li key={`${site_id} ${post_id} ${language}`} class="column">
          <span class="row">
            <PageLink to={links.post(site ?? site_id, post_id)} text={post_id} />
            {outdated && <Status tone="warn">Old pronunciation</Status>}
          </span>
          <span class="serif sub">{sentence}</span>
        </li>
      ))}
      {found.posts > found.first.length && (
        <li class="hint">and {formatCount(found.posts - found.first.length, 'more post')}</li>
      )}
    </ul>
  );
}

interface GoingProps {
  readonly begun: { readonly outdated: number; readonly isComplete: boolean };
  readonly left: number;
}

function Going({ begun, left }: GoingProps) {
  const done = Math.max(0, begun.outdated - left);
  const percent = begun.outdated === 0 ? 100 : Math.round((100 * done) / begun.outdated);
  return (
    <div role="status">
      <p>{left === 0 ? 'Regenerated, or being regenerated.' : 'Regeneration queued.'}</p>
      <progress aria-label="Regeneration progress" value={percent} max={100} />
      {!begun.isComplete && <Notice kind="warning">The queue is full. Try again when it is shorter.</Notice>}
    </div>
  );
}
