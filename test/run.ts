// Checks the tools that the tests use, then runs the tests:
//   bun test/run.ts [PATH...]   all test files, or those whose path contains one of these texts
//   bun test/run.ts --fast      only quick test files that need no Debian package and no privilege
//   TEST_LONG=1 bun test/run.ts [PATH...]   the same at full size, with test/long and test/browser/long
//   bun test/run.ts --tools     only checks the tools, those of .ci/run included
//   LECTERN_TEST_DATABASE=postgres bun test/run.ts PATH...   on PostgreSQL
//   bun test/run.ts --timings   all test files; writes their durations to test/timings.json
// As root on Debian it installs missing packages. Elsewhere it names them and stops.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isInstalled, listTestFiles, listTools, type Tool, tools } from './fixtures/tools.ts';
import timings from './timings.json';

/** Retries an unreachable package server, and waits for the lock of dpkg. */
const aptOptions = ['-qq', '-o', 'Acquire::Retries=5', '-o', 'DPkg::Lock::Timeout=600'];
/** One more than the number of cores, as tests sometimes wait; two more take longer. The longest files start first. */
const bunTest = [
  ...[process.execPath, 'test', '--timeout', '180000', `--parallel=${Math.min(4, availableParallelism() + 2)}`],
  '--timings=test/timings.json',
];
/** Maximum duration of a file of `test:fast`; all of them take less than a minute on two cores. */
const maxFastMs = 2_500;
/** Their tests start, build or kill many processes. */
const slowFolders = ['cli', 'executable', 'faults'];
const fileTimesMs: Readonly<Record<string, number>> = timings.files;
const isRoot = process.geteuid?.() === 0;
/** Servers and commands of tests use PostgreSQL. */
const isOnPostgres = process.env['LECTERN_TEST_DATABASE'] === 'postgres';
const postgresFixture = 'test/fixtures/on-postgres.ts';

/** Lets a command mount: in its own namespace, where the same user has this one capability. */
const inMountNamespace = [
  ...['unshare', '--user', '--map-current-user', '--mount', '--keep-caps'],
  ...['setpriv', '--inh-caps=-all,+sys_admin', '--ambient-caps=-all,+sys_admin'],
];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = args.filter((arg) => arg.startsWith('-'));
  const paths = args.filter((arg) => !arg.startsWith('-'));
  const unknown = options.find((option) => !['--fast', '--tools', '--timings'].includes(option));
  if (unknown !== undefined) return fail(`Unknown option ${unknown}. See test/run.ts.`);
  if (options.includes('--tools')) return provide(tools);
  const isLong = process.env['TEST_LONG'] === '1';

  const selected = listTestFiles()
    .filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)))
    .filter((file) => isLong || paths.length > 0 || !file.includes('/long/'))
    .map((file) => ({ file, needed: listTools(file) }))
    .filter((one) => !options.includes('--fast') || isFast(one));
  if (selected.length === 0) return fail(`No test file matches ${args.join(' ')}.`);
  const needed = [
    ...new Set([...selected.flatMap((file) => file.needed), ...(isOnPostgres ? listTools(postgresFixture) : [])]),
  ];
  const code = await provide(needed);
  if (code !== 0) return code;
  const mounts = selected.filter((file) => file.needed.some(({ name }) => name === 'mount'));
  if (mounts.length > 0 && !canMount()) {
    const remedy = isRoot ? 'Start the container with --privileged' : 'Run the tests as root';
    return fail(`This system does not permit mounts, which a test needs. ${remedy}, or run: bun run test:fast`);
  }
  // In a user namespace the files of other users have no owner; some tests check owners.
  const runs = isRoot ? [selected] : [mounts, selected.filter((file) => !mounts.includes(file))];
  const codes: number[] = [];
  // Otherwise servers start from source.
  if (paths.length === 0 && !(await buildProgram())) return 1;
  const preloading = isOnPostgres ? await startPostgres() : [];
  const updating = options.includes('--timings') ? ['--update-timings'] : [];
  for (const run of runs.filter(({ length }) => length > 0)) {
    const files = run.map(({ file }) => `./${file}`);
    codes.push(
      await execute([...(run === mounts ? inMountNamespace : []), ...bunTest, ...preloading, ...updating, ...files]),
    );
  }
  return Math.max(...codes);
}

