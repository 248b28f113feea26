import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRssFeed } from 'feedsmith';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createTemporaryFolder, program, runCommand } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

/** Output of the command. */
interface Exported {
  readonly path: string;
  readonly posts: number;
  readonly languages: readonly string[];
  readonly feeds: readonly string[];
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

const buildContent = (topic: string) =>
  `<p>This one is about ${topic} &amp; little else.</p><p>It has a second paragraph. And a third sentence.</p>`;
const oddIds = ['../../outside', 'NEWS/4711', 'news/4711', 'con', '🦊', `x${'é'.repeat(254)}`, 'a b.', '-'];

let site: PublicSite;

beforeAll(async () => {
  site = await startPublicSite(['www.news.example']);
  for (const postId of oddIds) await post(postId);
});
afterAll(() => site.stop('SIGKILL'));

async function post(postId: string, members: Record<string, unknown> = {}): Promise<string> {
  const body = { post_id: postId, post_title: `About ${postId.slice(0, 50)}` };
  const response = await site.generate({ ...body, content: buildContent(postId), ...members });
  if (!response.ok) throw new Error(await response.text());
  return (await site.waitUntilFinished(postId)).audio_url ?? '';
}

async function exportSite(folder: string, ...words: string[]): Promise<Exported> {
  return (await site.runLectern('export', folder, '--site', '1', ...words)) as unknown as Exported;
}

/** @returns every file of a folder with its checksum and modification time */
function listFiles(folder: string): Map<string, { sum: string; at: number }> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return new Map(
    files.map((path) => {
      const sum = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex');
      return [path, { sum, at: statSync(join(folder, path)).mtimeMs }];
    }),
  );
}

function listChecksums(folder: string): [string, string][] {
  return [...listFiles(folder)].map(([path, { sum }]) => [path, sum]);
}

