import { useState } from 'preact/hooks';
import type { PlayerSettings } from '../../../../sites/player-settings.ts';
import { ActionButton } from '../../components/actions.tsx';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { LinkButton } from '../../components/button.tsx';
import { SaveBar } from '../../components/dialog.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { type FieldControl, FieldGroup, type FieldSpecs, Fields } from '../../components/form.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { EmptyState, Page, QueryView, Status } from '../../components/page.tsx';
import { EmbedLine, fetchNewestPost, Paper, paperArticle } from '../../components/paper.tsx';
import { links } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { EmbedDrawer } from './embed-drawer.tsx';
import { useSiteDraft } from './site-draft.ts';

const fields: FieldSpecs<PlayerSettings> = {
  layout: { label: 'Layout', render: (control) => <LayoutField {...control} /> },
  accent: {
    label: 'Accent',
    render: (control) => (
      <ColorField
        {...{ ...control, label: 'Accent', name: 'accent', none: null, noneLabel: "The page's ink" }}
        colors={{ '#8c1d2c': 'Dark red', '#0f5c4d': 'Green', '#1d4f91': 'Blue', '#b4530a': 'Orange' }}
      />
    ),
  },
  ground: {
    label: 'Ground',
    render: (control) => (
      <ColorField
        {...{ ...control, label: 'Ground', name: 'ground', none: 'none', noneLabel: 'None' }}
        colors={{ '#ffffff': 'White', '#f3f1ec': 'Cream', '#e9f0ee': 'Pale green', '#1d1f1d': 'Black' }}
      />
    ),
  },
  corners: { label: 'Corners', kind: 'choice', options: { 0: '0', 4: '4', 12: '12', 24: '24' } },
  theme: { label: 'Color scheme', kind: 'choice', options: { auto: "The page's", light: 'Light', dark: 'Dark' } },
  mini: { label: 'Keep in view while scrolling', hint: 'A small player at the bottom' },
  transcript: { label: 'Transcript' },
  download: { label: 'Download' },
};

/** How the player looks on the pages of a site, beside a page with it. */
export function PlayerPage() {
  const { site, canEdit } = useSite();
  const draft = useSiteDraft(site.player, fields, (player) => ({ player }));
  return (
    <Page
      title="Player"
      about={`How it looks on ${site.domains[0] ?? 'your pages'}. What you publish reaches every page at once; the line in your template never changes.`}
      actions={
        <ActionButton
          name="embed"
          icon="code"
          label="Other ways to embed"
          dialog={(opened) => <EmbedDrawer {...opened} />}
        />
      }
    >
      <div class="stack">
        <EmbedLine />
        <div class="columns settings-first">
          <FieldGroup label="Look" isDisabled={!canEdit}>
            <Fields of={fields} {...draft} />
          </FieldGroup>
          <PlayerPreview settings={draft.values} />
        </div>
      </div>
      <SaveBar {...draft.bar} save="Publish" />
    </Page>
  );
}

const layouts = [
  { value: 'pill', label: 'Pill', picture: 'M28 20h40a7 7 0 0 1 0 14H28a7 7 0 0 1 0-14zM40 27h26', dot: [29, 27, 4] },
  { value: 'compact', label: 'Compact', picture: 'M8 18h80v18H8zM30 27h50', dot: [18, 27, 5] },
  {
    value: 'large',
    label: 'Large',
    picture: 'M8 6h80v42H8zM14 12h12v12H14zM32 14h46M32 20h30M14 31h68',
    dot: [48, 40, 4],
  },
] as const;

