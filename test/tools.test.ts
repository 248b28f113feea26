import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from './fixtures/server.ts';
import { listTestFiles, listTools, requireTool, tools } from './fixtures/tools.ts';

const repository = join(import.meta.dir, '..');
/** Benchmarks are not tests. */
const sources = [...new Bun.Glob('**/*.ts').scanSync(import.meta.dir)]
  .filter((path) => !path.startsWith('bench/'))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dir, path), 'utf8') }));

describe('a command that a test starts', () => {
  test('is Lectern or a tool of the table', () => {
    for (const command of ['true', '/usr/bin/true', '/bin/true']) {
      expect(() => Bun.spawnSync([command])).toThrow('is not in the table');
      expect(() => Bun.spawn({ cmd: [command] })).toThrow('is not in the table');
    }
    expect(Bun.spawnSync([requireTool('sh'), '-c', 'exit 3']).exitCode).toBe(3);
    expect(Bun.spawnSync([process.execPath, '--version']).success).toBe(true);
  });

  test('is started by Bun.spawn, where the check sees it', () => {
    const other = /node:child_process|from 'child_process'|\bBun\.\$|\{[^}]*\$[^}]*\} from 'bun'/;
    const found = sources.filter(({ path, text }) => path !== 'tools.test.ts' && other.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('the table of tools', () => {
  test('has no unused tool', () => {
    const voiceTests = ['test/long/real-voices.ts', 'test/long/kokoro.ts'];
    const used = new Set(
      [...listTestFiles(), ...voiceTests].flatMap((file) => listTools(file).map(({ name }) => name)),
    );
    const steps = [
      readFileSync(join(import.meta.dir, 'executable/bare-tree.sh'), 'utf8'),
      readFileSync(join(import.meta.dir, 'conformance/executable.sh'), 'utf8'),
    ].join('\n');
    const unused = tools.filter(
      (tool) => !('isForCi' in tool ? new RegExp(`^[^#]*\\b${tool.name} `, 'm').test(steps) : used.has(tool.name)),
    );
    expect(unused).toEqual([]);
  });

  test('is followed through imports', () => {
    const listNames = (file: string) => listTools(file).map(({ name }) => name);
    expect(listNames('test/speech/loudness.test.ts')).toEqual(['ffmpeg', 'ffprobe']);
    expect(listNames('test/long/intelligibility.test.ts')).toEqual([]);
    expect(listNames('test/faults/disk-full.test.ts')).toEqual(['mount', 'umount']);
    expect(listNames('test/speech/mp3.test.ts')).toEqual([]);
  });
});

describe('bun run test', () => {
  /** Runs it with only this folder in PATH. */
  async function runIn(folder: string, words: readonly string[]) {
    const child = Bun.spawn([process.execPath, 'test/run.ts', ...words], {
      ...{ cwd: repository, env: { PATH: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { stdout, stderr, code };
  }

  test('stops before the first test if a tool is missing, and names it', async () => {
    expect(await runIn(createTemporaryFolder(), ['speech/loudness', 'docs/api'])).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: 'The tests need curl, timeout, bash, ffmpeg, ffprobe. Install them and run the tests again.\n',
    });
  });

  test('installs the Debian packages as root, and prints the command for other users', async () => {
    const folder = createTemporaryFolder();
    const script = `#!${requireTool('sh')}\necho "apt-get $*" >&2\n`;
    writeFileSync(join(folder, 'apt-get'), script, { mode: 0o755 });
    const { code, stdout, stderr } = await runIn(folder, ['speech/loudness', 'speech/article']);
    const install = 'install -y --no-install-recommends ffmpeg';
    expect(code).toBe(1);
    if (process.geteuid?.() === 0) {
      expect(stdout).toBe('Installing the Debian packages ffmpeg\n');
      expect(stderr).toMatch(/^apt-get -qq .*update\n/);
      expect(stderr).toContain(install);
      expect(stderr).toEndWith('ffmpeg is missing although ffmpeg is installed. Install it.\n');
    } else {
      expect([stdout, stderr]).toEqual([
        '',
        `The tests need ffmpeg, ffprobe. Run as root: apt-get update && apt-get ${install}\n`,
      ]);
    }
  });

  test('runs tests that need no tool', async () => {
    const { code, stderr } = await runIn(createTemporaryFolder(), ['test/config.test.ts']);
    expect(stderr).toMatch(/^ *[1-9]\d* pass$/m);
    expect(code).toBe(0);
  });
});
