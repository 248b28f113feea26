import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { checkDatabase } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { defaultVoiceFile } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

setDefaultTimeout(300_000);

// PostgreSQL is backed up with its own tools: test/long/postgres.test.ts.

const postCount = 12;
const sentences = [
  'The ferry left the harbor at dawn with forty passengers on board.',
  'Nobody had expected the fog to lift before noon on such a cold day.',
  'A crew of six mended the nets while the captain read the morning paper.',
  'Further along the coast the lighthouse keeper counted the passing ships.',
];

function buildText(number: number): string {
  return `<p>Report number ${number}.</p><p>${sentences.join(` ${number} ships. `)}</p>`;
}

function runBackup(data: string, file: string) {
  return runCommand(['backup', file, '--data', data, '--json']);
}

function restore(file: string, data: string) {
  return runCommand(['restore', file, '--data', data]);
}

async function sumOf(address: string | null): Promise<string> {
  const response = await fetch(address ?? 'no address');
  expect(response.status).toBe(200);
  return createHash('sha256')
    .update(await response.bytes())
    .digest('hex');
}

/** Records of all posts, and the checksum of every MP3, by name. */
async function readAllAudio(server: TestServer) {
  const records: AudioRecord[] = [];
  for (let number = 1; number <= postCount; number += 1) {
    records.push(await server.status(`post-${number}`));
  }
  const ready = records.filter(({ status }) => status === 'ready');
  const sums = await Promise.all(
    ready.map(async ({ audio_url }) => [new URL(audio_url ?? '').pathname, await sumOf(audio_url)]),
  );
  return { records, sums: Object.fromEntries(sums) as Record<string, string> };
}

describe.skipIf(isOnPostgres)('a backup during synthesis', () => {
  test('contains every ready audio; the restored server finishes the others', async () => {
    const server = await startTestServer();
    await writeVoice(join(server.data, 'voices'), 'spare', createToneVoice({ sampleRateHz: 16_000 }));
    for (let number = 1; number <= postCount; number += 1) {
      const { status } = await server.generate({
        post_id: `post-${number}`,
        post_title: `Report ${number}`,
        content: buildText(number),
      });
      expect(status).toBe(202);
    }
    await eventually(async () => (await server.status('post-2')).status === 'ready', 'two are ready');
    const file = join(createTemporaryFolder(), 'backup.tar');
    const { code, stdout } = await runBackup(server.data, file);
    expect(code).toBe(0);
    const parts = (JSON.parse(stdout) as { parts: { name: string }[] }).parts;
    const voiceFiles = [defaultVoiceFile, 'spare'].flatMap((name) => [
      `voices/${name}.onnx`,
      `voices/${name}.onnx.json`,
    ]);
    expect(parts.map(({ name }) => name).sort()).toEqual(['lectern.db', ...voiceFiles]);
    expect(statSync(file).mode & 0o077).toBe(0);
    for (let number = 1; number <= postCount; number += 1) await server.waitUntilFinished(`post-${number}`);
    const original = await readAllAudio(server);
    expect(Object.keys(original.sums)).toHaveLength(postCount);
    await server.stop();

    const data = join(createTemporaryFolder(), 'restored');
    expect((await restore(file, data)).code).toBe(0);
    expect(await checkDatabase(readConfig({ data }, {}))).toContain('passed the integrity check');
    const restored = await startTestServer({ data, key: server.key });
    const atOnce = await readAllAudio(restored);
    expect(Object.keys(atOnce.sums).length).toBeGreaterThanOrEqual(2);
    for (const [name, sum] of Object.entries(atOnce.sums)) {
      // Audio that was ready at the backup has kept its URL and bytes.
      if (name in original.sums) expect(sum).toBe(original.sums[name] ?? '');
    }
    expect(Object.keys(atOnce.sums).filter((name) => name in original.sums).length).toBeGreaterThan(1);
    for (let number = 1; number <= postCount; number += 1) {
      const record = await restored.waitUntilFinished(`post-${number}`);
      expect(record).toMatchObject({ status: 'ready', progress_percent: 100 });
      expect(record.duration_seconds).toBe(original.records[number - 1]?.duration_seconds ?? -1);
    }
    await restored.stop();
  });
});

