import { afterAll, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { buildArticle } from '../api/articles.ts';
import { findViolationsInNextLook, startDashboard } from '../fixtures/dashboard.ts';
import { buildRss, startFeedServer } from '../fixtures/feed-server.ts';

const { server, users, open } = await startDashboard({
  env: { LECTERN_FEED_ALLOW: '127.0.0.1', LECTERN_FEED_PAUSE_S: '0' },
});
const feeds = startFeedServer();
afterAll(() => feeds.stop());

test('a feed can be previewed, added, fetched again, paused and deleted', async () => {
  const items = [{ guid: 'lighthouse' }, { guid: 'video', content: '<p>Watch.</p>' }];
  feeds.serve('/feed', () => new Response(buildRss(items)));
  const { page, complaints, close } = await open(users.editor, `/sites/${server.siteId}/sources`);
  await page.getByRole('button', { name: 'Add feed' }).click();
  await page.getByLabel('Feed address').fill(`${feeds.url}/nothing`);
  await page.getByRole('button', { name: 'Show items' }).click();
  await page.getByRole('dialog').locator('.wrong').waitFor();
  await page.getByLabel('Feed address').fill(`${feeds.url}/feed`);
  await page.getByRole('button', { name: 'Show items' }).click();
  await page.getByText('contains 2 items. New posts: 1.').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByLabel('Existing items').selectOption('0');
  await page.getByText('contains 2 items. New posts: 0.').waitFor();
  await page.getByLabel('Existing items').selectOption('10');
  await page.getByRole('dialog').getByRole('button', { name: 'Add feed' }).click();
  const row = page.getByRole('row', { name: /feed/ }).last();
  await page.getByRole('row', { name: /1 post\s*1 left out/ }).waitFor();
  await choose(row, 'Items');
  await page.getByRole('row', { name: /Title of video.*Too short/ }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('dialog').locator('header').getByRole('button', { name: 'Close' }).click();

  items.unshift({ guid: 'ferry' });
  await choose(row, 'Fetch now');
  await page.getByRole('row', { name: /2 posts\s*1 left out/ }).waitFor();
  feeds.serve('/feed', () => new Response('', { status: 503 }));
  await choose(row, 'Fetch now');
  await row.getByText(/^Failing/).waitFor();

  await choose(row, 'Pause');
  await row.getByText('Paused', { exact: true }).waitFor();
  const voices = Promise.withResolvers<void>();
  await page.route(/\/v1\/sites\/[^/]+\/voices$/, (route) => voices.promise.then(() => route.continue()));
  await page.reload();
  await choose(row, 'Edit');
  await page.getByLabel('Fetch every (minutes)').fill('1');
  // The voices may load after the dialog has opened.
  voices.resolve();
  await page.getByLabel('Voice').locator('option', { hasText: 'Bell' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Save feed' }).click();
  await page.getByRole('dialog').locator('.wrong').first().waitFor();
  await page.getByLabel('Fetch every (minutes)').fill('60');
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save feed' }).click();
  await page.getByText('Feed saved').waitFor();

  await choose(row, 'Delete feed');
  await page.getByText('2 posts are kept').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete feed' }).click();
  await page.getByText('No feeds yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Paused', { exact: true }).waitFor();

  await choose(row, 'Delete feed');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete feed' }).click();
  await page.getByRole('button', { name: 'Deleted 1' }).click();
  await row.getByText(/^Deleted/).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await choose(row, 'Restore');
  await page.getByText('Nothing deleted').waitFor();
  await page.getByRole('button', { name: 'Feeds', exact: true }).click();
  await row.getByText('Paused', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('the preview of the podcast feed contains the public posts, not a scheduled one', async () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  await server.generate({ post_id: 'public', post_title: 'Now', content: buildArticle('now') });
  await server.generate({ post_id: 'later', post_title: 'Later', content: buildArticle('later'), publish_at: later });
  for (const postId of ['public', 'later']) await server.waitUntilFinished(postId);
  const { page, close } = await open(users.editor, `/sites/${server.siteId}/sources`);
  const app = page.getByRole('region', { name: 'In a podcast app' });
  await app.getByText('Now', { exact: true }).waitFor();
  expect(await app.getByText('Later', { exact: true }).count()).toBe(0);
  await close();
});

async function choose(row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: 'More' }).click();
  await row.page().getByRole('menuitem', { name: action }).click();
}
