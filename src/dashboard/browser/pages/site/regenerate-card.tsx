import { useState } from 'preact/hooks';
import { ask } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { useAction } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';

/** Regenerates existing audio with the current settings. */
export function RegenerateCard() {
  const { site, routes } = useSite();
  const [isAsking, setIsAsking] = useState(false);
  const [remade, setRemade] = useState<Awaited<ReturnType<typeof remakeAll>>>();
  const remake = useAction(async () => {
    // Continues where a full queue stopped the last request; nothing is generated twice.
    setRemade(await remakeAll(routes, remade?.complete === false ? { made_before: remade.made_before } : {}));
  });
  return (
    <Card
      title="Existing audio"
      actions={
        <Button icon="refresh-cw" onClick={() => setIsAsking(true)}>
          {remade?.complete === false ? 'Continue' : 'Regenerate all'}
        </Button>
      }
    >
      {remade === undefined && <p class="sub">It keeps the settings that it was generated with.</p>}
      {remade !== undefined && (
        <Notice kind={remade.complete ? 'success' : 'warning'}>
          {formatCount(remade.audios, 'audio file')} of {formatCount(remade.posts, 'post')}{' '}
          {remade.audios === 1 ? 'is' : 'are'} queued.
          {!remade.complete && ' The queue is full: continue later.'}
          {remade.voiceless > 0 && ` ${formatCount(remade.voiceless, 'audio file')} skipped: the voice is not there.`}
        </Notice>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Regenerate all audio?"
          confirmLabel="Regenerate all"
          action={remake}
          onClose={() => setIsAsking(false)}
        >
          <p>
            All audio of {site.name} is generated with the current settings and pronunciations, new posts first. Only
            changed sentences are spoken again. Listeners hear the present audio until then.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function remakeAll(routes: SiteRoutes, from: { readonly made_before?: string }) {
  return ask(() => routes.posts.remake.post(from));
}
