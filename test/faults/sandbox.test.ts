import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probeSandbox } from '../../src/build/sandbox/probe.ts';
import { detectSandboxSupport, type Sandbox } from '../../src/build/sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { parseInWorker } from '../../src/sources/fetch.ts';
import { startWorkerPool } from '../../src/speech/worker-pool.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { articleText, buildRss } from '../fixtures/feed-server.ts';
import { createHugeVoice } from '../fixtures/hostile-voice.ts';
import { listChildren } from '../fixtures/processes.ts';
import { createTemporaryFolder, linkLibraries, runProcess, startServerForFile } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

const { landlock, seccomp } = detectSandboxSupport();
/** Restrictions that this kernel does not support are not tested. */
const notRefused = [...(landlock > 0 ? [] : ['read', 'write']), ...(seccomp ? [] : ['connect', 'execute', 'pin'])];
const data = createTemporaryFolder();

const server = await startServerForFile({ data });

/** On PostgreSQL: the config file, with its password. */
const database = join(data, isOnPostgres ? 'lectern.toml' : 'lectern.db');
const paths = { file: database, folder: join(data, 'created') };

test('a process in the sandbox neither reads the database nor writes, connects, starts a program or pins one to a processor', async () => {
  expect(existsSync(database)).toBe(true);
  const report = await probeSandbox({ mode: 'auto' }, paths);
  expect(report).toEqual({ landlock, seccomp, allowed: notRefused as typeof report.allowed });
  // Without the sandbox the same process is allowed to do all of it.
  const { allowed } = await probeSandbox({ mode: 'off' }, paths);
  expect(allowed).toEqual(['read', 'write', 'connect', 'execute', 'pin']);
});

test('a process reads its permitted files and no others in the folder beside them', async () => {
  const given = createTemporaryFolder();
  writeFileSync(join(given, 'voice'), 'content');
  const probe = (file: string, sandbox: Partial<Sandbox>) =>
    probeSandbox({ mode: 'auto', ...sandbox }, { file, folder: join(given, 'created') });
  expect((await probe(join(given, 'voice'), { readable: [given] })).allowed).toContain('read');
  expect((await probe(join(given, 'voice'), { readable: [given] })).allowed.includes('write')).toBe(landlock === 0);
  // A link in the folder was created by its owner, and is followed.
  const linking = createTemporaryFolder();
  symlinkSync(join(given, 'voice'), join(linking, 'link'));
  symlinkSync(join(given, 'missing'), join(linking, 'broken'));
  expect((await probe(join(linking, 'link'), { readable: [linking] })).allowed).toContain('read');
  // A link elsewhere gives no access.
  symlinkSync(database, join(createTemporaryFolder(), 'database'));
  expect((await probe(database, { readable: [given] })).allowed.includes('read')).toBe(landlock === 0);
});

function startWorker(sandbox: Sandbox) {
  return startWorkerPool({
    ...{ count: 1, deadlineS: 60, textCpuLimitS: 20, silenceS: 10, memoryMb: 1_500, log: createLog('silent') },
    ...{ nativeFolders: [linkLibraries(data)], sandbox },
  });
}

test("a server's workers are in the sandbox, with no file of the server open", async () => {
  await server.generate({ post_id: 'spoken', content: articleText });
  expect((await server.waitUntilFinished('spoken')).status).toBe('ready');
  const workers = listChildren(server.process.pid);
  expect(workers).toHaveLength(1);
  for (const pid of workers) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    if (seccomp) expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +1 +1 /m);
    const open = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
    expect(open.filter((path) => path.startsWith(data))).toEqual([]);
  }
  const line = landlock > 0 && seccomp ? 'workers sandboxed' : 'workers not fully sandboxed';
  await server.waitForLogLine(line);
});

test('a worker cannot read the database in place of a voice', async () => {
  const voices = createTemporaryFolder();
  const voice = await writeVoice(voices, 'en_US-tones-low', createToneVoice({ sampleRateHz: 16_000 }));
  const inspectVoice = async (modelPath: string, mode: Sandbox['mode']) => {
    const workers = startWorker({ mode, readable: [voices] });
    try {
      return await workers.call('examine', { ...voice, modelPath }).then(
        () => 'loaded',
        (error: Error) => error.message,
      );
    } finally {
      await workers.stop();
    }
  };
  expect(await inspectVoice(voice.modelPath, 'auto')).toBe('loaded');
  // With the rights of the server the file is read and rejected as a model.
  expect(await inspectVoice(database, 'off')).toMatch(/not a readable, self-contained ONNX file/);
  if (landlock > 0) expect(await inspectVoice(database, 'auto')).toMatch(/cannot be read|not readable|EACCES|may not/);
});

