import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { useAction } from '../../../loading.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDialog } from '../../../parts/dialog.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Section } from '../../../parts/page.tsx';
import { useSite } from '../../../site.tsx';
import { counted } from '../../../words.ts';

/** Brings what is there already to the settings as they are now. */
export function RemakeSection() {
  const { site } = useSite();
  const [isAsking, setIsAsking] = useState(false);
  const [remade, setRemade] = useState<Awaited<ReturnType<typeof remakeAll>>>();
  const remake = useAction(async () => {
    // What the first time had no room for is gone on with, and nothing is made twice.
    const since = remade?.complete === false ? remade.made_before : undefined;
    setRemade(await remakeAll(site.slug, since));
  });
  return (
    <Section
      title="Audio that is there"
      about="It keeps what held when it was made. All of it can be made again, behind everything that is new; until then it is heard as it is."
    >
      {remade !== undefined && (
        <div class="new-secret">
          <Notice kind={remade.complete ? 'success' : 'warning'}>
            <p>
              {counted(remade.audios, 'audio')} of {counted(remade.posts, 'post')}{' '}
              {remade.audios === 1 ? 'is' : 'are'} made again.
              {!remade.complete &&
                ' The queue has no room for the rest just now: go on when it is shorter.'}
              {remade.voiceless > 0 &&
                ` ${counted(remade.voiceless, 'audio')} stay as they are: their voice is gone.`}
            </p>
          </Notice>
        </div>
      )}
      <Button onClick={() => setIsAsking(true)}>
        {remade?.complete === false ? 'Go on…' : 'Make all audio again…'}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Make all audio again?"
          deed="Make all again"
          action={remake}
          onClose={() => setIsAsking(false)}
        >
          <p>
            Every audio of {site.name} is made from its text with the settings and the lexicon as
            they are now. Only sentences that come out otherwise are spoken again. No quota is used,
            and players go on playing the present audio until the new one is ready.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function remakeAll(slug: string, madeBefore: string | undefined) {
  return ask(
    api
      .sites({ site: part(slug) })
      .posts.remake.post(madeBefore === undefined ? {} : { made_before: madeBefore }),
  );
}
