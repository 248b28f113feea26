import { useState } from 'preact/hooks';
import { inBackground } from '../../background.ts';
import { links } from '../../links.ts';
import { useAction, useLoaded } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { LoadedView } from '../../parts/list.tsx';
import { Notice, ProblemNotice } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { counted } from '../../words.ts';
import {
  type Entry,
  type LexiconOf,
  previewWord,
  remakeTouched,
  type Touched,
} from './lexicon-api.ts';

/** Each count looks through all posts. */
const pollMs = 5_000;

interface TouchedDialogProps {
  readonly of: LexiconOf;
  readonly entry: Entry;
  readonly onClose: () => void;
}

/** Which posts hold a word, and those made again that don't have it as it is said now. */
export function TouchedDialog({ of, entry, onClose }: TouchedDialogProps) {
  const [begun, setBegun] = useState<{ outdated: number; isComplete: boolean }>();
  const { word, alias, language, match_case } = entry;
  const touched = useLoaded(
    () => previewWord(of, { word, alias, language, match_case }),
    [of, entry.id],
    (now) => (begun !== undefined && now !== undefined && now.outdated > 0 ? pollMs : undefined),
  );
  const remake = useAction(async () => {
    const { complete } = await remakeTouched(of, entry.id);
    setBegun({ outdated: touched.value?.outdated ?? 0, isComplete: complete });
    touched.reload();
  });
  return (
    <Dialog title={`Posts with “${word}”`} onClose={onClose}>
      <LoadedView of={touched}>
        {(found) => (
          <div class="touched">
            <Count found={found} />
            <First of={of} found={found} />
            {begun === undefined ? (
              found.outdated > 0 && (
                <>
                  <p class="hint">
                    Made again, only sentences with the word are spoken anew. They wait behind
                    everything new; until then the audio of now is served. No quota is touched.
                  </p>
                  <div class="actions">
                    <Button kind="quiet" onClick={onClose}>
                      Leave them as they are
                    </Button>
                    <Button
                      kind="primary"
                      isBusy={remake.isRunning}
                      onClick={() => inBackground(remake.run())}
                    >
                      Make {counted(found.outdated, 'audio')} again
                    </Button>
                  </div>
                </>
              )
            ) : (
              <Going begun={begun} left={found.outdated} />
            )}
            <ProblemNotice problem={remake.problem} />
          </div>
        )}
      </LoadedView>
    </Dialog>
  );
}

function Count({ found }: { readonly found: Touched }) {
  const { posts, outdated, complete } = found;
  if (posts === 0)
    return <p>No post holds this word{complete ? '' : ', as far as was searched'}.</p>;
  return (
    <p>
      {complete ? '' : 'At least '}
      <strong>{counted(posts, 'post')}</strong> {posts === 1 ? 'holds' : 'hold'} it.{' '}
      {outdated === 0
        ? 'All are made with what the entry says now.'
        : `${counted(outdated, 'audio')} ${outdated === 1 ? 'was' : 'were'} made without what the entry says now.`}
    </p>
  );
}

function First({ of, found }: { readonly of: LexiconOf; readonly found: Touched }) {
  if (found.first.length === 0) return null;
  return (
    <ul class="touched-posts">
      {found.first.map(({ site_id, post_id, language, outdated, sentence }) => (
        <li key={`${site_id} ${post_id} ${language}`}>
          <span class="entry-word">
            <a href={`#${links.post(of ?? site_id, post_id)}`}>{post_id}</a>
            {outdated && <Badge kind="warning">Without it</Badge>}
          </span>
          <span class="hint">{sentence}</span>
        </li>
      ))}
      {found.posts > found.first.length && (
        <li class="hint">and {counted(found.posts - found.first.length, 'more post')}</li>
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
      <p class="making">
        {left === 0 ? 'All are made, or being made, with the entry.' : 'They are in the queue.'}{' '}
        <Progress label="Made again" percent={percent} />
      </p>
      {!begun.isComplete && (
        <Notice kind="warning">
          There was no room in the queue for all of them. Ask again when it has become shorter.
        </Notice>
      )}
    </div>
  );
}
