import type { PlayerSettings } from '../../../../sites/player-settings.ts';
import { ActionButton } from '../../components/actions.tsx';
import { SaveBar } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { type FieldControl, type FieldSpec, Fields } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { EmbedLine } from '../../components/paper.tsx';
import { Status } from '../../components/status.tsx';
import { useSite } from '../../site.tsx';
import { readability } from './accent.ts';
import { EmbedDrawer } from './embed-drawer.tsx';
import { PlayerPreview } from './player-preview.tsx';
import { useSiteDraft } from './site-draft.ts';

const fields: readonly FieldSpec<PlayerSettings>[] = [
  { name: 'layout', label: 'Layout', render: (control) => <LayoutField {...control} /> },
  {
    name: 'accent',
    label: 'Accent',
    render: (control) => (
      <ColorField
        {...control}
        label="Accent"
        name="accent"
        none={{ value: null, label: "The page's ink" }}
        colors={['#8c1d2c', '#0f5c4d', '#1d4f91', '#b4530a']}
      />
    ),
  },
  {
    name: 'ground',
    label: 'Ground',
    render: (control) => (
      <ColorField
        {...control}
        label="Ground"
        name="ground"
        none={{ value: 'none', label: 'None' }}
        colors={['#ffffff', '#f3f1ec', '#e9f0ee', '#1d1f1d']}
      />
    ),
  },
  { name: 'corners', label: 'Corners', kind: 'choice', options: { 0: '0', 4: '4', 12: '12', 24: '24' } },
  {
    name: 'theme',
    label: 'Color scheme',
    kind: 'choice',
    options: { auto: "The page's", light: 'Light', dark: 'Dark' },
  },
  { name: 'mini', label: 'Stay in sight when scrolled away', hint: 'A small player at the bottom' },
  { name: 'transcript', label: 'Transcript' },
  { name: 'download', label: 'Download' },
];

/** How the player looks on the pages of a site, beside a page with it. */
export function PlayerPage() {
  const { site, canEdit } = useSite();
  const draft = useSiteDraft(
    ({ player }) => player,
    fields,
    (player) => ({ player }),
  );
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
          <fieldset class="form" disabled={!canEdit}>
            <legend class="unseen">Look</legend>
            <Fields of={fields} {...draft} />
          </fieldset>
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
  /** No color. */
  readonly none: { readonly value: string | null; readonly label: string };
  readonly colors: readonly string[];
}

/** No color, one of some, or any: what is typed counts when it is a color. */
function ColorField({ label, name, none, value, onValue, colors, problem }: ColorFieldProps) {
  const typed = value === none.value ? '' : String(value);
  return (
    <div class="stack tight">
      <TextField
        {...{ label, name, problem, value: typed, placeholder: none.label, spellcheck: false, autocomplete: 'off' }}
        onValue={(text) => onValue(text.trim() === '' ? none.value : text.trim())}
      />
      <div class="swatches">
        {[none.value, ...colors].map((color) => (
          <button
            key={color}
            type="button"
            aria-label={`${label}: ${color === none.value ? none.label : color}`}
            aria-pressed={color === value}
            class={color === none.value ? 'no-color' : ''}
            style={color === none.value ? {} : { background: color ?? '' }}
            onClick={() => onValue(color)}
          />
        ))}
      </div>
      {name === 'accent' && typed !== '' && <Readability color={typed} />}
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
