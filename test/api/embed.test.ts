import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Oembed } from '../../src/player/oembed-routes.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { buildArticle } from './articles.ts';

const page = 'https://news.example/boats';
const control = '\u0001';
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)> ' & ${control}`;
let site: PublicSite;

beforeAll(async () => {
  site = await startPublicSite(['news.example', 'www.news.example'], {
    flags: ['--base-url', 'https://audio.example/speech'],
  });
  await site.generate({
    ...{ post_id: 'boats', post_title: 'The boats', post_url: page },
    content: buildArticle('the boats'),
  });
  await site.generate({
    ...{ post_id: 'hostile "/&', post_title: hostile, content: buildArticle('something bad') },
    post_url: 'https://news.example/bad?"><script>alert(2)</script>',
  });
  await site.generate({ post_id: 'private', visibility: 'private', content: buildArticle('a secret') });
  await site.generate({ post_id: 'mute', content: '<p>😀</p>'.repeat(20) });
  for (const postId of ['boats', 'hostile "/&', 'private', 'mute']) await site.waitUntilFinished(postId);
});

afterAll(async () => {
  await site?.stop();
});

async function embed(query: Record<string, string>) {
  const response = await site.open(`embed?${new URLSearchParams({ domain: 'news.example', ...query })}`);
  return { status: response.status, headers: response.headers, html: await response.text() };
}

