import { useState } from 'preact/hooks';
import { useAction } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Section } from '../../parts/page.tsx';
import { counted } from '../../words.ts';
import { type LexiconOf, remakeTouched } from './lexicon-api.ts';

/** Everything made again that was made before its words were changed. */
export function RemakeChanged({ of }: { readonly of: LexiconOf }) {
  const [isAsked, setIsAsked] = useState(false);
  const [done, setDone] = useState<Awaited<ReturnType<typeof remakeTouched>>>();
  const remake = useAction(async () => setDone(await remakeTouched(of, undefined)));
  return (
    <Section
      title="Audio that is there already"
      about="Entries hold for what is made from now on. What was made before can be made again: only sentences with changed words are spoken anew."
      actions={<Button onClick={() => setIsAsked(true)}>Make again what has changed</Button>}
    >
      {done !== undefined && (
        <Notice kind={done.complete ? 'success' : 'warning'}>
          <p>
            {done.audios === 0
              ? 'Everything is made with the lexicon as it is.'
              : `${counted(done.audios, 'audio')} of ${counted(done.posts, 'post')} ${done.audios === 1 ? 'is' : 'are'} in the queue.`}
          </p>
          {done.voiceless > 0 && (
            <p>{counted(done.voiceless, 'audio')} stayed: the voice is not installed any more.</p>
          )}
          {!done.complete && <p>There was no room or time for more: ask again later.</p>}
        </Notice>
      )}
      {isAsked && (
        <ConfirmDialog
          title="Make again what has changed?"
          deed="Make again"
          action={remake}
          onClose={() => setIsAsked(false)}
        >
          <p>
            Every audio {of === undefined ? 'of every site ' : ''}with a word whose entry was added
            or changed since it was made. They wait behind everything that is new; until then the
            audio of now is served. No quota is touched.
          </p>
          <p>A word that was taken out is found no more: make those posts again one by one.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
