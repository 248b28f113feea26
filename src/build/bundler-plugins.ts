import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

/** The processors a Linux executable can be built for. */
type Processor = 'x64' | 'arm64';

const projectFolder = join(import.meta.dir, '../..');
const loaderModule = JSON.stringify(join(import.meta.dir, 'native.ts'));

/** Where packages load their native libraries, which they cannot find inside an executable. */
const patches = [
  {
    file: /[/\\]onnxruntime-node[/\\]dist[/\\]binding\.js$/,
    from: /require\(`[^`]*onnxruntime_binding\.node`\)/,
    to: `require(${loaderModule}).loadOnnx()`,
  },
  {
    file: /[/\\]better-sqlite3[/\\]lib[/\\]binding\.js$/,
    from: /requireFunc\(path\.resolve\(nativeBinding\)[^;]*\);/,
    to: `require(${loaderModule}).loadAddon(nativeBinding);`,
  },
];

/**
 * Puts the native libraries for one processor into the executable and lets the packages load them through
 * native.ts. Call `check` after the build: it throws if a package has changed and was not patched.
 */
export function nativePlugin(processor: Processor): { plugin: BunPlugin; check: () => void } {
  const patched = new Set<RegExp>();
  const plugin: BunPlugin = {
    name: 'native libraries',
    setup(build) {
      build.onLoad({ filter: /[/\\]src[/\\]build[/\\]embedded\.ts$/ }, () => ({
        loader: 'js',
        contents: embeddedModule(processor),
      }));
      for (const { file, from, to } of patches) {
        build.onLoad({ filter: file }, ({ path }) => {
          const source = readFileSync(path, 'utf8');
          if (!from.test(source)) throw new Error(`${path} does not match ${from}`);
          patched.add(file);
          return { loader: 'js', contents: source.replace(from, to) };
        });
      }
    },
  };
  const check = () => {
    const missing = patches.filter(({ file }) => !patched.has(file));
    if (missing.length === 0) return;
    throw new Error(
      `Patching native packages failed: no match for ${missing.map(({ file }) => file.source).join(', ')}`,
    );
  };
  return { plugin, check };
}

function embeddedModule(processor: Processor): string {
  const onnxFolder = `node_modules/onnxruntime-node/bin/napi-v6/linux/${processor}`;
  const libraries = {
    sqlite: [
      {
        // Bun refuses to load anything named better_sqlite3.node, on account of its versions before 13.
        name: 'sqlite.node',
        file: `node_modules/better-sqlite3/prebuilds/linux-${processor}.node`,
      },
    ],
    onnx: [
      { name: 'onnxruntime_binding.node', file: `${onnxFolder}/onnxruntime_binding.node` },
      { name: 'libonnxruntime.so.1', file: `${onnxFolder}/libonnxruntime.so.1` },
    ],
  };
  const imports: string[] = [];
  const lists = Object.entries(libraries).map(([list, files]) => {
    const entries = files.map(({ name, file }) => {
      const path = join(projectFolder, file);
      const variable = `file${imports.length}`;
      imports.push(`import ${variable} from ${JSON.stringify(path)} with { type: 'file' };`);
      const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
      return `{ name: '${name}', path: ${variable}, sha256: '${sha256}' }`;
    });
    return `${list}: [${entries.join(', ')}]`;
  });
  return `${imports.join('\n')}\nexport const embedded = { ${lists.join(', ')} };\n`;
}