describe('the embed page', () => {
  test('plays without scripts, and contains title, article URL, file URL and player', async () => {
    const { status, headers, html } = await embed({ post_id: 'boats' });
    const { audio_url: audioUrl } = await site.status('boats');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<title>The boats</title>');
    expect(html).toContain(
      `<audio class="plain" controls preload="none" src="${audioUrl}" aria-label="The boats"></audio>`,
    );
    expect(html).toContain(`<a href="${page}" target="_blank" rel="noopener">Read the article</a>`);
    expect(html).toContain(`<a class="plain" href="${audioUrl}" download>Download</a>`);
    expect(html).toContain('<script async src="/speech/v1/public/player.js">');
    expect(html).toContain('post-id="boats" domain="news.example"');
    expect(html).not.toContain('refresh');
  });

  test('can be embedded in any page, and loads resources from its own server only', async () => {
    const { headers } = await embed({ post_id: 'boats' });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('frame-ancestors');
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBeNull();
    const style = await site.open('embed.css');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  });

  test('has the texts of the player in a supported language', async () => {
    const german = await site.open('player-texts/de');
    expect([german.status, german.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await german.json()).toMatchObject({ play: 'Abspielen' });
    expect((await site.open('player-texts/tlh')).status).toBe(404);
  });

  test('can be found by the URL of the article', async () => {
    const { html } = await embed({ url: `${page}?utm_source=x#top` });
    expect(html).toContain('<title>The boats</title>');
  });

  test('escapes hostile text', async () => {
    const { html } = await embed({ post_id: 'hostile "/&' });
    expect(html).toContain('<title>&quot;&gt;&lt;script&gt;alert(1)');
    expect(html).not.toMatch(/<script>|<img/);
    expect(html).not.toContain(control);
    expect(html).toContain('post-id="hostile &quot;/&amp;"');
  });

  test('polls while the audio is generated, and shows that state', async () => {
    const letGo = holdWorkers(site);
    await site.generate({ post_id: 'slow', content: buildArticle('a long day') });
    const { status, html } = await embed({ post_id: 'slow' });
    letGo();
    expect(status).toBe(200);
    expect(html).toContain('Generating audio (');
    expect(html).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
    expect(html).not.toContain('<audio');
  });

  test('plays the last version while a new one is generated', async () => {
    await site.generate({ post_id: 'again', content: buildArticle('the first') });
    const { audio_url: first } = await site.waitUntilFinished('again');
    const letGo = holdWorkers(site);
    await site.generate({ post_id: 'again', content: buildArticle('the second') });
    const { html } = await embed({ post_id: 'again' });
    letGo();
    expect(html).toContain(`src="${first}"`);
  });

  test.each([
    ['a post that is not there', { post_id: 'nothing' }],
    ['a private post', { post_id: 'private' }],
    ['a post that cannot be spoken', { post_id: 'mute' }],
    ['a domain of nobody', { post_id: 'boats', domain: 'nobody.example' }],
    ['another language', { post_id: 'boats', lang: 'de' }],
  ])('is quiet about %s', async (_, query) => {
    const { status, html, headers } = await embed(query);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toMatch(/No audio found\.|Kein Audio gefunden\./);
    expect(html).not.toContain('lectern-player');
  });

  test('requires a post', async () => {
    expect((await embed({})).status).toBe(422);
    expect((await embed({ url: 'ftp://news.example/boats' })).status).toBe(422);
    expect((await embed({ post_id: 'boats', lang: '??' })).status).toBe(422);
  });
});

async function requestOembed(query: Record<string, string>) {
  const response = await site.open(`oembed?${new URLSearchParams(query)}`, {
    headers: { origin: 'https://reader.example' },
  });
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  return { status, headers, type, text: await response.text() };
}

async function getOembed(query: Record<string, string>): Promise<Oembed> {
  const { status, text } = await requestOembed(query);
  expect(status).toBe(200);
  return JSON.parse(text);
}

describe('oEmbed', () => {
  const frame = 'https://audio.example/speech/v1/public/embed?domain=news.example&post_id=boats&lang=en';

  test('returns a frame for the URL of an article, to any origin', async () => {
    const { status, headers, type, text } = await requestOembed({ url: page });
    expect([status, type]).toEqual([200, 'application/json']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(JSON.parse(text)).toEqual({
      ...{ type: 'rich', version: '1.0', title: 'The boats' },
      ...{ author_name: 'Public Site', author_url: page },
      ...{ provider_name: 'Lectern', provider_url: 'https://audio.example/speech' },
      ...{ cache_age: 3600, width: 600, height: 156 },
      html: `<iframe src="${frame.replaceAll('&', '&amp;')}" width="600" height="156" title="The boats" loading="lazy" style="border:0"></iframe>`,
    });
  });

  test('returns a frame for the URL of the embed page, which links back to oEmbed', async () => {
    const { html } = await embed({ post_id: 'boats' });
    const [, named = ''] = /application\/json\+oembed" href="([^"]+)"/.exec(html) ?? [];
    const { pathname, searchParams } = new URL(named.replaceAll('&amp;', '&'));
    expect(pathname).toBe('/speech/v1/public/oembed');
    expect(searchParams.get('url')).toBe(frame);
    const query = Object.fromEntries(searchParams);
    expect((await getOembed(query)).html).toContain(frame.replaceAll('&', '&amp;'));
  });

  test('respects the maximum width and height', async () => {
    expect(await getOembed({ url: page, maxwidth: '320' })).toMatchObject({
      width: 320,
      height: 200,
    });
    expect(await getOembed({ url: page, maxwidth: '2000', maxheight: '90' })).toMatchObject({
      ...{ width: 600, height: 90 },
    });
    expect((await getOembed({ url: page, maxwidth: '320' })).html).toContain('width="320" height="200"');
  });

  test('supports JSON and XML only', async () => {
    const { type, text } = await requestOembed({ url: page, format: 'xml' });
    expect(type).toBe('text/xml; charset=utf-8');
    expect(text).toStartWith('<?xml version="1.0" encoding="UTF-8"?>\n<oembed>\n<type>rich</type>');
    expect(text).toContain('<html>&lt;iframe src=');
    expect(await requestOembed({ url: page, format: 'yaml' })).toMatchObject({ status: 501 });
  });

  test.each([
    ['an article that is not there', 'https://news.example/nothing'],
    ['an article of nobody', 'https://nobody.example/boats'],
    ['no address', 'boats'],
    ['an address of another kind', 'mailto:boats@news.example'],
    ['a frame of a private post', 'https://audio.example/speech/v1/public/embed?domain=news.example&post_id=private'],
    ['a frame that names nothing', 'https://audio.example/speech/v1/public/embed'],
  ])('knows nothing of %s', async (_, url) => {
    expect(await requestOembed({ url })).toMatchObject({ status: 404 });
  });

  test('escapes hostile text', async () => {
    const url = 'https://audio.example/speech/v1/public/embed?domain=news.example&post_id=hostile+%22%2F%26';
    const { title, html } = await getOembed({ url });
    expect(title).toContain('<script>');
    expect(html).not.toMatch(/<script|<img/);
    const { text } = await requestOembed({ url, format: 'xml' });
    expect(text).not.toMatch(/<script|<img/);
    expect(text).not.toContain(control);
  });
});

test('without a subscription the page says that no audio is available', async () => {
  await site.runLectern('site', 'update', '1', '--subscription', 'inactive');
  const { status, html } = await embed({ post_id: 'boats' });
  expect(status).toBe(402);
  expect(html).toContain('Audio currently unavailable.');
  expect((await requestOembed({ url: page })).status).toBe(402);
  await site.runLectern('site', 'update', '1', '--subscription', 'active');
});

test('views of embed pages do not count against the rate limit of the site', async () => {
  const frame = await embed({ post_id: 'boats' });
  const described = await requestOembed({ url: page });
  const counted = [frame, described].map(({ headers }) => headers.get('x-ratelimit-remaining'));
  expect(counted).toEqual([null, null]);
});
