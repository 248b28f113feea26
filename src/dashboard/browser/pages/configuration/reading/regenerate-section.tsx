import { useState } from 'preact/hooks';
import { api, encodeSegment, unwrap } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Section } from '../../../components/page.tsx';
import { formatCount } from '../../../format.ts';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

/** Brings what is there already to the settings as they are now. */
export function RegenerateSection() {
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
      title="Existing audio"
      about="Existing audio keeps the settings it was generated with. Regenerate it to apply the current settings; new posts go first."
    >
      {remade !== undefined && (
        <div class="new-secret">
          <Notice kind={remade.complete ? 'success' : 'warning'}>
            <p>
              {formatCount(remade.audios, 'audio')} of {formatCount(remade.posts, 'post')}{' '}
              {remade.audios === 1 ? 'is' : 'are'} queued for regeneration.
              {!remade.complete && ' The queue is full: continue later.'}
              {remade.voiceless > 0 &&
                ` ${formatCount(remade.voiceless, 'audio')} skipped: the voice is not installed.`}
            </p>
          </Notice>
        </div>
      )}
      <Button onClick={() => setIsAsking(true)}>
        {remade?.complete === false ? 'Continue…' : 'Regenerate all audio…'}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Regenerate all audio?"
          confirmLabel="Regenerate all"
          action={remake}
          onClose={() => setIsAsking(false)}
        >
          <p>
            Every audio of {site.name} is made from its text with the settings and the lexicon as they are now. Only
            sentences that come out otherwise are spoken again. No quota is used, and players go on playing the present
            audio until the new one is ready.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function remakeAll(slug: string, madeBefore: string | undefined) {
  return unwrap(
    api
      .sites({ site: encodeSegment(slug) })
      .posts.remake.post(madeBefore === undefined ? {} : { made_before: madeBefore }),
  );
}
