import type { BunPlugin } from 'bun';
import { type BrowserPart, browserEntries, buildBrowserBundle } from './browser-bundle.ts';

/** Puts what browsers load into the executable, made beforehand: one build cannot run within another. */
export async function browserPlugin(): Promise<BunPlugin> {
  const parts = Object.keys(browserEntries) as BrowserPart[];
  const made = await Promise.all(parts.map(async (part) => [part, await buildBrowserBundle(part)]));
  const contents = `const made = ${JSON.stringify(Object.fromEntries(made))};
export const browserBundle = (part) => Promise.resolve(made[part]);
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
