import { expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { findTreeFaults } from '../fixtures/accessibility-tree.ts';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { startServerForFile } from '../fixtures/server.ts';

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const server = await startServerForFile();

test.each(['/nothing-here', '/v1/media/none.mp3', '/docs/none', '/dashboard/none'])(
  'a browser that opens %s gets a page that says what is missing and where to go',
  async (path) => {
    const response = await fetch(server.url + path, { headers: { accept: browserAccept } });
    const html = await response.text();

    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain(`<code>${path}</code>`);
    expect(html).toContain('href="/docs"');
  },
);

test.each([
  ['no header', {}],
  ['any format', { accept: '*/*' }],
  ['JSON', { accept: 'application/json' }],
  ['JSON before HTML', { accept: 'application/json, text/html;q=0.5' }],
])('a client that accepts %s gets the envelope', async (_, headers: Record<string, string>) => {
  const response = await fetch(`${server.url}/nothing-here`, { headers });

  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ success: false, message: 'Not found' });
});

test('requests other than page loads get the JSON envelope', async () => {
  const changed = await fetch(`${server.url}/nothing-here`, { method: 'POST', headers: { accept: browserAccept } });
  const refused = await fetch(`${server.url}/v1/sites`, { headers: { accept: browserAccept } });

  expect(changed.headers.get('content-type')).toStartWith('application/json');
  expect(refused.status).toBe(401);
  expect(refused.headers.get('content-type')).toStartWith('application/json');
});

test('a URL with markup is shown as text', async () => {
  const response = await fetch(`${server.url}/%3Cscript%3Ealert(1)%3C/script%3E'"&amp;`, {
    headers: { accept: browserAccept },
  });
  const html = await response.text();

  expect(response.status).toBe(404);
  expect(html).not.toContain('<script');
  expect(html).toContain('&amp;amp;</code>');
});

test('the page is accessible in both schemes on a phone', async () => {
  const browser: Browser = await launchBrowser();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 844 } });
      const response = await page.goto(`${server.url}/nothing-here`);

      expect(response?.status()).toBe(404);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      await page.evaluate(() => document.fonts.ready);
      expect(await page.evaluate(() => document.fonts.check('14px "Instrument Sans"'))).toBe(true);
      expect([...(await findViolations(page)), ...(await findTreeFaults(page))]).toEqual([]);
      await page.close();
    }
  } finally {
    await browser.close();
  }
});
