import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Card } from '../../../components/page.tsx';
import { formatCount } from '../../../format.ts';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

/** Regenerates existing audio with the current settings. */
export function RegenerateSection() {
  const { site } = useSite();
  const [isAsking, setIsAsking] = useState(false);
  const [remade, setRemade] = useState<Awaited<ReturnType<typeof remakeAll>>>();
  const remake = useAction(async () => {
    // Continues where a full queue stopped the last request; nothing is generated twice.
    const since = remade?.complete === false ? remade.made_before : undefined;
    setRemade(await remakeAll(site.slug, since));
  });
  return (
    <Card
      title="Existing audio"
      about="Existing audio keeps the settings it was generated with. Regenerate it to apply the current settings; new posts go first."
    >
      {remade !== undefined && (
        <div class="new-secret">
          <Notice kind={remade.complete ? 'success' : 'warning'}>
            <p>
              {formatCount(remade.audios, 'audio file')} of {formatCount(remade.posts, 'post')}{' '}
              {remade.audios === 1 ? 'is' : 'are'} queued for regeneration.
              {!remade.complete && ' The queue is full: continue later.'}
              {remade.voiceless > 0 &&
                ` ${formatCount(remade.voiceless, 'audio file')} skipped: the voice is not installed.`}
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
            Regenerates all audio of {site.name} with the current settings and pronunciations. Only changed sentences
            are synthesized. Regeneration does not use quota. Players use the existing audio until the new audio is
            ready.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function remakeAll(slug: string, madeBefore: string | undefined) {
  return ask(() =>
    api
      .sites({ site: encodeSegment(slug) })
      .posts.remake.post(madeBefore === undefined ? {} : { made_before: madeBefore }),
  );
}
