import { useState } from 'preact/hooks';
import type { PlayerSettings } from '../../../../sites/player-settings.ts';
import { ask, encodeSegment } from '../../api.ts';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Choice } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { AddressBar, Paper, paperArticle, toParagraphs } from '../../components/paper.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { links } from '../../links.ts';
import { useQuery } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { isColor } from './accent.ts';

const shownParagraphs = 4;

/** The real player with the newest article, on a page of the paper. */
export function PlayerPreview({ settings }: { readonly settings: PlayerSettings }) {
  const { site, routes } = useSite();
  const [device, setDevice] = useState('desktop');
  const [scheme, setScheme] = useState('light');
  const newest = useQuery(() => fetchNewest(routes.posts), [site.slug]);
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
          post === null ? (
            <EmptyState
              title="No audio yet"
              action={<LinkButton href={`#${links.firstListen(site.slug)}`}>Generate the first audio</LinkButton>}
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

/** The newest post with audio; null: none. */
async function fetchNewest(posts: SiteRoutes['posts']) {
  const [listed] = (await ask(() => posts.get({ query: { state: 'ready', limit: 1 } }))).items;
  if (listed === undefined) return null;
  const { audio } = await ask(() => posts({ post_id: encodeSegment(listed.post_id) }).get());
  const main = audio.find((one) => one.main && one.audio_url !== null);
  if (main?.audio_url == null) return null;
  return {
    title: listed.title ?? listed.post_id,
    audioUrl: main.audio_url,
    segmentsUrl: main.segments_url ?? undefined,
    paragraphs: toParagraphs(main.content ?? '', shownParagraphs),
  };
}
