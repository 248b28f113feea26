import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/version.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { createTemporaryFolder, runCommand, runProcess } from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';

const data = createTemporaryFolder();

const commands = [
  ...[[], ['serve'], ['demo'], ['say'], ['site'], ['key'], ['user'], ['voice'], ['check'], ['version']],
  ...['create', 'list', 'show', 'update'].map((name) => ['site', name]),
  ...['create', 'list', 'revoke', 'rotate'].map((name) => ['key', name]),
  ...['create', 'list', 'update', 'disable', 'enable', 'password', 'remove'].map((name) => ['user', name]),
  ...['list', 'add', 'pull', 'import', 'bundle', 'test', 'enable', 'disable', 'remove'].map((name) => ['voice', name]),
];

/** Runs a command that must fail. @returns its exit code and its one line */
async function runFailing(words: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCommand(words, { env });
  expect(stdout).toBe('');
  expect(stderr).toStartWith('lectern: ');
  expect(stderr).not.toMatch(/\n\s+at |node_modules|\.ts:\d/);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return { code, line: stderr.trimEnd().slice('lectern: '.length) };
}

async function runJson(words: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

describe('every command', () => {
  test.each(commands.map((words) => [words.join(' ') || 'lectern', words] as const))(
    'explains itself: %s --help',
    async (_, words) => {
      const { code, stdout, stderr } = await runCommand([...words, '--help']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toStartWith(`Usage: lectern${words.map((word) => ` ${word}`).join('')} `);
    },
  );

  test.each([
    [['serv'], "unknown command 'serv' (Did you mean serve?)"],
    [['site', 'drop'], "unknown command 'drop'"],
    [['serve', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['--verbose'], "unknown option '--verbose'"],
    [['serve', 'now'], "too many arguments for 'serve'. Expected 0 arguments but got 1: now."],
    [['site', 'show'], "missing required argument 'site'"],
    [['site', 'create', '--domain', 'a.example'], "required option '--name <name>' not specified"],
    [['site', 'create', '--name', 'A'], "required option '--domain <host>' not specified"],
    [['key', 'create'], "required option '--site <site>' not specified"],
    [['key', 'revoke', 'one'], 'expected a key id, got one'],
    [['say', 'text'], "required option '-o, --output <file.mp3>' not specified"],
  ])('refuses wrong usage with 2 and one line: %j', async (words, line) => {
    expect(await runFailing(words)).toEqual({ code: 2, line });
  });

  test('accepts --version', async () => {
    const { code, stdout } = await runCommand(['--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  });

  test.each([
    ['--plan', 'gold'],
    ['--subscription', 'sleeping'],
    ['--active', 'perhaps'],
    ['--trial-ends', 'tomorrow'],
    ['--trial-ends', '2027-02-30'],
    ['--default-voice', 'aspen'],
    ['--allow-switch', '1'],
  ])('refuses a wrong value with 2 and one line: site update %s %s', async (option, value) => {
    const { code, line } = await runFailing(['site', 'update', '1', '--data', data, option, value]);
    expect(code).toBe(2);
    expect(line).toStartWith(`option '${option} <`);
    expect(line).toContain(`argument '${value}' is invalid`);
  });

  // On PostgreSQL the data folder does not tell whether there is an installation.
  const ofInstallation = [
    'site list',
    'site show 1',
    'key create --site 1',
    'queue pause',
    'export x --site 1',
    'key revoke 1',
  ];
  test
    .skipIf(isOnPostgres)
    .each([...ofInstallation, 'lexicon export', 'user remove 1', 'user reset-link 1', 'check --audios'])(
    'names a data folder without a database, and does not create it: %s',
    async (command) => {
      const folder = join(createTemporaryFolder(), 'mistyped');
      expect(await runFailing([...command.split(' '), '--data', folder])).toEqual({
        code: 1,
        line: `No Lectern database found in ${folder}. Name its folder with --data, or start the server to create one.`,
      });
      expect(existsSync(folder)).toBe(false);
    },
  );

  test.skipIf(isOnPostgres)('says that it created a database, as the folder may be mistyped', async () => {
    const add = (folder: string, ...flags: string[]) =>
      runCommand(['lexicon', 'add', 'Kakortok', 'KAH-kor-tok', '--data', folder, ...flags]);
    const folder = join(createTemporaryFolder(), 'new');
    const note = `Created a database in ${folder}, which had none.\n`;
    expect(await add(folder)).toMatchObject({ code: 0, stderr: note });
    expect(await add(join(folder, 'another'), '--json')).toMatchObject({ code: 0, stderr: '' });
  });

  test('refuses an update without a setting', async () => {
    const { code, line } = await runFailing(['site', 'update', '1', '--data', data]);
    expect([code, line]).toEqual([2, 'No setting given. See `lectern site update --help`.']);
  });

  test('without a subcommand prints its help and fails', async () => {
    for (const words of [[], ['site'], ['key'], ['user'], ['voice']]) {
      const { code, stdout, stderr } = await runCommand(words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toStartWith('Usage: lectern');
    }
  });

  test('prints its version', async () => {
    expect(await runJson(['version'])).toEqual({
      ...{ version: expect.stringMatching(/^\d+\.\d+\.\d+$/), bun: Bun.version },
      platform: `${process.platform}-${process.arch}`,
    });
  });
});

describe('the program as a process', () => {
  const empty = createTemporaryFolder();

  type Case = readonly [number, readonly string[], RegExp, RegExp, Record<string, string>];
  test.each<Case>([
    [0, ['version'], /^lectern \d/, /^$/, {}],
    [1, ['site', 'show', '77', '--data', data], /^$/, /^lectern: [^\n]+\n$/, {}],
    [2, ['site', 'drop'], /^$/, /^lectern: unknown command 'drop'\n$/, {}],
    [2, ['site', 'list', '--data', data], /^$/, /^lectern: LECTERN_COLOUR: [^\n]+\n$/, { LECTERN_COLOUR: 'red' }],
    [1, ['check', '--url', 'http://127.0.0.1:1/'], /^FAIL server /, /^$/, {}],
  ])('ends with %d after %j', async (code, words, stdout, stderr, env) => {
    const ended = await runProcess(words, { env });
    expect(ended).toEqual({ code, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) });
  });

  test('reads a password from standard input, and prints nothing else to standard output', async () => {
    const words = ['user', 'create', '--email', 'a@example.org', '--role', 'admin', '--password-stdin', '--json'];
    const ended = await runProcess([...words, '--data', empty], { stdin: 'correct horse battery staple\n' });
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/), stderr: '' });
  });

  test('exits without an error when its output is closed', async () => {
    const main = join(import.meta.dir, '../../src/main.ts');
    // The licenses exceed the buffer of a pipe.
    const line = `{ '${process.execPath}' '${main}' licenses; echo "ended with $?" >&2; } | head -n 1 >/dev/null`;
    const child = Bun.spawn([requireTool('sh'), '-c', line], { stdio: ['ignore', 'ignore', 'pipe'] });
    expect(await new Response(child.stderr).text()).toBe('ended with 0\n');
  });
});
