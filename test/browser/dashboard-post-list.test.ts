import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { PostDetail } from '../../src/audio/posts/schema.ts';
import { findViolations } from '../fixtures/browser.ts';
import { findViolationsInNextLook, listLowTargets, startDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { createSite } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';

const article = '<p>The lighthouse of Port Ellery opened again. It cost $12.</p><p>Come soon.</p>';
const silence = `<img alt="">${'<!-- silence -->'.repeat(4)}`;

const {
  server,
  users: { admin },
  open,
} = await startDashboard();

test('posts can be filtered by words, state and language; the URL contains the filters', async () => {
  const { users, site, submit } = await createTestSite();
  await submit('find-me', { post_title: 'Tides and currents', post_url: 'https://paper.example/sea/currents' });
  await submit('silent', { content: silence });
  await submit('secret', { post_title: 'Not yet', visibility: 'private' });
  const { page, complaints, close } = await open(users.viewer, `${site}/posts`);
  const waitForPosts = (names: string[]) =>
    eventually(async () => areEqual(await listHeadlines(page), names), names.join());
  await waitForPosts(['Not yet', 'silent', 'Tides and currents']);
  for (const words of ['tides curr', 'find-m', 'paper.example/sea']) {
    await page.getByLabel('Headline, id or address').fill('no such post');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.getByLabel('Headline, id or address').fill(words);
    await waitForPosts(['Tides and currents']);
  }
  await page.getByLabel('Headline, id or address').fill('');
  await page.getByRole('button', { name: 'Private 1' }).click();
  await waitForPosts(['Not yet']);
  await page.getByRole('button', { name: 'Failed 1' }).click();
  await waitForPosts(['silent']);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  // To a post and back: the list is unchanged.
  await page.getByRole('link', { name: 'silent' }).click();
  await page.getByRole('heading', { name: 'silent', level: 1 }).waitFor();
  await page.goBack();
  await waitForPosts(['silent']);
  await page.getByRole('button', { name: 'All 3' }).click();
  await page.getByLabel('Order').selectOption('By title');
  await waitForPosts(['Not yet', 'silent', 'Tides and currents']);
  expect(complaints).toEqual([]);
  await close();
});

test('an open list shows progress, and keeps focus and typed text', async () => {
  const { users, site, submit } = await createTestSite();
  await pauseQueue(admin, true);
  await submit('live/1', { post_title: 'Live progress' }, { isWaiting: true });
  const { page, complaints, close } = await open(users.viewer, `${site}/posts`);
  const row = page.getByRole('row', { name: 'Live progress' });
  await row.getByText('Waiting').waitFor();
  const search = page.getByLabel('Headline, id or address');
  await search.fill('live pro');
  await pauseQueue(admin, false);
  await row.getByRole('button', { name: 'Play: Live progress' }).waitFor();
  await row.getByText('Waiting').waitFor({ state: 'detached' });
  expect(await search.inputValue()).toBe('live pro');
  expect(await page.evaluate('document.activeElement?.getAttribute("type")')).toBe('search');
  expect(complaints).toEqual([]);
  await close();
});

test('without a connection for live updates the list is polled', async () => {
  const { users, site, submit } = await createTestSite();
  const { page, close } = await open(users.editor, `${site}/posts`);
  await page.route('**/live', (route) => route.fulfill({ status: 503 }));
  await page.clock.install();
  await page.reload();
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  await submit('late', { post_title: 'Late' });
  await eventually(async () => {
    await page.clock.runFor(11_000);
    return page.getByRole('link', { name: 'Late' }).isVisible();
  }, 'the post is listed');
  await close();
});

test('failed posts are grouped by reason, can be dismissed together and retried one by one', async () => {
  const { users, site, submit } = await createTestSite();
  await submit('gallery/1', { content: silence, post_title: 'First gallery' });
  await submit('gallery/2', { content: silence, post_title: 'Second gallery' });
  const { page, complaints, close } = await open(users.editor, site);
  await page.getByText('2 posts have no audio.').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { name: 'Why they failed' }).waitFor();
  await page.getByText('Nothing to read: 1 picture, 0 words').first().waitFor();
  await pauseQueue(admin, true);
  await choose(page, 'First gallery', 'Retry');
  await eventually(async () => areEqual(await listHeadlines(page), ['Second gallery']), 'the other one is queued');
  await pauseQueue(admin, false);
  await eventually(async () => (await listHeadlines(page)).length === 2, 'it has failed again');
  const reasons = page.getByRole('region', { name: 'Why they failed' });
  await reasons.getByText('2 posts').waitFor();
  await reasons.getByRole('button', { name: 'No audio needed' }).click();
  await eventually(async () => areEqual(await listHeadlines(page), ['Second gallery', 'First gallery']), 'all posts');
  await page.getByRole('button', { name: 'Failed 0' }).waitFor();
  await page.getByRole('row', { name: 'First gallery' }).getByText('No audio needed').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a deletion can be undone, later also on the page of deleted posts', async () => {
  const { users, path, site, submit } = await createTestSite();
  const { audio_url: before } = await submit('gone/1', { post_title: 'Gone' });
  const { page, complaints, close } = await open(users.editor, `${site}/posts`);
  await choose(page, 'Gone', 'Delete post');
  await page.getByText('Post deleted').waitFor();
  expect((await fetch(before ?? '')).status).toBe(410);
  await page.getByRole('button', { name: 'Undo' }).click();
  const restored = await eventually(async () => {
    const { data } = await users.editor.request<PostDetail>('GET', `${path}/posts/gone%2F1`);
    return data?.audio[0]?.audio_url ?? undefined;
  }, 'audio again');
  expect(restored).not.toBe(before);
  await page.getByRole('button', { name: 'Play: Gone' }).waitFor();

  await page.getByRole('checkbox', { name: /^Select (?!all)/ }).check();
  await page.getByRole('region', { name: 'Selected' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  await page.getByRole('button', { name: 'Deleted 1' }).click();
  await page.getByText('Deleted for good in 30 days').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await choose(page, 'Gone', 'Restore');
  await page.getByRole('button', { name: 'All 1' }).click();
  await page.getByRole('button', { name: 'Play: Gone' }).waitFor();
  await choose(page, 'Gone', 'Edit text');
  await page.getByRole('heading', { name: 'Edit text', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('several posts can be changed at once, also by keyboard only', async () => {
  const { users, path, site, submit } = await createTestSite();
  for (const number of [1, 2, 3]) await submit(`many/${number}`, { post_title: `Number ${number}` });
  const { page, complaints, close } = await open(users.editor, `${site}/posts`);
  await page.getByRole('button', { name: 'Play: Number 1' }).waitFor();
  // In the list only: a letter that speech input types elsewhere does nothing.
  for (const key of ['j', 'x']) await page.keyboard.press(key);
  await page.getByRole('link', { name: 'Number 3' }).focus();
  for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Make private' }).click();
  await page.getByRole('button', { name: 'Private 2' }).waitFor();
  const { data } = await users.editor.request<{ items: PostDetail[] }>('GET', `${path}/posts?visibility=private`);
  expect(data.items.map(({ title }) => title)).toEqual(['Number 3', 'Number 2']);
  await page.getByRole('link', { name: 'Number 1' }).press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Number 2', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('on a phone, posts are selected after a button', async () => {
  const { users, site, submit } = await createTestSite();
  for (const number of [1, 2]) await submit(`phone/${number}`, { post_title: `Number ${number}` });
  const { page, complaints, close } = await open(users.editor, `${site}/posts`);
  await page.setViewportSize({ width: 390, height: 844 });
  const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
  await page.getByRole('button', { name: 'Play: Number 1' }).waitFor();
  expect(await boxes.count()).toBe(0);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Selected' });
  await bar.getByRole('button', { name: 'Select all' }).click();
  await bar.getByText('2 selected').waitFor();
  await boxes.first().uncheck();
  expect(await findViolations(page)).toEqual([]);
  expect(await listLowTargets(page)).toEqual([]);
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 post deleted').waitFor();
  await bar.waitFor({ state: 'detached' });
  await eventually(async () => areEqual(await listHeadlines(page), ['Number 2']), 'the other post alone');
  expect(await boxes.count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a post plays in its row, one at a time', async () => {
  const { users, site, submit } = await createTestSite();
  const content = article.repeat(10);
  for (const number of [1, 2]) await submit(`sound/${number}`, { post_title: `Sound ${number}`, content });
  const { page, complaints, close } = await open(users.viewer, `${site}/posts`);
  await page.getByRole('button', { name: 'Play: Sound 1' }).click();
  await page.getByRole('button', { name: 'Stop: Sound 1' }).waitFor();
  await page.getByRole('button', { name: 'Play: Sound 2' }).click();
  await page.getByRole('button', { name: 'Stop: Sound 2' }).waitFor();
  await page.getByRole('button', { name: 'Play: Sound 1' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a viewer sees posts and overview without controls that change them', async () => {
  const { users, site, submit } = await createTestSite();
  await submit('mute', { content: silence });
  const { page, go, complaints, close } = await open(users.viewer, site);
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { name: 'Why they failed' }).waitFor();
  const changing = page
    .getByRole('main')
    .getByRole('button', { name: /^(Retry|Regenerate|Delete|No audio needed|More)$/ });
  expect(await changing.count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await go(site);
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  expect(await page.getByRole('link', { name: 'New post' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

async function createTestSite() {
  const { siteId } = await createSite(server.data);
  const users: SiteUsers = createSiteUsers(server, siteId);
  const path = `/v1/sites/${siteId}`;
  /** @returns the main audio when it is ready or has failed */
  const submit = async (postId: string, more: object = {}, { isWaiting = false } = {}) => {
    await users.editor.request('POST', `${path}/posts`, { post_id: postId, content: article, ...more });
    return eventually(async () => {
      const { data } = await users.editor.request<PostDetail>('GET', `${path}/posts/${encodeURIComponent(postId)}`);
      const [audio] = data.audio;
      return isWaiting || audio?.status === 'ready' || audio?.status === 'failed' ? (audio ?? undefined) : undefined;
    }, `${postId} is finished`) as Promise<PostDetail['audio'][number]>;
  };
  return { users, path, site: `/sites/${siteId}`, submit };
}

function listHeadlines(page: Page): Promise<string[]> {
  return page.getByRole('table', { name: 'Posts' }).locator('.headline').allTextContents();
}

async function choose(page: Page, headline: string, action: string): Promise<void> {
  await page.getByRole('row', { name: headline }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
