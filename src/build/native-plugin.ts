import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/** The processors a Linux executable can be built for. */
export type Processor = 'x64' | 'arm64';

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