/** Builds the executable: a server starts from it in a third of the CPU time of a start from source. @returns whether the build succeeded */
async function buildProgram(): Promise<boolean> {
  const program = 'dist/lectern-test';
  const build = [process.execPath, 'src/build/build.ts', '--target', 'native', '--outfile', program];
  process.env['LECTERN_TEST_PROGRAM'] = resolve(program);
  if ((await execute(build)) !== 0) return false;
  unpackLibraries(program);
  return true;
}

/** Unpacks the native libraries once. Each test server links to them instead of writing 45 MB to the disk. */
function unpackLibraries(program: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-libraries-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const sandbox = JSON.stringify({ mode: 'off', nativeFolders: [folder] });
  const paths = JSON.stringify({ file: program, folder: join(folder, 'probe') });
  const command = [resolve(program), 'sandbox', sandbox, 'sandbox-probe', paths];
  Bun.spawnSync(command, { stdio: ['ignore', 'ignore', 'inherit'] });
  process.env['LECTERN_TEST_LIBRARIES'] = folder;
}

/** Starts one server for all files. @returns options of `bun test` */
async function startPostgres(): Promise<string[]> {
  const { PostgresServer } = await import('./fixtures/postgres.ts');
  process.env['LECTERN_TEST_POSTGRES'] = new PostgresServer().address;
  return ['--preload', `./${postgresFixture}`];
}

function isFast({ file, needed }: { file: string; needed: readonly Tool[] }): boolean {
  const isQuick =
    (fileTimesMs[file] ?? 0) <= maxFastMs && !slowFolders.some((folder) => file.startsWith(`test/${folder}/`));
  return isQuick && needed.every((tool) => tool.isMinimal);
}

/** Installs missing packages, or names them. @returns an exit code */
async function provide(needed: readonly Tool[]): Promise<number> {
  const missing = needed.filter((tool) => !isInstalled(tool));
  if (missing.length === 0) return 0;
  const names = missing.map(({ name }) => name).join(', ');
  const packages = [...new Set(missing.map((tool) => tool.package))].sort();
  const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (Bun.which('apt-get') === null) {
    return fail(`The tests need ${names}. Install them and run the tests again.`);
  }
  if (!isRoot) {
    return fail(`The tests need ${names}. Run as root: apt-get update && ${install}`);
  }
  process.stdout.write(`Installing the Debian packages ${packages.join(' ')}\n`);
  const [, ...installArgs] = install.split(' ');
  if ((await runAptGet('update')) !== 0 || (await runAptGet(...installArgs)) !== 0)
    return fail(`Installing failed. Run: apt-get update && ${install}`);
  const absent = missing.find((tool) => !isInstalled(tool));
  if (absent === undefined) return 0;
  return fail(`${absent.name} is missing although ${absent.package} is installed. Install it.`);
}

function canMount(): boolean {
  if (Bun.which('unshare') === null) return false;
  const namespace = isRoot ? ['unshare', '--mount'] : inMountNamespace;
  const probe = [...namespace, 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'];
  return Bun.spawnSync(probe, { stdio: ['ignore', 'ignore', 'ignore'] }).success;
}

function runAptGet(...args: readonly string[]): Promise<number> {
  return Bun.spawn(['apt-get', ...aptOptions, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }).exited;
}

function execute(command: readonly string[]): Promise<number> {
  // The last stage of the JavaScript compiler takes more CPU time than it saves in most test files.
  const env = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000', ...process.env };
  return Bun.spawn([...command], { stdio: ['inherit', 'inherit', 'inherit'], env }).exited;
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
