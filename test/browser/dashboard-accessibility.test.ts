import { expect, test } from 'bun:test';
import { buildArticle } from '../api/articles.ts';
import { findTreeFaults } from '../fixtures/accessibility-tree.ts';
import { findViolations } from '../fixtures/browser.ts';
import { listLowTargets, openDashboard, startDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { looks, selectCases } from '../fixtures/scale.ts';

const { server, browser, users, open } = await startDashboard();
await server.generate({ post_id: 'tide', content: buildArticle('tide'), post_title: 'Tide gate stuck' });
await server.generate({ post_id: 'ferry', content: buildArticle('ferry'), post_title: 'The ferry is late' });
await server.generate({ post_id: 'flood', content: `<p>🎈</p><!-- ${'pictures only '.repeat(4)} -->` });
for (const postId of ['tide', 'ferry', 'flood']) await server.waitUntilFinished(postId);

await users.editor.request('POST', `/v1/sites/${server.siteId}/pronunciations`, {
  word: 'Snodsbury',
  alias: 'SNODZ-bree',
});
await users.admin.request('POST', '/v1/pronunciations', { word: 'Qaqortoq', alias: 'KAH-kor-tok' });

const sitePages = [
  '',
  '/posts',
  '/posts/tide',
  '/posts/tide/edit/en',
  '/new',
  '/pronunciation',
  '/voices',
  '/analytics',
  // Three pages after its other tab, which has the same title: so far apart, no selection visits both in sequence.
  '/pronunciation?tab=new',
  '/player',
  '/sources',
];
const serverPages = ['sites', 'queue', 'machines', 'users', 'voices', 'pronunciations', 'backups', 'audit', 'system'];
const paths = [
  ...[...sitePages, '/developers', '/settings'].map((path) => `/sites/${server.siteId}${path}`),
  ...serverPages.map((name) => `/server/${name}`),
  '/account',
];

test.each(looks)('each page passes axe and reads well, in $colorScheme at $width px, and fits', async (look) => {
  const { colorScheme, width } = look;
  const view = { colorScheme, viewport: { width, height: 844 } };
  const { page, complaints, follow, close } = await openDashboard(browser, server, users.admin, '/', view);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  for (const path of paths.filter((_, index) => selectCases(looks, index).includes(look))) {
    await follow(path);
    expect([path, await findViolations(page)]).toEqual([path, []]);
    expect([path, await findTreeFaults(page)]).toEqual([path, []]);
    if (width === 390) expect([path, await listLowTargets(page)]).toEqual([path, []]);
    const whole = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([path, whole]).toEqual([path, width]);
  }
  expect(complaints).toEqual([]);
  await close();
});

test('dialogs and menus have names, and rows of a list name their controls', async () => {
  const { page, close } = await open(users.admin, `/sites/${server.siteId}/posts`);
  await page.getByRole('checkbox', { name: 'Select Tide gate stuck' }).waitFor();
  await page.getByRole('rowheader', { name: 'Tide gate stuck' }).waitFor();
  const openings = [
    { name: 'More Tide gate stuck', role: 'menu' },
    { name: 'Search or jump to', role: 'dialog' },
    { name: 'Site: ', role: 'menu' },
  ] as const;
  for (const { name, role } of openings) {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole(role).waitFor();
    expect([name, await findTreeFaults(page)]).toEqual([name, []]);
    await page.keyboard.press('Escape');
    await page.getByRole(role).waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'More The ferry is late' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete post' }).press('Enter');
  await page.getByRole('row', { name: 'The ferry is late' }).waitFor({ state: 'detached' });
  // Of its neighbor: several can be deleted one after another.
  await page.locator('tr[data-key] button:focus').waitFor();
  await close();
});

test('a page opens at its top, wherever the one before was', async () => {
  const { page, close } = await open(users.admin, `/sites/${server.siteId}/settings`);
  await page.getByRole('heading', { name: 'Danger' }).scrollIntoViewIfNeeded();
  await eventually(() => page.evaluate(() => scrollY > 0), 'the page is scrolled');
  await page.getByRole('link', { name: 'Player', exact: true }).click();
  // A screen reader reads it.
  await page.getByRole('heading', { name: 'Player', level: 1 }).and(page.locator(':focus')).waitFor();
  await eventually(() => page.evaluate(() => scrollY === 0), 'the next page is at its top');
  await close();
});
