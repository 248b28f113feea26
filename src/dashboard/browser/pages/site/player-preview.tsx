import { useState } from 'preact/hooks';
import type { PlayerSettings } from '../../../../sites/player-settings.ts';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { LinkButton } from '../../components/button.tsx';
import { Choice } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { EmptyState, QueryView } from '../../components/page.tsx';
import { AddressBar, fetchNewestPost, Paper, paperArticle } from '../../components/paper.tsx';
import { links } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { isColor } from './accent.ts';

const shownParagraphs = 4;

/** The real player with the newest article, on a page of the paper. */
export function PlayerPreview({ settings }: { readonly settings: PlayerSettings }) {
  const { site, routes } = useSite();
  const [device, setDevice] = useState('desktop');
  const [scheme, setScheme] = useState('light');
  const newest = useQuery(
    async () => (await fetchNewestPost(routes.posts, shownParagraphs, 'ready')) ?? null,
    [site.slug],
  );
  return (
    <section class="stack" aria-label="Preview">
      <div class="row wide wrap">
        <Choice
          label="Device"
          value={device}
          onValue={setDevice}
          options={[
            { value: 'desktop', label: [<Icon key="icon" name="monitor" />, 'Desktop'] },
            { value: 'phone', label: [<Icon key="icon" name="smartphone" />, 'Phone'] },
          ]}
        />
        <Choice
          label="Color scheme of the page"
          value={scheme}
          onValue={setScheme}
          options={[
            { value: 'light', label: [<Icon key="icon" name="sun" />, 'Light'] },
            { value: 'dark', label: [<Icon key="icon" name="moon" />, 'Dark'] },
          ]}
        />
      </div>
      <QueryView of={newest}>
        {(post) =>
          post?.audioUrl === undefined ? (
            <EmptyState
              title="No audio yet"
              action={<LinkButton href={`#${links.firstListen(site.slug)}`} label="Generate the first audio" />}
            >
              <p>Your newest article is shown here with its player.</p>
            </EmptyState>
          ) : (
            <div class={device === 'phone' ? 'browser phone' : 'browser'}>
              <AddressBar />
              <Paper
                name={site.name}
                headline={post.title}
                isDark={scheme === 'dark'}
                paragraphs={post.paragraphs}
                player={
                  <AudioPlayer
                    key={scheme}
                    audioUrl={post.audioUrl}
                    segmentsUrl={post.segmentsUrl}
                    title={post.title}
                    article={paperArticle}
                    settings={toShown(settings)}
                  />
                }
              />
            </div>
          )
        }
      </QueryView>
    </section>
  );
}

/** Without colors that are not typed to their end. */
function toShown({ accent, ground, ...settings }: PlayerSettings): PlayerSettings {
  return {
    ...settings,
    accent: accent !== null && isColor(accent) ? accent : null,
    ground: isColor(ground) ? ground : 'none',
  };
}
