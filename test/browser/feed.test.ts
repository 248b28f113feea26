import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';

const domain = 'www.news.example';
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
let site: PublicSite;
let browser: Browser;

beforeAll(async () => {
  site = await startPublicSite([domain]);
  for (const [postId, title] of [
    ['bridge', 'Bridge <reopens> & traffic returns'],
    ['tower', 'Harbor town reopens its lighthouse'],
  ] as const) {
    const content = `<p>${title.replaceAll('<', '&lt;')} on Monday. It was closed for three years, and everybody waited.</p>`;
    const response = await site.generate({
      post_id: postId,
      post_title: title,
      content,
      post_url: `https://${domain}/${postId}`,
    });
    expect(response.status).toBe(202);
    expect((await site.waitUntilFinished(postId)).status).toBe('ready');
  }
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

const open = (headers: Record<string, string>, method = 'GET') =>
  fetch(`${site.url}/v1/public/feed.xml?domain=${domain}`, { headers, method });

test.each([
  ['nothing', {}],
  ['any format', { accept: '*/*' }],
  ['a feed before HTML', { accept: 'application/rss+xml, application/xml;q=0.9, text/html;q=0.8, */*;q=0.7' }],
  ['HTML, but by a script', { accept: browserAccept, 'sec-fetch-dest': 'empty' }],
])('a reader that accepts %s gets RSS', async (_, headers: Record<string, string>) => {
  const response = await open(headers);

  expect(response.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  expect(await response.text()).toStartWith('<?xml version="1.0" encoding="UTF-8"?>\n<rss');
});

test('a browser gets a page, which shared caches do not serve to feed readers', async () => {
  const response = await open({ accept: browserAccept });
  const again = await open({ accept: browserAccept, 'if-none-match': response.headers.get('etag') ?? '' });
  const html = await response.text();

  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('private, no-cache');
  expect(response.headers.get('vary')).toBe('Accept, Sec-Fetch-Dest, Accept-Encoding');
  expect(again.status).toBe(304);
  expect(html).toContain('Bridge &lt;reopens&gt; &amp; traffic returns');
  expect(html).toContain('<link rel="alternate" type="application/rss+xml"');
});

test('a disabled feed has a separate page in a browser', async () => {
  const response = await fetch(`${site.url}/v1/public/feed.xml?domain=nowhere.example`, {
    headers: { accept: browserAccept },
  });

  expect(response.status).toBe(404);
  expect(await response.text()).toContain('<h1>Unknown domain</h1>');
});

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const)('episodes play one at a time, and the address is copied (%s, %d pixels)', async (colorScheme, width) => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 844 } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${site.url}/v1/public/feed.xml?domain=${domain}`);
  const [first, second] = [page.locator('.play').nth(0), page.locator('.play').nth(1)];
  await first.click();
  await page.locator('.play.playing').waitFor();
  expect(await first.getAttribute('aria-pressed')).toBe('true');
  await second.click();
  await page.locator('li:nth-child(2) .play.playing').waitFor();
  await page.locator('li:nth-child(1) .play:not(.playing)').waitFor();
  await second.click();
  await page.locator('li:nth-child(2) .play:not(.playing)').waitFor();
  await page.getByRole('button', { name: 'Copy address' }).click();

  expect(await page.locator('h1').textContent()).toBe('Public Site');
  expect(await page.locator('#address').inputValue()).toBe(`${site.url}/v1/public/feed.xml?domain=${domain}&lang=en`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('without scripts the episodes play with the controls of the browser', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site.url}/v1/public/feed.xml?domain=${domain}`);

  expect(await page.locator('audio:visible').count()).toBe(2);
  expect(await page.locator('button:visible').count()).toBe(0);
  await context.close();
});
