import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserPlugin, nativePlugin } from './bundler-plugins.ts';

const projectFolder = join(import.meta.dir, '../..');

// "baseline" runs on processors without AVX2. "native" takes the Bun that runs this, and so needs no network.
const processors = {
  'bun-linux-x64-baseline': 'x64',
  'bun-linux-x64': 'x64',
  'bun-linux-arm64': 'arm64',
  native: process.arch === 'arm64' ? 'arm64' : 'x64',
} as const;
type Target = keyof typeof processors;

const { values } = parseArgs({
  options: {
    entry: { type: 'string', default: join(projectFolder, 'src/main.ts') },
    outfile: { type: 'string', default: join(projectFolder, 'dist/lectern') },
    target: { type: 'string', default: 'bun-linux-x64-baseline' },
  },
});
await buildExecutable(values.entry, values.outfile, checkedTarget(values.target));

async function buildExecutable(entry: string, outfile: string, target: Target): Promise<void> {
  if (!existsSync(entry)) fail(`There is no ${entry}.`);
  const { plugin, check } = nativePlugin(processors[target]);
  try {
    await Bun.build({
      entrypoints: [entry],
      plugins: [plugin, await browserPlugin()],
      // Elysia reads handlers by Function.toString(), and shortened names mislead it.
      minify: { whitespace: true, syntax: true, identifiers: false },
      define: { 'process.env.NODE_ENV': '"production"' },
      sourcemap: 'linked',
      // Compiled beforehand, the server starts in half the time. Bytecode is of this processor's kind.
      bytecode: processors[target] === process.arch,
      format: 'esm',
      compile: {
        ...(target === 'native' ? {} : { target }),
        outfile,
        // The working directory must not change what the server does.
        autoloadBunfig: false,
        autoloadDotenv: false,
        autoloadPackageJson: false,
        autoloadTsconfig: false,
      },
    });
    check();
    // The executable contains its source map as well.
    rmSync(`${outfile}.map`, { force: true });
  } catch (error) {
    rmSync(outfile, { force: true });
    fail(describeFailure(error));
  }
  const megabytes = (statSync(outfile).size / 1e6).toFixed(1);
  process.stdout.write(`${outfile}: ${megabytes} MB for ${target}\n`);
}

function checkedTarget(name: string): Target {
  if (Object.hasOwn(processors, name)) return name as Target;
  return fail(`Unknown target ${name}; expected one of ${Object.keys(processors).join(', ')}.`);
}

function describeFailure(error: unknown): string {
  const messages = error instanceof AggregateError ? error.errors.map(String) : [String(error)];
  const text = messages.join('\n');
  if (!text.includes('Failed to download')) return text;
  return `${text}\nThe runtime of another target comes once from the npm registry; "--target native" needs no network.`;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