test('a worker cannot exceed its memory limit, and continues', async () => {
  const voices = createTemporaryFolder();
  // Needs 6.4 GB.
  const huge = await writeVoice(voices, 'en_US-huge-low', createHugeVoice());
  const tones = await writeVoice(voices, 'en_US-tones-low', createToneVoice({ sampleRateHz: 16_000 }));
  const workers = startWorker({ mode: 'auto', readable: [voices], maxMemoryMb: 2_000 });
  try {
    const { contentHash } = await workers.call('examine', huge);
    await expect(workers.call('probe', { voice: { ...huge, contentHash } })).rejects.toThrow();
    await workers.call('examine', tones);
    expect(workers.stats().restarts).toMatchObject({ recycled: 0, died: 0 });
    expect(workers.state()[0]?.rssBytes).toBeLessThan(2_000_000_000);
  } finally {
    await workers.stop();
  }
});

test('a feed is parsed in the sandbox, and one with a file as entity is rejected', async () => {
  const plain = buildRss([{ guid: 'one', title: 'One', content: articleText }]);
  const hostile = plain
    .replace('<rss', `<!DOCTYPE rss [<!ENTITY stolen SYSTEM "file://${database}">]><rss`)
    .replace('<title>One', '<title>&stolen;One');
  const params = { url: 'https://feeds.example/', contentType: null, maxItems: 10 };
  const parse = (feed: string) => parseInWorker(new TextEncoder().encode(feed), params, { sandbox: 'auto' });
  expect(await parse(plain)).toMatchObject({ feed: { items: [{ guid: 'one', title: 'One' }] } });
  expect(await parse(hostile)).toEqual({ problem: expect.stringContaining('not a feed') });
});

describe('lectern check', () => {
  const main = join(import.meta.dir, '../../src/main.ts');
  const fixture = join(import.meta.dir, '../fixtures/without-landlock.ts');
  const withoutLandlock = [process.execPath, fixture, process.execPath, main];
  // With a damaged database the check skips the measurement of the voices.
  const damaged = createTemporaryFolder();
  writeFileSync(join(damaged, 'lectern.db'), 'not a database');

  const check = async (folder: string, options: Parameters<typeof runProcess>[1] = {}) => {
    const { stdout } = await runProcess(['check', '--json', '--data', folder], options);
    const { findings } = JSON.parse(stdout) as { findings: { part: string; ok: boolean; detail: string }[] };
    return { findings, sandbox: findings.find(({ part }) => part === 'sandbox') };
  };

  test('reports the active parts of the sandbox', async () => {
    const files = landlock > 0 ? `Landlock ${landlock} refuses workers other files` : 'no Landlock';
    const { sandbox } = await check(damaged);
    expect(sandbox).toMatchObject({ ok: true, detail: expect.stringContaining(files) });
    const { sandbox: disabled } = await check(damaged, { env: { LECTERN_SANDBOX: 'off' } });
    expect(disabled).toMatchObject({ ok: true, detail: expect.stringMatching(/^off/) });
    // Voices in the data folder itself make it readable.
    const { sandbox: open } = await check(damaged, { env: { LECTERN_VOICES: damaged } });
    const problem = 'the sandbox does not refuse workers: read';
    if (landlock > 0) expect(open).toMatchObject({ ok: false, detail: expect.stringContaining(problem) });
  });

  test.if(seccomp)('reports the remaining parts without Landlock, and workers still synthesize', async () => {
    const { findings, sandbox } = await check(data, { command: withoutLandlock });
    expect(sandbox?.detail).toMatch(/^no Landlock: .*; seccomp refuses/);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.filter(({ detail }) => detail.includes('real time')).length).toBeGreaterThan(0);
  });

  test.if(seccomp)('fails if a required sandbox is missing, and the server does not start', async () => {
    const options = { command: withoutLandlock, env: { LECTERN_SANDBOX: 'required' } };
    const problem = 'LECTERN_SANDBOX=required: the kernel offers no Landlock';
    const { sandbox } = await check(damaged, options);
    expect(sandbox).toMatchObject({ ok: false, detail: expect.stringContaining(problem) });
    const { code, stderr } = await runProcess(['serve', '--data', createTemporaryFolder(), '--port', '0'], options);
    expect(stderr).toContain(problem);
    expect(code).toBe(1);
  });
});
