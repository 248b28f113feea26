import { expect, test } from 'bun:test';
import { buildArticle } from '../api/articles.ts';
import { findViolations } from '../fixtures/browser.ts';
import { listLowTargets, openDashboard, startDashboard } from '../fixtures/dashboard.ts';
import { looks, selectCases } from '../fixtures/scale.ts';

const { server, browser, users } = await startDashboard();
await server.generate({ post_id: 'tide', content: buildArticle('tide'), post_title: 'Tide gate stuck' });

const sitePages = [
  '',
  '/posts',
  '/posts/tide',
  '/new',
  '/pronunciation',
  '/voices',
  '/analytics',
  '/player',
  '/sources',
];
const serverPages = ['sites', 'queue', 'machines', 'users', 'voices', 'pronunciations', 'backups', 'audit', 'system'];
const paths = [
  ...[...sitePages, '/developers', '/settings'].map((path) => `/sites/${server.siteId}${path}`),
  ...serverPages.map((name) => `/server/${name}`),
  '/account',
];

test.each(looks)('each page passes axe, in $colorScheme at $width px, and fits', async (look) => {
  const { colorScheme, width } = look;
  const view = { colorScheme, viewport: { width, height: 844 } };
  const { page, complaints, follow, close } = await openDashboard(browser, server, users.admin, '/', view);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  for (const path of paths.filter((_, index) => selectCases(looks, index).includes(look))) {
    await follow(path);
    expect([path, await findViolations(page)]).toEqual([path, []]);
    if (width === 390) expect([path, await listLowTargets(page)]).toEqual([path, []]);
    const whole = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([path, whole]).toEqual([path, width]);
  }
  expect(complaints).toEqual([]);
  await close();
});
