import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativePlugin } from '../../src/build/bundler-plugins.ts';

const projectFolder = join(import.meta.dir, '../..');
const model = join(projectFolder, 'voices/lectern-medium.onnx');
const spoken = { one: { one: 1 }, inputs: ['input', 'input_lengths', 'scales', 'sid'], isLight: true };

let folder: string;
let executable: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'executable-'));
  executable = join(folder, 'program');
  await buildExecutable(join(import.meta.dir, '../executable/loads-everything.ts'), executable);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the executable', () => {
  test('loads its native libraries from a private folder of its user', async () => {
    const native = join(folder, 'native');
    expect(await run([native])).toEqual(spoken);
    expect(statSync(native).mode & 0o777).toBe(0o700);
    expect(listLibraries(native)).toEqual(['libonnxruntime.so.1', 'onnxruntime_binding.node', 'sqlite.node']);
  });

  test('can be started several times at once on an empty folder', async () => {
    const native = join(folder, 'shared');
    const results = await Promise.all([1, 2, 3].map(() => run([native])));
    expect(results).toEqual([spoken, spoken, spoken]);
    expect(listLibraries(native)).toHaveLength(3);
  });

  test('loads them from memory without a folder', async () => {
    // No folder can be created in /proc, so no temporary folder either.
    expect(await run(['/proc/native'], { TMPDIR: '/proc' })).toEqual(spoken);
  });

  test('loads nothing from the current folder', async () => {
    const hostile = join(folder, 'hostile');
    mkdirSync(hostile);
    writeFileSync(join(hostile, '.env'), 'HOSTILE=from .env');
    writeFileSync(join(hostile, 'preload.ts'), 'process.env.HOSTILE = "from bunfig.toml"');
    writeFileSync(join(hostile, 'bunfig.toml'), 'preload = ["./preload.ts"]');
    writeFileSync(join(hostile, 'package.json'), 'not JSON');
    writeFileSync(join(hostile, 'tsconfig.json'), 'not JSON');
    expect(await run([join(folder, 'native')], {}, hostile)).toEqual(spoken);
  });
});

test('the program synthesizes in a required sandbox, with its libraries in a folder or in memory', async () => {
  const program = join(folder, 'lectern');
  await buildExecutable(join(projectFolder, 'src/main.ts'), program);
  const data = join(folder, 'data');
  mkdirSync(data);
  const say = async (file: string, env: Record<string, string>) => {
    const child = Bun.spawn([program, 'say', 'Good morning.', '-o', join(folder, file), '--json'], {
      env: { LECTERN_SANDBOX: 'required', LECTERN_WORKERS: '1', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect(errors).toBe('');
    return (JSON.parse(output) as { duration_seconds: number }).duration_seconds;
  };
  expect(await say('folder.mp3', { LECTERN_DATA: data })).toBeGreaterThan(0.5);
  expect(listLibraries(data)).toEqual(['libonnxruntime.so.1', 'onnxruntime_binding.node']);
  expect(await say('memory.mp3', { LECTERN_DATA: '/proc/data', TMPDIR: '/proc' })).toBeGreaterThan(0.5);
});

test('a build without patched packages fails with that reason', () => {
  expect(nativePlugin('x64').check).toThrow('Patching native packages failed: ');
});

async function buildExecutable(entry: string, outfile: string): Promise<void> {
  const build = join(projectFolder, 'src/build/build.ts');
  const options = ['--target', 'native', '--entry', entry, '--outfile', outfile];
  const child = Bun.spawn([process.execPath, build, ...options], { stderr: 'pipe' });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(errors);
}

async function run(args: string[], env: Record<string, string> = {}, cwd = '/'): Promise<unknown> {
  const child = Bun.spawn([executable, ...args, model], {
    cwd,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(errors).toBe('');
  return JSON.parse(output);
}

function listLibraries(native: string): string[] {
  const files = readdirSync(native, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map(({ name }) => name)
    .sort();
}