function LayoutField({ value, onValue }: FieldControl) {
  return (
    <fieldset>
      <legend class="label">Layout</legend>
      <div class="picks">
        {layouts.map((layout) => (
          <label key={layout.value}>
            <input
              type="radio"
              name="layout"
              class="unseen"
              checked={layout.value === value}
              onChange={() => onValue(layout.value)}
            />
            <svg viewBox="0 0 96 54" aria-hidden="true" fill="none" stroke="currentColor">
              <path d={layout.picture} />
              <circle cx={layout.dot[0]} cy={layout.dot[1]} r={layout.dot[2]} fill="currentColor" />
            </svg>
            {layout.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface ColorFieldProps extends FieldControl {
  readonly label: string;
  readonly name: string;
  /** The value for no color. */
  readonly none: string | null;
  readonly noneLabel: string;
  /** Names of colors, by their code. */
  readonly colors: Readonly<Record<string, string>>;
}

/** No color, one of some, or any: what is typed counts when it is a color. */
function ColorField({ label, name, none, noneLabel, value, onValue, colors, problem }: ColorFieldProps) {
  const typed = value === none ? '' : String(value);
  const nameOf = (color: string | null) =>
    color === none || color === null ? noneLabel : `${colors[color]}, ${color}`;
  return (
    <div class="stack tight">
      <Field
        {...{ label, name, problem, value: typed, placeholder: noneLabel, spellcheck: false, autocomplete: 'off' }}
        onValue={(text) => onValue(text.trim() || none)}
      />
      <div class="swatches">
        {[none, ...Object.keys(colors)].map((color) => (
          <button
            key={color}
            type="button"
            aria-label={`${label}: ${nameOf(color)}`}
            title={nameOf(color)}
            aria-pressed={color === value}
            class={color === none ? 'no-color' : ''}
            style={color === none ? {} : { background: color ?? '' }}
            onClick={() => onValue(color)}
          />
        ))}
      </div>
      {name === 'accent' && typed !== '' && <Readability color={typed} />}
    </div>
  );
}

/** The contrast of the accent on a light and a dark page. */
function Readability({ color }: { readonly color: string }) {
  if (!isColor(color)) return <p class="wrong">A color is a # and six digits, such as #8c1d2c.</p>;
  const [light, dark] = [contrast(shade(color, 'light'), '#ffffff'), contrast(shade(color, 'dark'), darkGround)];
  return (
    <Status tone="good" icon="check">
      Easy to read: {light.toFixed(1)} : 1 on white, {dark.toFixed(1)} : 1 in the dark
    </Status>
  );
}

const shownParagraphs = 4;

/** The real player with the newest article, on a page of the paper. */
function PlayerPreview({ settings }: { readonly settings: PlayerSettings }) {
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
          options={[withIcon('desktop', 'Desktop', 'monitor'), withIcon('phone', 'Phone', 'smartphone')]}
        />
        <Choice
          label="Color scheme of the page"
          value={scheme}
          onValue={setScheme}
          options={[withIcon('light', 'Light', 'sun'), withIcon('dark', 'Dark', 'moon')]}
        />
      </div>
      <QueryView of={newest}>
        {(post) =>
          post?.audioUrl === undefined ? (
            <EmptyState
              title="No audio yet"
              action={<LinkButton to={links.firstListen(site.slug)} label="Generate the first audio" />}
            >
              <p>Your newest article is shown here with its player.</p>
            </EmptyState>
          ) : (
            <div class={device === 'phone' ? 'browser phone' : 'browser'}>
              <div class="address-bar" aria-hidden="true">
                <i />
                <i />
                <i />
                <span class="cut">{site.domains[0]}</span>
              </div>
              <Paper
                name={site.name}
                headline={post.title}
                lang={post.language}
                isDark={scheme === 'dark'}
                paragraphs={post.paragraphs}
                player={
                  <AudioPlayer
                    key={scheme}
                    audioUrl={post.audioUrl}
                    segmentsUrl={post.segmentsUrl}
                    title={settings.layout === 'large' ? post.title : undefined}
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

function withIcon(value: string, label: string, icon: IconName) {
  return { value, label: [<Icon key="icon" name={icon} />, label] };
}

/** Without colors that are not typed to their end. */
function toShown({ accent, ground, ...settings }: PlayerSettings): PlayerSettings {
  return {
    ...settings,
    accent: accent !== null && isColor(accent) ? accent : null,
    ground: isColor(ground) ? ground : 'none',
  };
}

const darkGround = '#121412';

function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** The accent as the player shows it: darker on a light page, lighter on a dark one. The same formula as in its style. */
function shade(color: string, scheme: 'light' | 'dark'): string {
  return `oklch(from ${color} ${scheme === 'light' ? 'min(l, 0.53)' : 'max(l, 0.74)'} c h)`;
}

/** As WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) return 0;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
