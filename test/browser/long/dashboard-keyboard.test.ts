import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { buildArticle } from '../../api/articles.ts';
import { launchBrowser } from '../../fixtures/browser.ts';
import { openDashboard } from '../../fixtures/dashboard.ts';
import { startTestServer, type TestServer } from '../../fixtures/server.ts';
import { createSiteUsers, type SiteUser } from '../../fixtures/site-users.ts';

const maxSteps = 120;
let server: TestServer;
let browser: Browser;
let admin: SiteUser;

beforeAll(async () => {
  server = await startTestServer();
  browser = await launchBrowser();
  ({ admin } = createSiteUsers(server, server.siteId));
  await server.generate({ post_id: 'tide', content: buildArticle('tide', 12), post_title: 'Tide gate stuck' });
  await server.waitUntilFinished('tide');
});

afterAll(async () => {
  await browser?.close();
  await server?.stop('SIGKILL');
});

/** Presses Tab through a page. @returns problems of the stops, and their number */
async function walk(page: Page): Promise<{ faults: string[]; stops: number }> {
  const faults: string[] = [];
  await page.evaluate(() => {
    for (const walked of document.querySelectorAll('[data-walked]')) walked.removeAttribute('data-walked');
  });
  await page.getByRole('button', { name: 'Skip to content' }).focus();
  for (let stops = 0; stops < maxSteps; stops += 1) {
    if (stops > 0) await page.keyboard.press('Tab');
    const fault = await page.evaluate(() => {
      const focused = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLElement> }) | null;
      if (focused === null || focused === document.body || focused.dataset['walked'] !== undefined) return undefined;
      focused.dataset['walked'] = '';
      const label = focused.closest('label') ?? focused.labels?.[0];
      // A field shows the focus on its frame, a segmented control on the text beside its radio button.
      const describeFocus = () =>
        [focused, focused.parentElement, focused.nextElementSibling].map((near) => {
          if (near === null) return '';
          const { outline, outlineStyle, boxShadow, borderColor, backgroundColor } = getComputedStyle(near);
          // The width of an outline that is not drawn may differ, too.
          return [outlineStyle === 'none' ? '' : outline, boxShadow, borderColor, backgroundColor].join();
        });
      const withFocus = describeFocus().join();
      focused.blur();
      const isMarked = describeFocus().join() !== withFocus;
      focused.focus();
      const name = focused.ariaLabel ?? (label?.textContent || focused.textContent || focused.title);
      const { width, height } = focused.getBoundingClientRect();
      const invalidInputs = [
        focused.closest('lectern-player') === null && name.trim() === '' && 'has no name',
        !isMarked && focused.localName !== 'lectern-player' && 'shows no focus',
        (!focused.checkVisibility() || width * height === 0) && 'is invisible',
      ].filter((problem) => problem !== false);
      return invalidInputs.map((problem) => `${focused.outerHTML.slice(0, 120)} ${problem}`);
    });
    if (fault === undefined) return { faults, stops };
    faults.push(...fault);
  }
  return { faults: [...faults, 'the focus never leaves the page'], stops: maxSteps };
}

test('Tab moves through each page: every stop is visible, has a name and shows the focus', async () => {
  const { page, follow, close } = await openDashboard(browser, server, admin);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const site = `/sites/${server.siteId}`;
  const pages = ['', '/posts', '/posts/tide', '/new', '/pronunciation', '/voices', '/analytics', '/player', '/sources'];
  const paths = [...pages, '/developers', '/settings'].map((path) => `${site}${path}`);
  const serverPages = ['sites', 'queue', 'users', 'voices', 'pronunciations', 'backups', 'audit', 'system'];
  for (const path of [...paths, ...serverPages.map((name) => `/server/${name}`), '/account']) {
    await follow(path);
    const { faults, stops } = await walk(page);
    expect([path, faults]).toEqual([path, []]);
    expect([path, stops > 15]).toEqual([path, true]);
  }
  await close();
});

test('menus respond to arrows, Home, End and Escape; they and their dialogs return the focus', async () => {
  const { page, close } = await openDashboard(browser, server, admin, `/sites/${server.siteId}/posts`);
  const getFocusedText = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  const openers = [
    page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: /Test Site/ }),
    page.getByRole('row', { name: /Tide gate stuck/ }).getByRole('button', { name: 'More' }),
  ];
  for (const opener of openers) {
    await opener.press('Enter');
    await page.locator('[role=menu] :focus').waitFor();
    const entries = await page.getByRole('menuitem').allTextContents();
    expect(entries.length).toBeGreaterThan(1);
    const texts = entries.map((text) => text.trim());
    for (const [key, expected] of [
      ['ArrowUp', texts.at(-1)],
      ['ArrowDown', texts[0]],
      ['End', texts.at(-1)],
      ['Home', texts[0]],
    ] as const) {
      await page.keyboard.press(key);
      expect(await getFocusedText()).toBe(expected);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await opener.and(page.locator(':focus')).waitFor();
  }
  await page.goto(`${server.url}/#/server/users`);
  const more = page
    .getByRole('row', { name: /viewer/ })
    .first()
    .getByRole('button', { name: 'More' });
  await more.press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await more.and(page.locator(':focus')).waitFor();
  await close();
});
