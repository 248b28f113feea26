import { expect, test } from 'bun:test';
import { startServerForFile } from '../fixtures/server.ts';

const server = await startServerForFile();

test('icons are at the paths that browsers request', async () => {
  const ico = await fetch(`${server.url}/favicon.ico`);
  const svg = await fetch(`${server.url}/favicon.svg`);

  expect(ico.headers.get('content-type')).toBe('image/x-icon');
  expect(Buffer.from(await ico.bytes()).subarray(0, 6)).toEqual(Buffer.from([0, 0, 1, 0, 1, 0]));
  expect(svg.headers.get('content-type')).toBe('image/svg+xml');
  expect(await svg.text()).toStartWith('<svg');
  const page = await (await fetch(server.url)).text();
  expect(page).toContain('<link rel="icon" href="/favicon.svg" type="image/svg+xml">');
});

test('every font of the style sheet is served with its exact bytes', async () => {
  const sheet = await (await fetch(`${server.url}/assets/tokens.css`)).text();
  const names = [...sheet.matchAll(/url\("([^"]+)"\)/g)].map(([, name]) => name);

  expect(names).toHaveLength(4);
  for (const name of names) {
    const font = await fetch(`${server.url}/assets/${name}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(font.headers.get('content-type')).toBe('font/woff2');
    expect(font.headers.get('content-encoding')).toBeNull();
    expect(Buffer.from(await font.bytes()).toString('latin1', 0, 4)).toBe('wOF2');
  }
});

test('an unknown asset returns 404', async () => {
  expect((await fetch(`${server.url}/assets/none.css`)).status).toBe(404);
  expect((await fetch(`${server.url}/assets/fonts/none.woff2`)).status).toBe(404);
});
