import type { BrowserBundle, BrowserPart } from './browser-bundle.ts';

const bundles = new Map<BrowserPart, Promise<BrowserBundle>>();

/**
 * What the pages of a part load. From source it is made when first asked for; the build replaces this whole file by one
 * that has all of it inside (see browser-plugin.ts).
 */
export function browserBundle(part: BrowserPart): Promise<BrowserBundle> {
  return bundles.getOrInsertComputed(part, async () => {
    // What makes it stays out of the executable.
    const { buildBrowserBundle } = await import('./browser-bundle.ts');
    return buildBrowserBundle(part);
  });
}
