import { describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { changeRows, refuseWrites } from '../fixtures/change-rows.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { addDefaultVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { selectCases } from '../fixtures/scale.ts';
import {
  createTemporaryFolder,
  program,
  runProcess,
  serverEnvironment,
  startServerForFile,
  startTestServer,
  withoutPreloading,
} from '../fixtures/server.ts';
import { Database as SQLite } from '../fixtures/sqlite.ts';
import { requireTool } from '../fixtures/tools.ts';

const server = await startServerForFile();

/** Timeout of a `serve` that must exit by itself. */
const patience = [requireTool('timeout'), '--signal=KILL', '120'];

/** Runs a `serve` that must exit by itself. @returns its one line beside the log */
async function getStartError(flags: readonly string[], command?: string[]): Promise<string> {
  const words = ['serve', ...flags];
  const { code, stdout, stderr } = await runProcess(words, {
    command: [...patience, ...(command ?? program)],
  });
  expect([code, stdout]).toEqual([1, '']);
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  return lines.join();
}

describe('lectern serve', () => {
  test('fails if another server uses the data folder', async () => {
    expect(await getStartError(['--data', server.data, '--port', '0'])).toBe(
      `lectern: Data folder ${server.data} is in use by another Lectern server. Stop that server, or choose another folder with --data.`,
    );
    expect((await server.request('/healthz')).status).toBe(200);
  });

  test('fails if the port is in use', async () => {
    const { port } = new URL(server.url);
    expect(await getStartError(['--data', createTemporaryFolder(), '--port', port])).toBe(
      `lectern: Listening on 127.0.0.1:${port} failed: port already in use. Choose another one with --port.`,
    );
  });

  test('fails if the address is not of this machine', async () => {
    const line = await getStartError(['--data', createTemporaryFolder(), '--port', '0', '--host', '192.0.2.1']);
    expect(line).toStartWith('lectern: Listening on 192.0.2.1:0 failed: ');
  });

  // On PostgreSQL the folder has the config file that names the database.
  test.skipIf(isOnPostgres)('fails if the data folder would be inside a file', async () => {
    const file = join(createTemporaryFolder(), 'file');
    await Bun.write(file, 'text');
    for (const data of [file, join(file, 'data')]) {
      const line = await getStartError(['--data', data, '--port', '0']);
      expect(line).toStartWith(`lectern: Data folder ${data} is ${data === file ? 'a file' : 'not writable'}`);
    }
  });

  test('fails if the data folder is not writable', async () => {
    const data = createTemporaryFolder();
    chmodSync(data, 0o555);
    // This capability lets root write everywhere.
    const asOthers = [requireTool('setpriv'), '--bounding-set=-dac_override'];
    const isRoot = process.getuid?.() === 0;
    const command = [...(isRoot ? asOthers : []), ...program];
    const line = await getStartError(['--data', data, '--port', '0'], command);
    expect(line).toContain(data);
    expect(line).toContain('is not writable');
  });

  test('fails if the database file is no database', async () => {
    const data = createTemporaryFolder();
    await Bun.write(join(data, 'lectern.db'), 'x'.repeat(9_000));
    expect(await getStartError(['--data', data, '--port', '0'])).toBe(
      `lectern: Database ${join(data, 'lectern.db')} is damaged or not a Lectern database. Restore a backup.`,
    );
  });

  test('prints its local and its public URL as one JSON value', async () => {
    const flags = ['--data', createTemporaryFolder(), '--port', '0', '--json'];
    const child = Bun.spawn([...program, 'serve', ...flags, '--base-url', 'https://a.example/b'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...serverEnvironment, ...withoutPreloading },
    });
    const { value } = await child.stdout.getReader().read();
    const output = JSON.parse(new TextDecoder().decode(value)) as Record<string, string>;
    expect(output).toEqual({
      ...{ url: 'https://a.example/b' },
      setup_url: expect.stringMatching(/^https:\/\/a\.example\/b\/#setup=[\w-]{43}$/),
      local_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    child.kill();
    expect(await child.exited).toBe(0);
  });

  test('warns if it can be reached from other machines without a base URL', async () => {
    const open = await startTestServer({ flags: ['--host', '0.0.0.0'] });
    expect(open.url).toMatch(/^http:\/\/localhost:[1-9]\d*$/);
    const warning = '--base-url is not set: audio URLs start with';
    await open.waitForLogLine(warning);
    expect(await open.stop()).toBe(0);
    expect(server.log()).not.toContain('--base-url');
  });
});

describe('lectern demo', () => {
  test.each(selectCases(['a tone voice', 'the built-in voice']))(
    'synthesizes its article with %s, and keeps serving it',
    async (voice) => {
      const data = createTemporaryFolder();
      if (voice === 'a tone voice') await addDefaultVoice(data);
      const child = Bun.spawn([...program, 'demo', '--data', data, '--port', '0', '--json'], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: serverEnvironment,
      });
      try {
        const { value } = await child.stdout.getReader().read();
        const output = JSON.parse(new TextDecoder().decode(value)) as Record<string, string>;
        expect({ ...output }).toMatchObject({
          ...{ status: 'ready', progress_percent: 100, post_id: expect.any(String) },
          ...{ duration_seconds: expect.any(Number), took_seconds: expect.any(Number) },
        });
        const record = await getDemoRecord(output);
        expect(record.data.duration_seconds).toBeGreaterThan(60);
        const mp3 = await fetch(record.data.audio_url);
        expect([mp3.status, (await mp3.bytes()).length > 500_000]).toEqual([200, true]);
        const page = await (await fetch(`${output['url']}/demo`)).text();
        expect(page).toContain(`<lectern-player post-id="${output['post_id']}"`);
        const files = [...page.matchAll(/(?:src|href)="([^"#:]+\.\w+)"/g)].map(([, path]) => path ?? '');
        const responses = await Promise.all(files.map((path) => fetch(new URL(path, `${output['url']}/`))));
        expect(files).toHaveLength(6);
        expect(responses.every(({ status }) => status === 200)).toBe(true);
      } finally {
        child.kill();
      }
      expect(await child.exited).toBe(0);
      expect(await new Response(child.stderr).text()).toBe('');
    },
  );

  test('prints the next steps, and works behind a base URL', async () => {
    const data = createTemporaryFolder();
    await addDefaultVoice(data);
    const flags = ['--data', data, '--port', '0', '--base-url', 'https://a.example/b'];
    const child = Bun.spawn([...program, 'demo', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: serverEnvironment,
    });
    let output = '';
    for await (const chunk of child.stdout) {
      output += new TextDecoder().decode(chunk);
      if (output.includes('Press Ctrl-C to stop.')) child.kill();
    }
    expect(await child.exited).toBe(0);
    expect(output).toMatch(/^Lectern is listening on http:\/\/127\.0\.0\.1:\d+$/m);
    expect(output).toMatch(/^MP3 {7}https:\/\/a\.example\/b\/v1\/media\/[\w-]+\.mp3$/m);
    expect(output).toMatch(/^duration {2}\d+ s of speech, generated in \d+\.\d s$/m);
    expect(output).toMatch(/^Reader view: {2}https:\/\/a\.example\/b\/demo$/m);
    expect(output).toMatch(/^Dashboard: {4}https:\/\/a\.example\/b\/#setup=[\w-]{43}$/m);
  });
});

function getDemoRecord(output: Record<string, string>) {
  return fetch(`${output['url']}/v1/audio/${output['post_id']}/status`, {
    headers: { 'x-api-key': output['key'] ?? '' },
  }).then((response) => response.json() as Promise<{ data: { audio_url: string; duration_seconds: number } }>);
}

test('a start that fails after listening on the port ends the process', async () => {
  const { data, stop } = await startTestServer();
  await stop('SIGKILL');
  changeRows(data, `insert into site_counter select id, 'queued.high', 1 from site`);
  refuseWrites(data, 'update', 'site_counter', 'the rows cannot change');
  const { code, stdout, stderr } = await runProcess(['serve', '--data', data, '--port', '0'], {
    command: [...patience, ...program],
  });
  const line = stderr.split('\n').at(-2);
  expect([code, stdout, line]).toEqual([1, '', expect.stringMatching(/^lectern: .*the rows cannot change/)]);
});

describe('a server that is stopped', () => {
  test('takes requests for a while, but tells load balancers and clients to use another server', async () => {
    const other = await startTestServer({ env: { LECTERN_STOP_DELAY_S: '600' } });
    const request = async (path: string) => {
      const { status, headers } = await other.request(path);
      return [status, headers.get('connection')];
    };
    expect(await request('/healthz')).toEqual([200, null]);
    other.process.kill('SIGTERM');
    await eventually(async () => (await request('/healthz'))[0] === 503, 'the server drains');
    expect(await request('/readyz')).toEqual([503, 'close']);
    const content = 'A post is accepted although the server was told to stop a moment ago.';
    expect((await other.generate({ post_id: 'late', content })).status).toBe(202);
    expect(await request('/v1/audio/late/status')).toEqual([200, 'close']);
    expect(await other.waitUntilFinished('late')).toMatchObject({ status: 'ready' });
    await other.stop('SIGKILL');
  });

  test('ignores the second of two signals sent at once', async () => {
    const other = await startTestServer();
    other.process.kill('SIGINT');
    other.process.kill('SIGINT');
    await other.process.exited;
    expect(other.process.exitCode).toBe(0);
  });

  // On PostgreSQL nobody else can lock the whole database.
  test.skipIf(isOnPostgres)(
    'exits while another program locks the database, before its own timeout for the lock',
    async () => {
      const other = await startTestServer();
      const holder = new SQLite(join(other.data, 'lectern.db'));
      holder.run('begin exclusive');
      expect(await other.stop('SIGTERM')).toBe(0);
      holder.close();
      expect(other.log()).not.toContain('resetting running jobs failed');
    },
  );
});
