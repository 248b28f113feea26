import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dir, '../..');

/** @returns the path of an executable of the current sources, which is built if outdated */
export async function buildIfOutdated(): Promise<string> {
  const built = join(project, 'dist/lectern');
  if (existsSync(built) && statSync(built).mtimeMs > findNewestSourceMs()) return built;
  fresh ??= build();
  return fresh;
}

let fresh: Promise<string> | undefined;

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-build-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'lectern');
  const program = join(project, 'src/build/build.ts');
  const child = Bun.spawn([process.execPath, program, '--outfile', outfile], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await child.exited) !== 0) throw new Error('the executable could not be built');
  return outfile;
}

function findNewestSourceMs(): number {
  const sources = [...new Bun.Glob('{src,voices}/**/*').scanSync(project)];
  return Math.max(...[...sources, 'package.json', 'bun.lock'].map((path) => statSync(join(project, path)).mtimeMs));
}
