import { useState } from 'preact/hooks';
import { request } from '../../api.ts';
import { Card, Notice } from '../../components/page.tsx';
import { ActionButton } from '../../components/row-actions.tsx';
import { formatCount } from '../../format.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';

/** Regenerates existing audio with the current settings. */
export function RegenerateCard() {
  const { site, routes } = useSite();
  const [remade, setRemade] = useState<Awaited<ReturnType<typeof remakeAll>>>();
  const isPartial = remade?.complete === false;
  const label = isPartial ? 'Continue' : 'Regenerate all';
  return (
    <Card
      title="Existing audio"
      actions={
        <ActionButton
          icon="refresh-cw"
          label={label}
          confirm={{
            title: 'Regenerate all audio?',
            text: (
              <p>
                All audio of {site.name} is generated with the current settings and pronunciations, new posts first.
                Only changed sentences are spoken again. Listeners hear the present audio until then.
              </p>
            ),
          }}
          // Continues where a full queue stopped the last request; nothing is generated twice.
          run={async () => setRemade(await remakeAll(routes, isPartial ? { made_before: remade.made_before } : {}))}
        />
      }
    >
      {remade === undefined ? (
        <p class="sub">It keeps the settings that it was generated with.</p>
      ) : (
        <Notice kind={remade.complete ? 'success' : 'warning'}>
          {formatCount(remade.audios, 'audio file')} of {formatCount(remade.posts, 'post')}{' '}
          {remade.audios === 1 ? 'is' : 'are'} queued.
          {!remade.complete && ' The queue is full: continue later.'}
          {remade.voiceless > 0 && ` ${formatCount(remade.voiceless, 'audio file')} skipped: the voice is not there.`}
        </Notice>
      )}
    </Card>
  );
}

function remakeAll(routes: SiteRoutes, from: { readonly made_before?: string }) {
  return request(() => routes.posts.remake.post(from));
}