describe.skipIf(isOnPostgres)('a backup', () => {
  async function createSmallBackup(): Promise<{ data: string; file: string }> {
    const data = createTemporaryFolder();
    await createSite(data);
    writeFileSync(join(data, 'lectern.toml'), 'workers = 1\n');
    const file = join(createTemporaryFolder(), 'backup.tar');
    expect((await runBackup(data, file)).code).toBe(0);
    return { data, file };
  }

  test('is not created over another file, without a database, or in a read-only folder', async () => {
    const { data, file } = await createSmallBackup();
    const before = readFileSync(file);
    const again = await runBackup(data, file);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/already exists/)]);
    expect(readFileSync(file)).toEqual(before);
    const empty = await runBackup(createTemporaryFolder(), join(createTemporaryFolder(), 'x.tar'));
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringMatching(/No Lectern database/)]);
    const nowhere = await runBackup(data, join(createTemporaryFolder(), 'no/such/x.tar'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/its folder does not exist/)]);
  });

  test('contains the config file, also that which LECTERN_CONFIG names', async () => {
    const { file, data: original } = await createSmallBackup();
    const named = join(createTemporaryFolder(), 'named.toml');
    writeFileSync(named, 'workers = 2\n');
    const other = join(createTemporaryFolder(), 'backup.tar');
    const backup = await runCommand(['backup', other, '--data', original], { env: { LECTERN_CONFIG: named } });
    expect([backup.code, backup.stderr]).toEqual([0, '']);
    for (const [source, text] of [
      [file, 'workers = 1\n'],
      [other, 'workers = 2\n'],
    ] as const) {
      const data = createTemporaryFolder();
      expect((await restore(source, data)).code).toBe(0);
      expect(readFileSync(join(data, 'lectern.toml'), 'utf8')).toBe(text);
    }
  });

  test('can be restored only into an empty folder without a running server', async () => {
    const { file } = await createSmallBackup();
    const data = createTemporaryFolder();
    writeFileSync(join(data, 'note.txt'), 'mine');
    const used = await restore(file, data);
    expect([used.code, used.stderr]).toEqual([1, expect.stringMatching(/not empty \(contains note\.txt\)/)]);
    expect(readdirSync(data)).toEqual(['note.txt']);
  });

  test('that is truncated, changed or no backup is rejected without a trace', async () => {
    const { file } = await createSmallBackup();
    const whole = readFileSync(file);
    const changed = Buffer.from(whole);
    const place = whole.indexOf('workers = 1');
    changed.write('workers = 7', place);
    const cases: [string, Buffer, RegExp][] = [
      ['cut in the middle', whole.subarray(0, whole.length / 2), /not a complete Lectern backup/],
      ['without its end', whole.subarray(0, whole.length - 2_048), /not a complete Lectern backup/],
      ['empty', Buffer.alloc(0), /not a complete Lectern backup/],
      ['noise', Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))), /not a complete Lectern backup/],
      ['changed', changed, /is damaged/],
    ];
    for (const [name, bytes, reason] of cases) {
      const bad = join(createTemporaryFolder(), `${name}.tar`);
      writeFileSync(bad, bytes);
      const data = createTemporaryFolder();
      const { code, stderr } = await restore(bad, data);
      expect([name, code, stderr]).toEqual([name, 1, expect.stringMatching(reason)]);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(existsSync(join(data, 'lectern.db'))).toBe(false);
      expect(existsSync(join(data, 'restoring'))).toBe(false);
    }
  });

  test.each(['../outside', '/tmp/outside', 'voices/../../outside', 'voices/..', 'other.txt'])(
    'may not hold %s',
    async (name) => {
      const bad = join(createTemporaryFolder(), 'bad.tar');
      const archive = pack();
      archive.entry({ name }, 'x');
      archive.entry({ name: 'manifest.json' }, '{}');
      archive.finalize();
      writeFileSync(bad, await new Response(archive as unknown as ReadableStream).bytes());
      const data = join(createTemporaryFolder(), 'data');
      const { code, stderr } = await restore(bad, data);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/not a complete Lectern backup/)]);
      expect(readdirSync(data).filter((left) => left !== 'lock.db')).toEqual([]);
      expect(existsSync(join(data, '../outside'))).toBe(false);
    },
  );

  test('of a newer version is rejected', async () => {
    const { data } = await createSmallBackup();
    const { Database } = await import('bun:sqlite');
    const database = new Database(join(data, 'lectern.db'));
    database.run('pragma user_version = 99');
    database.close();
    const file = join(createTemporaryFolder(), 'newer.tar');
    expect((await runBackup(data, file)).code).toBe(0);
    const fresh = createTemporaryFolder();
    const { code, stderr } = await restore(file, fresh);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/newer Lectern/)]);
    expect(existsSync(join(fresh, 'lectern.db'))).toBe(false);
  });
});