describe('an export', () => {
  test('contains every MP3 as served, with its timings and transcripts', async () => {
    const folder = join(createTemporaryFolder(), 'out');
    const result = await exportSite(folder);
    expect(result).toMatchObject({
      ...{ path: folder, posts: oddIds.length, languages: ['en'], feeds: [] },
      ...{ unchanged: 0, removed: 0 },
    });
    const sums = new Set(listChecksums(folder).map(([, sum]) => sum));
    for (const postId of oddIds) {
      const { audio_url: url } = await site.status(postId);
      for (const kind of ['mp3', 'json', 'vtt', 'transcript.json']) {
        const served = await (await fetch((url ?? '').replace(/mp3$/, kind))).bytes();
        expect([postId, kind, sums.has(createHash('sha256').update(served).digest('hex'))]).toEqual([
          postId,
          kind,
          true,
        ]);
      }
    }
  });

  test('has file names that are valid and distinct on every file system', async () => {
    const folder = join(createTemporaryFolder(), 'out');
    await exportSite(folder);
    const paths = [...listFiles(folder).keys()];
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
    expect(paths.filter((path) => path.startsWith('posts/'))).toHaveLength(oddIds.length);
    for (const path of paths) {
      expect(path).toMatch(/^((posts|audio|fonts)\/)?[a-z0-9][a-z0-9.-]{0,90}$/);
      expect(path).not.toMatch(/(^|\/)(con|nul|aux|prn)\./);
    }
    expect(readdirSync(join(folder, '..'))).toEqual(['out']);
  });

  test('writes only changed files again', async () => {
    const folder = createTemporaryFolder();
    await post('changing');
    const first = await exportSite(folder);
    const before = listFiles(folder);
    expect(before.size).toBe(first.written + 1);
    expect(await exportSite(folder)).toMatchObject({
      written: 0,
      unchanged: first.written,
      removed: 0,
    });
    expect(listFiles(folder)).toEqual(before);

    await post('changing', { content: buildContent('something new') });
    expect(await exportSite(folder)).toMatchObject({ written: 6, removed: 4 });
    const page = [...before.keys()].find((path) => path.startsWith('posts/changing'));
    expect(readFileSync(join(folder, page ?? ''), 'utf8')).toContain('something new');
    await site.request('/v1/audio/changing', { method: 'DELETE' });
    // Its five files and a new list.
    expect(await exportSite(folder)).toMatchObject({ written: 1, removed: 5 });
    expect([...listFiles(folder).keys()].join()).not.toContain('changing');
  });

  test('is the same after an interruption at any point', async () => {
    const whole = createTemporaryFolder();
    await exportSite(whole);
    const folder = createTemporaryFolder();
    const count = listFiles(whole).size;
    // Killed at this number of files: before the first, halfway, and before the last.
    for (const fileCount of [1, 2, 5, Math.floor(count / 2), count - 2]) {
      const words = ['export', folder, '--site', '1', '--data', site.data];
      const child = Bun.spawn([...program, ...words], {
        stdio: ['ignore', 'ignore', 'ignore'],
        env: { PATH: process.env['PATH'] ?? '' },
      });
      const countFiles = () => readdirSync(folder, { recursive: true }).length;
      while (child.exitCode === null && countFiles() < fileCount) await Bun.sleep(1);
      child.kill('SIGKILL');
      await child.exited;
    }
    await exportSite(folder);
    expect(listChecksums(folder)).toEqual(listChecksums(whole));
  });

  test('neither deletes nor replaces files of others', async () => {
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, 'audio'));
    writeFileSync(join(folder, 'audio', 'mine.mp3'), 'mine');
    writeFileSync(join(folder, 'CNAME'), 'audio.example.org');
    await exportSite(folder);
    for (const postId of oddIds) await site.request(`/v1/audio/${encodeURIComponent(postId)}`, { method: 'DELETE' });
    await exportSite(folder);
    const { files } = JSON.parse(readFileSync(join(folder, 'lectern-export.json'), 'utf8'));
    expect([...listFiles(folder).keys()]).toEqual(
      ['audio/mine.mp3', 'CNAME', 'lectern-export.json', ...files.map(({ path }: { path: string }) => path)].sort(),
    );
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('No posts yet');
    expect(existsSync(join(folder, 'posts'))).toBe(false);

    const other = createTemporaryFolder();
    writeFileSync(join(other, 'index.html'), 'mine');
    const words = ['export', other, '--site', '1', '--data', site.data];
    const { code, stderr } = await runCommand(words);
    expect([code, stderr]).toEqual([
      1,
      `lectern: Export failed: ${join(other, 'index.html')} was not created by an export. Export into another folder.\n`,
    ]);
    expect(readdirSync(other)).toEqual(['index.html']);
    for (const postId of oddIds) await post(postId);
  });

  test.each([
    '{"format":1',
    '{"format":1,"lectern":"1","site":"s","files":[{"path":"../x","byte_count":1,"sha256":null}]}',
  ])('deletes nothing by a manifest that is not its own: %s', async (manifest) => {
    const parent = createTemporaryFolder();
    const folder = join(parent, 'out');
    mkdirSync(folder);
    writeFileSync(join(parent, 'x'), 'mine');
    writeFileSync(join(folder, 'lectern-export.json'), manifest);
    const { code, stderr } = await runCommand(['export', folder, '--site', '1', '--data', site.data]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('lectern-export.json is damaged')]);
    expect(existsSync(join(parent, 'x'))).toBe(true);
  });

  test('repairs a truncated file', async () => {
    const folder = createTemporaryFolder();
    await exportSite(folder);
    const whole = listChecksums(folder);
    const [audio = '', page = ''] = ['audio', 'posts'].map((name) =>
      join(folder, name, readdirSync(join(folder, name)).find((file) => /mp3|html/.test(file)) ?? ''),
    );
    writeFileSync(audio, readFileSync(audio).subarray(0, 100));
    rmSync(page);
    expect(await exportSite(folder)).toMatchObject({ written: 2, removed: 0 });
    expect(listChecksums(folder)).toEqual(whole);
  });

  test('has a feed if its URL is given, and all files of the feed', async () => {
    const folder = createTemporaryFolder();
    const result = await exportSite(folder, '--base-url', 'https://static.example/audio/');
    expect(result.feeds).toEqual(['feed.xml']);
    const feed = parseRssFeed(readFileSync(join(folder, 'feed.xml'), 'utf8'));
    const base = 'https://static.example/audio/';
    expect(feed.atom?.links?.[0]?.href).toBe(`${base}feed.xml`);
    expect(feed.itunes?.image).toBe(`${base}cover.png`);
    expect(feed.items).toHaveLength(oddIds.length);
    for (const item of feed.items ?? []) {
      const [enclosure] = item.enclosures ?? [];
      const addresses = [enclosure?.url, item.link, ...(item.podcast?.transcripts ?? []).map(({ url }) => url)];
      for (const address of addresses) {
        expect(address).toStartWith(base);
        expect(existsSync(join(folder, address?.slice(base.length) ?? ''))).toBe(true);
      }
      expect(statSync(join(folder, enclosure?.url?.slice(base.length) ?? '')).size).toBe(enclosure?.length ?? 0);
    }
    const served = parseRssFeed(await (await site.open('feed.xml?domain=www.news.example')).text());
    expect(feed.items?.map(({ guid }) => guid)).toEqual(served.items?.map(({ guid }) => guid));
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('href="feed.xml"');
    // Without a URL again, it has no feed.
    expect((await exportSite(folder)).feeds).toEqual([]);
    expect(existsSync(join(folder, 'feed.xml'))).toBe(false);
  });

  test('escapes texts, and contains none if the site publishes no text', async () => {
    await post('texts', {
      post_title: '<b>A</b> & "B"',
      post_url: 'https://www.news.example/"a"?b&c',
    });
    const folder = createTemporaryFolder();
    await exportSite(folder);
    const name = readdirSync(join(folder, 'posts')).find((name) => name.startsWith('texts')) ?? '';
    const page = readFileSync(join(folder, 'posts', name), 'utf8');
    expect(page).toContain('<h1>&lt;b&gt;A&lt;/b&gt; &amp; &quot;B&quot;</h1>');
    expect(page).toContain('<p>It has a second paragraph. And a third sentence.</p>');
    expect(page).not.toContain('<b>');
    await site.runLectern('site', 'update', '1', '--timings-text', 'false');
    await exportSite(folder);
    const bare = readFileSync(join(folder, 'posts', name), 'utf8');
    await site.runLectern('site', 'update', '1', '--timings-text', 'true');
    expect(bare).not.toContain('second paragraph');
    expect([...listFiles(folder).keys()].filter((path) => /vtt|transcript/.test(path))).toEqual([]);
    await site.request('/v1/audio/texts', { method: 'DELETE' });
  });

  test('contains public posts only', async () => {
    await post('private', { visibility: 'private' });
    await post('later', { publish_at: new Date(Date.now() + 3_600_000).toISOString() });
    const folder = createTemporaryFolder();
    expect((await exportSite(folder)).posts).toBe(oddIds.length);
    const names = readdirSync(join(folder, 'posts')).join();
    expect(names).not.toContain('private');
    expect(names).not.toContain('later');
  });

  test('contains every language, each with its own feed, or the named one only', async () => {
    const voice = createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' });
    await writeVoice(join(site.data, 'voices'), 'de_DE-tones-low', voice);
    await eventually(async () => {
      const response = await site.open('voices?domain=www.news.example');
      return (await response.text()).includes('"de"');
    }, 'a German voice');
    await site.generate({
      post_id: 'con',
      language: 'de',
      post_title: 'Über',
      content: buildContent('Öl'),
    });
    const folder = createTemporaryFolder();
    const flags = ['--base-url', 'https://static.example'];
    await eventually(async () => (await exportSite(folder, ...flags)).posts === oddIds.length + 1, 'a post in German');
    const result = await exportSite(folder, ...flags);
    expect(result).toMatchObject({ languages: ['en', 'de'], feeds: ['feed.xml', 'feed-de.xml'] });
    const german = parseRssFeed(readFileSync(join(folder, 'feed-de.xml'), 'utf8'));
    expect(german).toMatchObject({ language: 'de', items: [{ title: 'Über' }] });
    // A page opened from the folder cannot load them.
    const post = readFileSync(join(folder, german.items?.[0]?.link?.split('.example/')[1] ?? ''), 'utf8');
    expect(post).toContain('texts="{&quot;listen&quot;:&quot;Diesen Artikel anhören');
    const list = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(list).toMatch(/<h2 lang="de"><a href="posts\/con-[0-9a-f]+\.de\.html">Über/);

    const only = await exportSite(folder, ...flags, '--language', 'de-AT');
    expect(only).toMatchObject({ posts: 1, languages: ['de'], feeds: ['feed.xml'] });
    expect(parseRssFeed(readFileSync(join(folder, 'feed.xml'), 'utf8')).language).toBe('de');
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('<html lang="de">');
    await site.request('/v1/audio/con?language=de', { method: 'DELETE' });
  });

  test('prints its results and errors in lines', async () => {
    const folder = createTemporaryFolder();
    const run = (...words: string[]) => runCommand(['export', folder, ...words, '--data', site.data]);
    const { stdout } = await run('--site', '1');
    expect(stdout.split('\n')).toEqual([
      `Exported ${oddIds.length} posts (en) to ${folder}`,
      expect.stringMatching(/^ {2}\d+ files written, 0 unchanged, 0 removed$/),
      '  no podcast feed: it needs the public address of this folder, for example --base-url https://example.org/audio',
      '  open index.html in a browser, or serve the folder with a web server',
      '',
    ]);
    const runFailing = async (...words: string[]) => {
      const { code, stderr } = await run(...words);
      return [code, stderr];
    };
    expect(await runFailing('--site', 'nobody')).toEqual([1, 'lectern: Site nobody not found\n']);
    expect(await runFailing('--site', '1', '--base-url', 'example.org')).toEqual([
      2,
      expect.stringContaining('expected an http(s) URL'),
    ]);
    expect(await runFailing('--site', '1', '--language', 'ed')).toEqual([
      2,
      expect.stringContaining('expected a language code'),
    ]);
    expect(await runFailing()).toEqual([2, expect.stringContaining("required option '--site <site>'")]);
  });
});
