import { type Static, Type } from '@sinclair/typebox';
import { literalUnion, nullable } from '../http/validation.ts';

const colorPattern = '#[0-9a-fA-F]{6}';

/** Defaults for attributes missing from the tag of a player. */
export const PlayerSettings = Type.Object(
  {
    layout: literalUnion(['pill', 'compact', 'large'], { description: 'Layout' }),
    accent: nullable(Type.String({ pattern: `^${colorPattern}$`, examples: ['#8c1d2c'] }), {
      description: 'Color of the button and the progress, such as `#8c1d2c`; null: the color of the text of the page',
    }),
    corners: Type.Integer({ minimum: 0, maximum: 24, description: 'Corner radius in pixels' }),
    ground: Type.String({
      pattern: `^(none|${colorPattern})$`,
      examples: ['#f3f1ec'],
      description: 'Background: `none`, or a color such as `#f3f1ec`',
    }),
    theme: literalUnion(['auto', 'light', 'dark'], { description: '`auto`: follows the page and the system' }),
    mini: Type.Boolean({ description: 'Whether a small player stays in sight when the player is scrolled away' }),
    download: Type.Boolean({ description: 'Whether listeners can download the MP3' }),
    transcript: Type.Boolean({ description: 'Whether listeners can read along in the player' }),
  },
  { title: 'PlayerSettings' },
);
export type PlayerSettings = Static<typeof PlayerSettings>;

export const PlayerChanges = Type.Partial(PlayerSettings, { title: 'PlayerChanges' });

export const defaultPlayerSettings: PlayerSettings = {
  layout: 'compact',
  accent: null,
  corners: 4,
  ground: 'none',
  theme: 'auto',
  mini: false,
  download: false,
  transcript: true,
};

/** @param stored JSON of the settings that differ from the default */
export function parsePlayerSettings(stored: string): PlayerSettings {
  return { ...defaultPlayerSettings, ...(JSON.parse(stored) as Static<typeof PlayerChanges>) };
}
