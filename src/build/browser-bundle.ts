import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { getTexts, supportedLanguages } from '../texts.ts';

export interface BrowserBundle {
  readonly script: string;
  /** Empty without CSS. */
  readonly style: string;
}

/** Entry points by part. */
const browserEntries = {
  player: { file: 'player/browser/player.ts', format: 'iife' },
  reference: { file: 'reference/browser/reference.ts', format: 'iife' },
  /** What the player loads only when it is needed. */
  playerExtras: { file: 'player/browser/extras.ts', format: 'esm' },
  /** Both in one, for pages that are opened from a folder. */
  wholePlayer: { file: 'player/browser/player-whole.ts', format: 'iife' },
  dashboard: { file: 'dashboard/browser/main.tsx', format: 'esm' },
} as const;
export type BrowserPart = keyof typeof browserEntries;

const sourceFolder = join(import.meta.dir, '..');

/** Bundles the script and the style of a part, minified. */
export async function buildBrowserBundle(part: BrowserPart): Promise<BrowserBundle> {
  const { file, format } = browserEntries[part];
  // The second script of the player has a name for each content: the first one loads the one that fits.
  const extras = part === 'player' ? (await buildBrowserBundle('playerExtras')).script : '';
  const { outputs } = await Bun.build({
    entrypoints: [join(sourceFolder, file)],
    target: 'browser',
    format,
    minify: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      englishTexts: JSON.stringify(getTexts('en').texts.player),
      extrasFile: JSON.stringify(`${Bun.hash(extras).toString(36)}.js`),
      supportedLanguages: JSON.stringify(supportedLanguages),
    },
  });
  const textOf = async (extension: string) =>
    (await outputs.find(({ path }) => path.endsWith(extension))?.text()) ?? '';
  return { script: await textOf('.js'), style: await textOf('.css') };
}

/** Embeds the bundles in the executable. They are built before: one build cannot run within another. */
export async function browserPlugin(): Promise<BunPlugin> {
  const parts = Object.keys(browserEntries) as BrowserPart[];
  const bundles = await Promise.all(parts.map(async (part) => [part, await buildBrowserBundle(part)]));
  const contents = `const bundles = ${JSON.stringify(Object.fromEntries(bundles))};
export const browserBundle = (part) => Promise.resolve(bundles[part]);
`;
  return {
    name: 'browser bundles',
    setup(build) {
      build.onLoad({ filter: /[/\\]src[/\\]build[/\\]browser-bundles\.ts$/ }, () => ({
        loader: 'js',
        contents,
      }));
    },
  };
}
