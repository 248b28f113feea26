import { useState } from 'preact/hooks';
import { AudioPlayer } from '../../../components/audio-player.tsx';
import { LinkButton } from '../../../components/button.tsx';
import { CopyLine } from '../../../components/copy.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { CheckField, SelectField } from '../../../components/field.tsx';
import { Card } from '../../../components/page.tsx';
import { links } from '../../../links.ts';
import { useSite } from '../../../site.tsx';
import { playerSnippet } from '../../../snippets.ts';

type Theme = 'page' | 'light' | 'dark';

interface EmbedBuilderProps {
  /** The newest post with audio. */
  readonly newest:
    | {
        readonly post_id: string;
        readonly title: string | null;
        readonly audio: readonly { readonly audio_url: string | null }[];
      }
    | undefined;
}

/** Player options, the embed code, and a preview. */
export function EmbedBuilder({ newest }: EmbedBuilderProps) {
  const { site } = useSite();
  const [names, setNames] = useState('page');
  const [theme, setTheme] = useState<Theme>('page');
  const [isSticky, setIsSticky] = useState(false);
  const [canDownload, setCanDownload] = useState(false);
  const audioUrl = newest?.audio.find(({ audio_url }) => audio_url !== null)?.audio_url;
  const look = {
    ...(theme === 'page' ? {} : { theme }),
    ...(canDownload ? { download: '' as const } : {}),
  };
  const attributes = {
    ...(names === 'post' ? { 'post-id': newest?.post_id ?? 'news/4711' } : {}),
    ...look,
    ...(isSticky ? { sticky: '' } : {}),
  };
  return (
    <Card title="Player" about="Paste this code where the player should appear, for example in your article template.">
      <div class="builder">
        <div class="form">
          <SelectField
            label="Article"
            value={names}
            onValue={setNames}
            hint={
              names === 'page'
                ? 'The same code for every page: the player finds the post whose post_url is the canonical URL of the page.'
                : 'Your template inserts the post_id of the submitted post.'
            }
            options={[
              { value: 'page', label: 'The current page' },
              { value: 'post', label: 'Selected by post-id' },
            ]}
          />
          <SelectField
            label="Color scheme"
            value={theme}
            onValue={(value) => setTheme(value === 'light' || value === 'dark' ? value : 'page')}
            options={[
              { value: 'page', label: 'Same as the page' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
          <CheckField label="Sticky player" isChecked={isSticky} onChecked={setIsSticky} />
          <CheckField label="Allow MP3 download" isChecked={canDownload} onChecked={setCanDownload} />
        </div>
        <div class="result">
          <CopyLine label="Embed code" text={playerSnippet(attributes)} />
          {newest === undefined || audioUrl == null ? (
            <EmptyState
              title="No audio yet"
              action={<LinkButton href={`#${links.site(site.slug)}`}>Generate the first audio</LinkButton>}
            >
              <p>The player of your newest post is shown here.</p>
            </EmptyState>
          ) : (
            <AudioPlayer audioUrl={audioUrl} title={newest.title ?? newest.post_id} look={look} />
          )}
        </div>
      </div>
    </Card>
  );
}
