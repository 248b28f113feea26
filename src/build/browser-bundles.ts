import type { BrowserBundle, BrowserPart } from './bundler-plugins.ts';

const bundles = new Map<BrowserPart, Promise<BrowserBundle>>();

/**
 * The bundle of a part. From source it is built at the first call; the build replaces this whole file by one that holds
 * all bundles (see bundler-plugins.ts).
 */
export function browserBundle(part: BrowserPart): Promise<BrowserBundle> {
  return bundles.getOrInsertComputed(part, async () => {
    // The bundler stays out of the executable.
    const { buildBrowserBundle } = await import('./bundler-plugins.ts');
    return buildBrowserBundle(part);
  });
}
