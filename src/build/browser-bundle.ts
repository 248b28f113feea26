import { join } from 'node:path';

/** What a page loads. */
export interface BrowserBundle {
  readonly script: string;
  /** Empty where the code has none. */
  readonly style: string;
}

/** Where the code for browsers begins, by the part it belongs to. */
export const browserEntries = {
  player: { file: 'player/browser/player.ts', format: 'iife' },
  dashboard: { file: 'dashboard/browser/main.tsx', format: 'esm' },
} as const;
export type BrowserPart = keyof typeof browserEntries;

const sourceFolder = join(import.meta.dir, '..');

/** Makes the script and the style of a part out of its source, small as they are sent to every reader. */
export async function buildBrowserBundle(part: BrowserPart): Promise<BrowserBundle> {
  const { file, format } = browserEntries[part];
  const { outputs } = await Bun.build({
    entrypoints: [join(sourceFolder, file)],
    target: 'browser',
    format,
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const textOf = async (extension: string) =>
    (await outputs.find(({ path }) => path.endsWith(extension))?.text()) ?? '';
  return { script: await textOf('.js'), style: await textOf('.css') };
}
