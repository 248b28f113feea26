import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPermissions } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import { buildArticle } from '../api/articles.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createTemporaryFolder, runCommand, startTestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

// Files without explicit permissions would be open to every user.
const umask = process.umask(0);
afterAll(() => process.umask(umask));

function listModes(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modes = names.map((name) => [name, statSync(join(folder, name)).mode & 0o777] as const);
  return Object.fromEntries(modes.map(([name, mode]) => [name, mode.toString(8)]));
}

/** @returns the files that other users can access */
function listShared(folder: string): string[] {
  return Object.entries(listModes(folder)).flatMap(([name, mode]) => (mode.endsWith('00') ? [] : [name]));
}

async function runLectern(data: string, ...words: string[]): Promise<{ code: number; stdout: string }> {
  return runCommand([...words, '--data', data]);
}

// Both are about the files of the database and its backups.
test.skipIf(isOnPostgres)(
  'files of Lectern are private to its user, whatever the umask and the data folder',
  async () => {
    const data = createTemporaryFolder();
    const from = createTemporaryFolder();
    chmodSync(data, 0o755);
    await writeVoice(from, 'en_GB-added-low', createToneVoice({ sampleRateHz: 16_000, language: 'en_GB' }));
    const voice = join(from, 'en_GB-added-low.onnx');
    const added = await runLectern(data, 'voice', 'add', voice, '--accept-license');
    expect(added.code).toBe(0);
    const server = await startTestServer({ data });
    await server.generate({ post_id: 'one', content: buildArticle('the safe', 8) });
    const { audio_url } = await server.waitUntilFinished('one');
    await (await fetch(audio_url ?? '')).bytes();
    const { admin } = createSiteUsers(server, server.siteId);
    expect((await admin.request('POST', '/v1/system/backups')).status).toBe(202);
    type Backups = { items: { state: string }[] };
    const listBackups = async () => (await admin.request<Backups>('GET', '/v1/system/backups')).data.items;
    await eventually(async () => (await listBackups())[0]?.state === 'ready', 'the backup');
    expect((await runLectern(data, 'export', join(data, 'site'), '--site', '1')).code).toBe(0);

    const files = Object.keys(listModes(data));
    for (const name of ['lectern.db', 'lectern.db-wal', 'lectern.db-shm', 'lock.db', 'voices/en_GB-added-low.onnx']) {
      expect(files).toContain(name);
    }
    for (const folder of ['media/', 'backups/', 'site/audio/']) {
      expect(files.some((name) => name.startsWith(folder))).toBe(true);
    }
    expect(listShared(data)).toEqual([]);
    // Files written for other users must be readable.
    const outside = createTemporaryFolder();
    expect((await runLectern(data, 'export', join(outside, 'site'), '--site', '1')).code).toBe(0);
    expect(listModes(outside)).toMatchObject({ site: '777', 'site/index.html': '666' });
    expect((await runLectern(data, 'backup', join(outside, 'copy.tar'))).code).toBe(0);
    expect(listModes(outside)['copy.tar']).toBe('600');
    await server.stop();

    const again = createTemporaryFolder();
    expect((await runCommand(['restore', join(outside, 'copy.tar'), '--data', again])).code).toBe(0);
    expect(listShared(again)).toEqual([]);
  },
);

test.skipIf(isOnPostgres)(
  'check reports files that other users can read; a start makes the database private',
  async () => {
    const data = createTemporaryFolder();
    const first = await startTestServer({ data });
    // The write-ahead log stays after a kill.
    await first.stop('SIGKILL');
    mkdirSync(join(data, 'media'), { recursive: true });
    writeFileSync(join(data, 'media', 'old.mp3'), 'x');
    const names = ['lectern.db', 'lectern.db-shm', 'lectern.db-wal'];
    for (const name of [...names, 'lock.db']) chmodSync(join(data, name), 0o644);
    chmodSync(join(data, 'media'), 0o750);
    const check = () => checkPermissions(readConfig({ data }, {}));
    await expect(check()).rejects.toThrow(`rights on ${names.join(', ')}, lock.db, media and 1 more in ${data}.`);

    const second = await startTestServer({ data, key: first.key });
    expect(listModes(data)).toMatchObject(Object.fromEntries(names.map((name) => [name, '600'])));
    await second.stop();
    await expect(check()).rejects.toThrow(`rights on media, media/old.mp3 in ${data}.`);
    chmodSync(join(data, 'media', 'old.mp3'), 0o600);
    chmodSync(join(data, 'media'), 0o700);
    expect(await check()).toBe(`no other user has rights on the files in ${data}`);
  },
);
