import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPermissions } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import { article } from '../api/articles.ts';
import { eventually } from '../fixtures/eventually.ts';
import { peopleOf } from '../fixtures/people.ts';
import { runCommand, startTestServer, temporaryFolder } from '../fixtures/server.ts';
import { toneVoice, writeVoice } from '../fixtures/voice.ts';

// Everything that names no permissions would be open to everybody.
const umask = process.umask(0);
afterAll(() => process.umask(umask));

function modesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modes = names.map((name) => [name, statSync(join(folder, name)).mode & 0o777] as const);
  return Object.fromEntries(modes.map(([name, mode]) => [name, mode.toString(8)]));
}

/** @returns those on which other users have rights */
function sharedBelow(folder: string): string[] {
  return Object.entries(modesBelow(folder)).flatMap(([name, mode]) => (mode.endsWith('00') ? [] : [name]));
}

async function result(data: string, ...words: string[]): Promise<{ code: number; stdout: string }> {
  return runCommand([...words, '--data', data]);
}

test('files of Lectern are private to its user, whatever the umask and the data folder', async () => {
  const data = temporaryFolder();
  const from = temporaryFolder();
  chmodSync(data, 0o755);
  await writeVoice(from, 'en_GB-added-low', toneVoice({ sampleRateHz: 16_000, language: 'en_GB' }));
  const voice = join(from, 'en_GB-added-low.onnx');
  const added = await result(data, 'voice', 'add', voice, '--accept-license');
  expect(added.code).toBe(0);
  const server = await startTestServer({ data });
  await server.generate({ post_id: 'one', content: article('the safe', 40) });
  const { audio_url } = await server.waitUntilFinished('one');
  await (await fetch(audio_url ?? '')).bytes();
  const { admin } = peopleOf(server, server.siteId);
  expect((await admin.request('POST', '/v1/system/backups')).status).toBe(202);
  type Backups = { items: { state: string }[] };
  const states = async () => (await admin.request<Backups>('GET', '/v1/system/backups')).data.items;
  await eventually(async () => (await states())[0]?.state === 'ready', 'the backup');
  expect((await result(data, 'export', join(data, 'site'), '--site', '1')).code).toBe(0);

  const files = Object.keys(modesBelow(data));
  for (const name of ['lectern.db', 'lectern.db-wal', 'lectern.db-shm', 'lock.db', 'voices/en_GB-added-low.onnx']) {
    expect(files).toContain(name);
  }
  for (const folder of ['media/', 'backups/', 'site/audio/']) {
    expect(files.some((name) => name.startsWith(folder))).toBe(true);
  }
  expect(sharedBelow(data)).toEqual([]);
  // Others shall read what is written for them.
  const outside = temporaryFolder();
  expect((await result(data, 'export', join(outside, 'site'), '--site', '1')).code).toBe(0);
  expect(modesBelow(outside)).toMatchObject({ site: '777', 'site/index.html': '666' });
  expect((await result(data, 'backup', join(outside, 'copy.tar'))).code).toBe(0);
  expect(modesBelow(outside)['copy.tar']).toBe('600');
  await server.stop();

  const again = temporaryFolder();
  expect((await runCommand(['restore', join(outside, 'copy.tar'), '--data', again])).code).toBe(0);
  expect(sharedBelow(again)).toEqual([]);
});

test('check reports files that other users can read; a start makes the database private', async () => {
  const data = temporaryFolder();
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
  expect(modesBelow(data)).toMatchObject(Object.fromEntries(names.map((name) => [name, '600'])));
  await second.stop();
  await expect(check()).rejects.toThrow(`rights on media, media/old.mp3 in ${data}.`);
  chmodSync(join(data, 'media', 'old.mp3'), 0o600);
  chmodSync(join(data, 'media'), 0o700);
  expect(await check()).toBe(`no other user has rights on the files in ${data}`);
});
