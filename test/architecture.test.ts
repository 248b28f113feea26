import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const sourceFolder = join(import.meta.dir, '../src');
const lineCountMax = 400;
/** A smaller file with one importer belongs into it. */
const childLineCountMin = 60;

/**
 * The dependency rule, lowest layer first: a part may import the parts of earlier lines. Parts of one line do not
 * import each other, except those in `sideways`.
 */
const layers = [
  ['capitalize.ts'],
  ['errors.ts', 'version.ts', 'setting.ts', 'config.ts', 'log.ts', 'texts.ts', 'clock.ts'],
  // File writes, background work, and free space.
  ['files.ts', 'background.ts', 'disk-space.ts'],
  // Tar files, manifests and checksums.
  ['archive.ts'],
  ['build'],
  ['speech', 'database', 'http'],
  // Every feature with dashboard routes needs authentication and the audit log.
  ['auth'],
  ['voices'],
  ['sites'],
  ['audio'],
  ['analytics', 'metrics', 'webhooks', 'pronunciations', 'backup'],
  // Built on sites and audio, which do not import them: outgoing and incoming feeds.
  ['podcast', 'sources', 'player'],
  ['export'],
  // They report on all parts, document them, and have forms for their requests.
  ['system', 'reference', 'dashboard'],
  // The types of the services of routes.
  ['services.ts'],
  ['app.ts'],
  ['cli'],
  ['main.ts'],
];

/** Permitted imports between parts of one line, each with its reason. */
const sideways = [
  // An invalid setting is the same typed error.
  'config.ts → errors.ts',
  // The parsers of settings.
  'config.ts → setting.ts',
  // A full disk, which the database detects, has a response of its own.
  'http → database/database.ts',
  // PostgreSQL counts the requests of all machines, with a prepared query.
  'http → database/query-cache.ts',
];

/** Packages that only one file may import. */
const reserved = [
  { packageName: 'better-sqlite3', file: 'database/sqlite.ts' },
  { packageName: 'onnxruntime-node', file: 'build/native.ts' },
  { packageName: 'bun:sqlite', file: 'nowhere' },
];

/** Functions that write files. All other code writes through files.ts: whole and synced, or not at all. */
const fileWriters = /^(appendFile|copyFile|cp|createWriteStream|link|open|rename|write|writeFile|writev)(Sync)?$/;
/** The only files that may import one. */
const writesFiles: Readonly<Record<string, string[]>> = {
  'files.ts': ['linkSync', 'openSync', 'renameSync', 'write', 'writeSync'],
  // The empty file by which a process claims a voice.
  'voices/optimizer-cache.ts': ['writeFileSync'],
  // Reads only.
  'speech/synthesize/voice-model.ts': ['openSync'],
  // A file in memory, which has no name; the other one only reads.
  'build/native.ts': ['openSync', 'writeFileSync'],
  // Reads only.
  'build/release-pages.ts': ['openSync'],
  // References to files.
  'build/sandbox/sandbox.ts': ['openSync'],
  // Writes into the project, by a developer.
  'build/notices.ts': ['writeFileSync'],
};

const sources = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(sourceFolder)]
  .filter((path) => !path.endsWith('.d.ts'))
  .map((path) => ({ path, text: readFileSync(join(sourceFolder, path), 'utf8') }));

