import { h } from 'preact';
import { readIcons } from './lucide.ts' with { type: 'macro' };

/** The icons of the dashboard, by their names in Lucide. Only these are in the bundle. */
const icons = {
  ...readIcons('archive arrow-left ban book-open chart-no-axes-column check chevrons-up-down circle-alert'),
  ...readIcons('circle-check circle-pause circle-question-mark clock code copy cpu download ellipsis file-audio'),
  ...readIcons('gauge globe headphones info key-round link list-ordered loader-circle lock lock-open log-out mail'),
  ...readIcons('menu mic-vocal monitor moon newspaper palette pencil plus refresh-cw rss scroll-text search send'),
  ...readIcons('server settings sliders-horizontal smartphone spell-check star sun trash-2 triangle-alert undo-2'),
  ...readIcons('upload user user-plus users webhook wifi-off x'),
  // Ours: filled.
  play: [['path', { d: 'M7 4.6v14.8c0 .8.9 1.3 1.6.9l11.6-7.4c.6-.4.6-1.3 0-1.7L8.6 3.7C7.9 3.3 7 3.8 7 4.6z' }]],
  pause: [
    ['rect', { x: '5.5', y: '4', width: '4.5', height: '16', rx: '1.4' }],
    ['rect', { x: '14', y: '4', width: '4.5', height: '16', rx: '1.4' }],
  ],
} as const;

export type IconName = keyof typeof icons;

/** Decoration beside a word; a control without a word needs an `aria-label` of its own. */
export function Icon({ name, isSpinning = false }: { readonly name: IconName; readonly isSpinning?: boolean }) {
  const look = name === 'play' || name === 'pause' ? 'icon filled' : 'icon';
  return (
    <svg class={isSpinning ? `${look} spin` : look} viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes]) => h(tag, { ...attributes }))}
    </svg>
  );
}

/** The mark of Lectern: a reading desk seen from the side, sound rising from it. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-linecap="round" stroke-linejoin="round">
      <path d="M5.5 18.5 26.5 12.5M16 15.8V27M10 27.5h12" stroke="var(--accent)" stroke-width="3" />
      <path d="M9.5 12.2v-2.4M14.5 10.8V5.2M19.5 9.2V2.8M24.2 7.6V5.6" stroke="var(--lamp)" stroke-width="2.6" />
    </svg>
  );
}
