import type { PlayerSettings } from '../../../../sites/player-settings.ts';
import { DialogButton } from '../../components/dialog.tsx';
import { EmbedLine } from '../../components/embed-line.tsx';
import { Choice, TextField, Toggle } from '../../components/field.tsx';
import { Page } from '../../components/page.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { Status } from '../../components/status.tsx';
import { useSite } from '../../site.tsx';
import { readability } from './accent.ts';
import { EmbedDrawer } from './embed-drawer.tsx';
import { PlayerPreview } from './player-preview.tsx';
import { type SiteDraft, useSiteDraft } from './site-draft.ts';

const labels: Readonly<Record<keyof PlayerSettings, string>> = {
  layout: 'Layout',
  accent: 'Accent',
  corners: 'Corners',
  ground: 'Ground',
  theme: 'Color scheme',
  mini: 'Stay in sight',
  download: 'Download',
  transcript: 'Transcript',
};

/** How the player looks on the pages of a site, beside a page with it. */
export function PlayerPage() {
  const { site, canEdit } = useSite();
  const draft = useSiteDraft(
    ({ player }) => player,
    labels,
    (player) => ({ player }),
  );
  return (
    <Page
      title="Player"
      about={`How it looks on ${site.domains[0] ?? 'your pages'}. What you publish reaches every page at once; the line in your template never changes.`}
      actions={
        <DialogButton name="embed" icon="code" dialog={(onClose) => <EmbedDrawer onClose={onClose} />}>
          Other ways to embed
        </DialogButton>
      }
    >
      <div class="stack">
        <EmbedLine />
        <div class="columns settings-first">
          <fieldset class="stack" disabled={!canEdit}>
            <legend class="unseen">Look</legend>
            <Look draft={draft} />
          </fieldset>
          <PlayerPreview settings={draft.values} />
        </div>
      </div>
      <SaveBar {...draft.bar} save="Publish" />
    </Page>
  );
}

const corners = ['0', '4', '12', '24'];
const themes = [
  { value: 'auto', label: "The page's" },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

function Look({ draft: { values, set, problem, field, toggle } }: { readonly draft: SiteDraft<PlayerSettings> }) {
  const shown = corners.includes(String(values.corners)) ? corners : [...corners, String(values.corners)];
  return (
    <>
      <LayoutField value={values.layout} onValue={(layout) => set({ layout })} />
      <ColorField
        label="Accent"
        name="accent"
        none="The page's ink"
        value={values.accent}
        onValue={(accent) => set({ accent })}
        colors={['#8c1d2c', '#0f5c4d', '#1d4f91', '#b4530a']}
        problem={problem}
      />
      {values.accent !== null && <Readability color={values.accent} />}
      <ColorField
        label="Ground"
        name="ground"
        none="None"
        value={values.ground === 'none' ? null : values.ground}
        onValue={(ground) => set({ ground: ground ?? 'none' })}
        colors={['#ffffff', '#f3f1ec', '#e9f0ee', '#1d1f1d']}
        problem={problem}
      />
      <div class="row wide wrap">
        <Labelled label="Corners">
          <Choice
            label="Corners"
            value={String(values.corners)}
            onValue={(chosen) => set({ corners: Number(chosen) })}
            options={shown.map((value) => ({ value, label: value }))}
          />
        </Labelled>
        <Labelled label="Color scheme">
          <Choice {...field('theme')} options={themes} />
        </Labelled>
      </div>
      <div class="stack tight">
        <Toggle {...toggle('mini')} label="Stay in sight when scrolled away" hint="A small player at the bottom" />
        <Toggle {...toggle('transcript')} />
        <Toggle {...toggle('download')} />
      </div>
    </>
  );
}

function Labelled({ label, children }: { readonly label: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <span class="label" aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
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

interface LayoutFieldProps {
  readonly value: PlayerSettings['layout'];
  readonly onValue: (layout: PlayerSettings['layout']) => void;
}

function LayoutField({ value, onValue }: LayoutFieldProps) {
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

interface ColorFieldProps {
  readonly label: string;
  readonly name: string;
  /** What no color means. */
  readonly none: string;
  readonly value: string | null;
  readonly onValue: (color: string | null) => void;
  readonly colors: readonly string[];
  readonly problem: SiteDraft<PlayerSettings>['problem'];
}

/** No color, one of some, or any: what is typed counts when it is a color. */
function ColorField({ label, name, none, value, onValue, colors, problem }: ColorFieldProps) {
  return (
    <div class="stack tight">
      <TextField
        label={label}
        name={name}
        placeholder={none}
        spellcheck={false}
        autocomplete="off"
        problem={problem}
        value={value ?? ''}
        onValue={(typed) => onValue(typed.trim() === '' ? null : typed.trim())}
      />
      <div class="swatches">
        {[null, ...colors].map((color) => (
          <button
            key={color}
            type="button"
            aria-label={`${label}: ${color ?? none}`}
            aria-pressed={color === value}
            class={color === null ? 'no-color' : ''}
            style={color === null ? {} : { background: color }}
            onClick={() => onValue(color)}
          />
        ))}
      </div>
    </div>
  );
}

function Readability({ color }: { readonly color: string }) {
  const figures = readability(color);
  if (figures === undefined) return <p class="wrong">A color is a # and six digits, such as #8c1d2c.</p>;
  return (
    <Status tone="good" icon="check">
      Easy to read: {figures.light.toFixed(1)} : 1 on white, {figures.dark.toFixed(1)} : 1 in the dark
    </Status>
  );
}
