import { useState } from 'preact/hooks';
import { links } from '../../../links.ts';
import { LinkButton } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { CheckField, SelectField } from '../../../parts/field.tsx';
import { Listen } from '../../../parts/listen.tsx';
import { Section } from '../../../parts/page.tsx';
import { useSite } from '../../../site.tsx';
import { playerSnippet } from '../../../snippets.ts';

type Theme = 'page' | 'light' | 'dark';

interface EmbedBuilderProps {
  /** The newest post that can be heard. */
  readonly newest:
    | {
        readonly post_id: string;
        readonly title: string | null;
        readonly audio: readonly { readonly audio_url: string | null }[];
      }
    | undefined;
}

/** Options, the line that they make, and the player as it then looks. */
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
    <Section
      title="Player"
      about="Put this where the player is to stand, best in the template of your articles."
    >
      <div class="builder">
        <div class="form">
          <SelectField
            label="Which article it plays"
            value={names}
            onValue={setNames}
            hint={
              names === 'page'
                ? 'One line for every page: it goes by the address of the page (rel=canonical), as posts name it in post_url.'
                : 'Your template fills in the post_id by which the post was handed in.'
            }
            options={[
              { value: 'page', label: 'That of the page it stands on' },
              { value: 'post', label: 'The one that post-id names' },
            ]}
          />
          <SelectField
            label="Colors"
            value={theme}
            onValue={(value) => setTheme(value === 'light' || value === 'dark' ? value : 'page')}
            options={[
              { value: 'page', label: 'As the page' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
          <CheckField
            label="It stays in sight when one scrolls on"
            isChecked={isSticky}
            onChecked={setIsSticky}
          />
          <CheckField
            label="Listeners may download the MP3"
            isChecked={canDownload}
            onChecked={setCanDownload}
          />
        </div>
        <div class="result">
          <Copy label="Embed code" isBlock text={playerSnippet(attributes)} />
          {newest === undefined || audioUrl == null ? (
            <Empty
              title="Nothing to hear yet"
              action={
                <LinkButton href={`#${links.site(site.slug)}`}>Make the first audio</LinkButton>
              }
            >
              <p>The player of your newest post is shown here.</p>
            </Empty>
          ) : (
            <Listen audioUrl={audioUrl} title={newest.title ?? newest.post_id} look={look} />
          )}
        </div>
      </div>
    </Section>
  );
}