describe('the dependency rule', () => {
  test('has a layer for every part', () => {
    const known = new Set(layers.flat());
    const unknown = sources.map(({ path }) => getPart(path)).filter((part) => !known.has(part));
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('allows imports down, and listed ones sideways', () => {
    const forbidden = listCrossings().filter(
      ({ from, to, target }) => getLayer(to) >= getLayer(from) && !sideways.includes(`${from} → ${target}`),
    );
    expect(forbidden.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  test('lists no unused sideways import', () => {
    const used = new Set(listCrossings().map(({ from, target }) => `${from} → ${target}`));
    expect(sideways.filter((pair) => !used.has(pair))).toEqual([]);
  });

  test('lets browser bundles import only types and macros from the server', () => {
    const inBrowsers = sources
      .filter(({ path }) => path.includes('/browser/'))
      // Macros run in the bundler.
      .map(({ path, text }) => ({ path, text: text.replace(/^import .* with \{ type: 'macro' \};$/gm, '') }));
    const taken = inBrowsers.flatMap((source) =>
      listImports(source)
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => {
          const [part] = source.path.split('/browser/');
          const target = relative(sourceFolder, resolve(sourceFolder, dirname(source.path), specifier));
          return !target.startsWith(`${part}/browser/`);
        })
        .map((specifier) => `${source.path} imports ${specifier}`),
    );
    expect(inBrowsers.length).toBeGreaterThan(0);
    expect(taken).toEqual([]);
  });

  test('allows no import cycle, types included', () => {
    expect(findCycle(new Map(sources.map((source) => [source.path, listTargetsWithTypes(source)])))).toEqual([]);
  });

  test.each(reserved)('$packageName is imported by $file alone', ({ packageName, file }) => {
    const importers = sources.filter((source) => listImports(source).includes(packageName)).map(({ path }) => path);
    expect(importers.filter((path) => path !== file)).toEqual([]);
  });
});

describe('file writes', () => {
  test('are in files.ts only', () => {
    const found = sources.flatMap(({ path, text }) => {
      const names = listNodeFsImports(text).filter((name) => fileWriters.test(name));
      return names.length === 0 ? [] : [[path, names.sort()] as const];
    });
    expect(Object.fromEntries(found)).toEqual(writesFiles);
  });

  test('use no FileSink, whose failures are easily missed, and Bun.write only for standard output', () => {
    const tests = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(import.meta.dir)]
      .filter((path) => path !== basename(import.meta.path))
      .map((path) => ({ path, text: readFileSync(join(import.meta.dir, path), 'utf8') }));
    const sinks = [...sources, ...tests].filter(({ text }) => /\bFileSink\b|\.writer\(/.test(removeComments(text)));
    const writes = sources.filter(({ text }) => /\bBun\.write\((?!Bun\.stdout,)/.test(text));
    expect([...sinks, ...writes].map(({ path }) => path)).toEqual([]);
  });
});

/** @returns the names that a source imports from `node:fs` and `node:fs/promises` */
function listNodeFsImports(text: string): string[] {
  const imports = text.matchAll(/^import \{([^}]*)\} from 'node:fs(?:\/promises)?';/gm);
  return [...imports].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().split(' as ')[0] ?? '')
      .filter((name) => name !== ''),
  );
}

describe('the style of the dashboard', () => {
  const styleFolder = join(sourceFolder, 'dashboard/browser');
  const sheets = [...new Bun.Glob('**/*.css').scanSync(styleFolder)];

  test('a class belongs to one sheet: pages change common classes only inside their own', () => {
    const owners = sheets.flatMap((path) =>
      listOwnClasses(readFileSync(join(styleFolder, path), 'utf8')).map((name) => ({ name, path })),
    );
    const shared = owners.filter(({ name, path }) =>
      owners.some((other) => other.name === name && other.path !== path),
    );
    expect(shared.map(({ name, path }) => `.${name} in ${path}`)).toEqual([]);
  });
});

/** Classes with rules of their own, unlike `.card` in `.card h2 {}`. */
function listOwnClasses(css: string): string[] {
  const selectors = [...css.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{/g)]
    .flatMap(([, list]) => (list ?? '').split(/,(?![^()]*\))/))
    .map((selector) => selector.trim());
  return [...new Set(selectors.flatMap((selector) => /^\.([\w-]+)$/.exec(selector)?.[1] ?? []))];
}

describe('a source file', () => {
  test(`has at most ${lineCountMax} lines`, () => {
    const long = sources.filter(({ text }) => text.split('\n').length > lineCountMax + 1);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test(`has at least ${childLineCountMin} lines, or several importers`, () => {
    const importers = Map.groupBy(
      sources.flatMap((source) => [...new Set(listTargetsWithTypes(source))]),
      (target) => target,
    );
    // Pages have small parts, and bundles that are loaded apart.
    const small = sources.filter(
      ({ path, text }) =>
        !/^(dashboard|player)\//.test(path) &&
        importers.get(path)?.length === 1 &&
        text.split('\n').length <= childLineCountMin,
    );
    expect(small.map(({ path }) => path)).toEqual([]);
  });

  test('is named after what it does', () => {
    const vague = /^(utils?|helpers?|common|misc|types|index|service)\.tsx?$/;
    expect(sources.filter(({ path }) => vague.test(basename(path)))).toEqual([]);
  });

  test('does more than re-export', () => {
    const passesOn = /^export\s+(type\s+)?(\*|\{[^}]*\})\s+(as\s+\w+\s+)?from\s/m;
    expect(sources.filter(({ text }) => passesOn.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('does not read the environment, except config.ts', () => {
    // The build replaces NODE_ENV, so this is not a read.
    const readers = sources.filter(({ text }) =>
      /\b(process|Bun|import\.meta)\.env\b/.test(removeComments(text).replace(/'process\.env\.NODE_ENV'/g, '')),
    );
    expect(readers.map(({ path }) => path).filter((path) => path !== 'config.ts')).toEqual([]);
  });
});

type Source = (typeof sources)[number];
type Crossing = { file: string; target: string; from: string; to: string };

/** Every import of another part, without `import type`, which does not exist at run time. */
function listCrossings(): Crossing[] {
  return sources.flatMap((source) =>
    listImports(source)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(sourceFolder, resolve(sourceFolder, dirname(source.path), specifier)))
      .filter((target) => !target.startsWith('..') && existsSync(join(sourceFolder, target)))
      .map((target) => ({
        file: source.path,
        target,
        from: getPart(source.path),
        to: getPart(target),
      }))
      .filter(({ from, to }) => from !== to),
  );
}

function listImports({ path, text }: Source): string[] {
  const loader = path.endsWith('.tsx') ? 'tsx' : 'ts';
  return new Bun.Transpiler({ loader }).scanImports(text).map((found) => found.path);
}

/** The files of `src` that a file imports, types included. */
function listTargetsWithTypes({ path, text }: Source): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)].map(([, specifier = '']) =>
    relative(sourceFolder, resolve(sourceFolder, dirname(path), specifier)),
  );
}

/** @returns files of which each imports the next, and the last the first; empty where there is no cycle */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const visit = (file: string, above: readonly string[]): string[] => {
    const start = above.indexOf(file);
    if (start !== -1) return above.slice(start);
    if (finished.has(file)) return [];
    for (const target of imports.get(file) ?? []) {
      const cycle = visit(target, [...above, file]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(file);
    return [];
  };
  return [...imports.keys()].map((file) => visit(file, [])).find((cycle) => cycle.length > 0) ?? [];
}

function getPart(path: string): string {
  return path.split('/')[0] ?? path;
}

function getLayer(part: string): number {
  return layers.findIndex((parts) => parts.includes(part));
}

function removeComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*/g, '');
}
