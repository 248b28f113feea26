import type { PlayerSettings } from '../../sites/player-settings.ts';
import { findGround, isDarkColor } from './page-scheme.ts';

const layouts = ['pill', 'compact', 'large'] as const;
type Layout = (typeof layouts)[number];

/** Attributes of the appearance. */
export const lookAttributes = ['theme', 'layout', 'sticky', 'download', 'transcript', 'settings'];

/** How a player looks, and what it offers: attributes of its tag win over the settings of the site. */
export interface PlayerLook {
  /** Undefined until the settings of the site are loaded. */
  readonly layout: Layout | undefined;
  readonly isDark: boolean;
  readonly hasMini: boolean;
  readonly canDownload: boolean;
  readonly hasTranscript: boolean;
  /** First letter of the name of the site. */
  readonly initial: string;
  /** Custom properties of the style; null where the page decides. */
  readonly style: Readonly<Record<'accent' | 'radius' | 'ground' | 'ink' | 'page', string | null>>;
}

/** @param siteSettings undefined before the first response, null for a page that specifies only a file */
export function readLook(player: Element, siteSettings: PlayerSettings | null | undefined): PlayerLook {
  const preset = player.getAttribute('settings');
  const settings: Partial<PlayerSettings> | null | undefined =
    preset === null ? siteSettings : { ...siteSettings, ...(JSON.parse(preset) as Partial<PlayerSettings>) };
  const isOn = (attribute: string, setting: boolean | undefined) => {
    const value = player.getAttribute(attribute);
    return value === null ? setting === true : value !== 'off';
  };
  const named = player.getAttribute('layout');
  const layout = layouts.find((each) => each === named) ?? (settings === undefined ? undefined : settings?.layout);
  const theme = player.getAttribute('theme') ?? settings?.theme;
  const page = findGround(player);
  const { ground = 'none', corners } = settings ?? {};
  const background = ground === 'none' ? null : ground;
  const isDark = theme === 'dark' || (theme !== 'light' && isDarkColor(background ?? page));
  // The ink of the page would not be legible.
  const isOwnInk = isDark !== isDarkColor(page);
  return {
    layout: layout ?? (settings === null ? 'compact' : undefined),
    isDark,
    hasMini: isOn('sticky', settings?.mini),
    canDownload: isOn('download', settings?.download),
    hasTranscript: isOn('transcript', settings?.transcript ?? true),
    initial: siteInitial(),
    style: {
      accent: settings?.accent ?? null,
      radius: corners === undefined ? null : `${corners}px`,
      ground: background ?? (isOwnInk ? (isDark ? '#121412' : '#fff') : null),
      ink: isOwnInk ? (isDark ? '#eeece6' : '#191a18') : null,
      page,
    },
  };
}

/** @returns the first letter of the name of the site */
function siteInitial(): string {
  const name = document.querySelector<HTMLMetaElement>('meta[property="og:site_name"]')?.content;
  return (name || location.hostname.replace(/^www\./, '')).replace(/^The /, '').charAt(0).toUpperCase();
}
