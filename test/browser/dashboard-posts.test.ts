import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import type { PostDetail } from '../../src/audio/posts/schema.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, type Person, peopleOf } from '../fixtures/people.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { createSite, startTestServer, type TestServer } from '../fixtures/server.ts';
import { noteMarks } from './fleeting.ts';

const article = '<p>The lighthouse of Port Ellery opened again. It cost $12.</p><nav>Home News</nav><p>Come soon.</p>';

let server: TestServer;
let people: People;
let browser: Browser;
let sitePath: string;
let slug: string;

beforeAll(async () => {
  server = await startTestServer({ voices: 'built-in' });
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
  sitePath = `/v1/sites/${server.siteId}`;
  slug = (await people.admin.ask<{ slug: string }>('GET', sitePath)).data.slug;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an editor submits a first post: preview, pronunciation, progress, playback with the text, certificate', async () => {
  const { siteId } = await createSite(server.data);
  const { editor } = peopleOf(server, siteId);
  const { page, complaints, close } = await openDashboard(browser, server, editor, `/sites/${siteId}/posts`);
  await page.getByRole('heading', { name: 'No posts yet' }).waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'New post' }).last().click();

  await page.getByLabel('Title').fill('Siobhán & the Lighthouse');
  expect(await page.getByLabel('Post ID').inputValue()).toBe('siobhan-the-lighthouse');
  await page
    .getByLabel('Text', { exact: true })
    .fill('<p>The ferry to Lympstone costs $12. It leaves soon.</p><nav>Home News</nav><script>x</script>');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('3 sentences spoken').waitFor();
  const marked = page.locator('mark');
  expect(await marked.allTextContents()).toEqual(['&', 'and', '$12', 'twelve dollars']);
  await page.getByRole('row', { name: 'Home News Navigation' }).waitFor();
  await page.getByLabel('Phonemes').check();
  expect(await page.locator('code.phonemes').first().textContent()).toContain('ˈ');
  await page.getByLabel('Only sentences spoken differently').check();
  await page.getByRole('cell', { name: 'It leaves soon.' }).first().waitFor({ state: 'detached' });
  expect(await faultsInAnyLook(page)).toEqual([]);

  const said = page.waitForResponse((one) => one.url().includes('/v1/speech/say'));
  await page.getByRole('button', { name: 'Listen: Lympstone' }).click();
  expect((await said).status()).toBe(200);
  await page.getByRole('button', { name: 'Add pronunciation: Lympstone' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add pronunciation' });
  expect(await dialog.getByLabel('Word').inputValue()).toBe('Lympstone');
  await dialog.getByLabel('Pronounced as').fill('[[lˈɛmstʼ]]');
  await dialog.getByRole('button', { name: 'Add pronunciation' }).click();
  await dialog.getByText('ʼ (character 9) is not supported by').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await dialog.getByLabel('Pronounced as').fill('Lemster');
  const tried = page.waitForResponse((one) => one.url().includes('/v1/speech/say'));
  await dialog.getByRole('button', { name: 'Listen (' }).click();
  expect((await tried).request().postDataJSON()).toMatchObject({ alias: 'Lemster' });
  await dialog.getByRole('button', { name: 'Add pronunciation' }).click();
  await page.getByRole('cell', { name: 'The ferry to Lemster' }).waitFor();
  await page.getByRole('button', { name: 'Listen: Lympstone' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Submit post' }).click();
  await page.getByRole('heading', { name: 'Siobhán & the Lighthouse', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.getByText('3 of 3 sentences spoken').waitFor();
  const text = page.getByRole('article');
  await text.getByRole('heading', { name: 'Siobhán & the Lighthouse' }).waitFor();
  await text.getByText('The ferry to Lympstone costs $12. It leaves soon.', { exact: true }).waitFor();
  await page.getByText('Excluded text with reasons').click();
  await page.getByRole('row', { name: 'Home News Navigation' }).waitFor();
  expect(await offered(page, 'Embed code')).toContain('post-id="siobhan-the-lighthouse"');
  expect(await faultsInAnyLook(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  const certified = await editor.ask('GET', `/v1/sites/${siteId}/posts/siobhan-the-lighthouse/certificate`);
  expect((await Bun.file(await download.path()).json()).data).toEqual(certified.data);
  expect(complaints).toEqual([]);
  await close();
});

test.each(['public', 'private'])('the text of a %s post is highlighted during playback', async (visibility) => {
  const postId = `read along ${visibility}`;
  await handIn(people.editor, postId, { post_title: 'Read along', visibility });
  await server.settled(postId);
  const { page, complaints, close } = await openPost(postId, people.viewer);
  await page.getByRole('button', { name: 'Play' }).waitFor();
  const marks = await noteMarks(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await eventually(async () => (await marks()).some((mark) => mark.includes('lighthouse')), 'the sentence');
  expect(complaints).toEqual([]);
  await close();
});

test.each(['news/4711', '100% wahr', 'a b+c', '%2F..%C3', 'ä/🎧 ?x=1&y#z'])(
  'a post with the id %p has its page',
  async (postId) => {
    await handIn(people.editor, postId);
    const { page, complaints, close } = await openDashboard(browser, server, people.editor, `/sites/${slug}/posts`);
    await page.getByRole('link', { name: postId, exact: true }).click();
    await page.getByRole('heading', { name: postId, level: 1, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.getByRole('link', { name: 'Edit text' }).click();
    await page.getByText(`${article.length} characters`).waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);

test('a public post plays while it is generated, and playback continues when it is ready', async () => {
  await pauseQueue(people.admin, true);
  await handIn(people.editor, 'early', { post_title: 'Early', content: article.repeat(12) });
  const { page, complaints, close } = await openPost('early', people.viewer);
  await page.getByText('Audio generation is queued.').waitFor();
  await page.locator('lectern-player[post-id="early"]').waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.locator('lectern-player').getByRole('button', { name: 'Pause' }).waitFor();
  await pauseQueue(people.admin, false);
  await page.getByRole('article').getByText('Come soon.').first().waitFor();
  // One player, the one that is listened to.
  expect(await page.locator('lectern-player').count()).toBe(1);
  expect(await page.locator('lectern-player').getAttribute('post-id')).toBe('early');
  expect(complaints).toEqual([]);
  await close();
});

test('a post whose requested voice is gone names the one that speaks it', async () => {
  await handIn(people.editor, 'successor', {});
  const { id } = await server.settled('successor');
  changeRows(server.data, 'update audio set voice_replaced = 1 where id = ?', id);
  const { page, close } = await openPost('successor', people.editor);
  await page.getByText(/The requested voice is no longer installed: \w+ speaks this post instead/).waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await close();
});

test('a post is edited, its settings changed, regenerated and deleted', async () => {
  await handIn(people.editor, 'care/1', { post_title: 'Cared for' });
  const { audio_url: firstUrl } = await server.settled('care/1');
  await pauseQueue(people.admin, true);
  const { page, complaints, close } = await openPost('care/1', people.editor);
  await page.getByRole('link', { name: 'Edit text' }).click();
  const text = page.getByLabel('Text', { exact: true });
  await text.fill((await text.inputValue()).replace('Come soon.', 'Come very soon, all of you.'));
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('4 sentences spoken, 1 new or changed').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save and regenerate' }).click();
  await page.getByText('The previous version is served until then.').waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await pauseQueue(people.admin, false);
  await page.getByRole('article').getByText('Come very soon, all of you.').waitFor();

  await page.getByRole('button', { name: 'Edit settings' }).click();
  const settings = page.getByRole('dialog', { name: 'Post settings' });
  await settings.getByLabel('Article URL').fill('ftp://paper.example');
  await settings.getByRole('button', { name: 'Save settings' }).click();
  await settings.getByText('must be an http(s) URL').waitFor();
  await settings.getByLabel('Article URL').fill('https://paper.example/care');
  await settings.getByLabel('Publish at').fill('2100-01-02T03:04');
  await settings.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Public from Jan 2, 2100').waitFor();
  await page.getByRole('button', { name: 'Edit settings' }).click();
  await settings.getByLabel('Visibility').selectOption('private');
  await settings.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Private', { exact: true }).waitFor();
  const { data } = await people.editor.ask('GET', `${sitePath}/posts/care%2F1`);
  expect(data).toMatchObject({ url: 'https://paper.example/care', visibility: 'private' });

  const { audio_url: correctedUrl } = await server.settled('care/1');
  await page.getByRole('button', { name: 'Regenerate audio' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Regenerate audio' }).click();
  await page.getByText('Regeneration queued', { exact: true }).waitFor();
  const { audio_url: lastUrl } = await settledAnew('care/1', correctedUrl);
  await page.locator(`lectern-player[audio-url="${lastUrl}"]`).waitFor();

  await page.getByRole('button', { name: 'Delete post' }).click();
  await page.getByText('return “410 Gone”').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete post' }).click();
  await page.getByRole('heading', { name: 'Posts', level: 1 }).waitFor();
  // Its URL changed when the post stopped being public.
  expect((await fetch(firstUrl ?? '')).status).toBe(404);
  await page.getByRole('link', { name: 'Cared for' }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await close();
});

test('a new post cannot use an existing ID', async () => {
  await handIn(people.editor, 'taken');
  const { page, close } = await openDashboard(browser, server, people.editor, `/sites/${slug}/new-post`);
  await page.getByLabel('Title').fill('Another');
  await page.getByLabel('Post ID').fill('taken');
  await page.getByLabel('Text', { exact: true }).fill('Too short.');
  await page.getByRole('button', { name: 'Submit post' }).click();
  await page.getByText('is already used by another post').waitFor();
  await page.getByLabel('Post ID').fill('free');
  await page.getByRole('button', { name: 'Submit post' }).click();
  await page.getByText('must be at least 50 characters').waitFor();
  await close();
});

test('every voice of a post can be played and has its certificate', async () => {
  const { data: site } = await people.admin.ask<{ id: number; slug: string }>('POST', '/v1/sites', {
    name: 'Two voices',
    domains: ['two.example'],
    plan: 'enterprise',
  });
  const path = `/v1/sites/${site.id}`;
  await people.admin.ask('PATCH', `${path}/voices`, { allow_switch: true, extra_voices: [2] });
  await people.admin.ask('POST', `${path}/posts`, { post_id: 'both', content: article });
  const { page, complaints, close } = await openDashboard(
    browser,
    server,
    people.admin,
    `/sites/${site.slug}/posts/both`,
  );
  await page.getByText('3 of 3 sentences spoken').waitFor();
  await eventually(async () => {
    const { data } = await people.admin.ask<PostDetail>('GET', `${path}/posts/both`);
    return data.audio.length === 2 && data.audio.every(({ status }) => status === 'ready');
  }, 'the further voice is there');
  await page.reload();
  await page.getByRole('button', { name: 'English · Cedar Ready' }).waitFor();
  await page.getByRole('button', { name: 'English · Cedar' }).click();
  await page.getByText('Cedar · Apache License 2.0').waitFor();
  // Where it cannot be read, nothing is said of how the audio was made.
  await page.route(/certificate\?/, (route) => route.fulfill({ status: 503, body: '' }));
  await page.reload();
  await page
    .locator('.spoken-text')
    .getByText(/unreachable/i)
    .waitFor();
  expect(await page.getByText('has no certificate').count()).toBe(0);
  await page.unroute(/certificate\?/);
  await page.reload();
  await page.getByText('3 of 3 sentences spoken').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('a viewer sees posts, and no controls that change them', async () => {
  await handIn(people.editor, 'seen', { post_title: 'Seen' });
  await handIn(people.editor, 'mute', { content: `<img alt="">${'<!-- silence -->'.repeat(4)}` });
  await server.settled('mute');
  const { page, go, close } = await openPosts(people.viewer);
  await page.getByRole('row', { name: 'mute' }).getByText('Failed').waitFor();
  const changing = page.getByRole('main').getByRole('button', {
    name: /retry|new post|regenerate|delete|settings|edit|submit/i,
  });
  expect(await changing.count()).toBe(0);
  expect(await page.getByRole('link', { name: 'New post' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Seen' }).click();
  await page.getByText('3 of 3 sentences').or(page.getByText('4 of 4 sentences')).waitFor();
  expect(await changing.count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Edit text' }).count()).toBe(0);
  await go(`/sites/${slug}/new-post`);
  await page.getByText('Creating posts requires the editor role').waitFor();
  await go(`/sites/${slug}/posts/seen/text/en`);
  await page.getByText('Editing text requires the editor role').waitFor();
  await go(`/sites/${slug}/posts/nowhere`);
  await page.getByText('Post not found').waitFor();
  await page.getByRole('link', { name: 'All posts' }).click();
  await page.getByRole('link', { name: 'Seen' }).waitFor();
  await close();
});

function handIn(person: Person, postId: string, more: object = {}) {
  return person.ask('POST', `${sitePath}/posts`, { post_id: postId, content: article, ...more });
}

function openPosts(person: Person) {
  return openDashboard(browser, server, person, `/sites/${slug}/posts`);
}

function openPost(postId: string, person: Person) {
  const part = encodeURIComponent(encodeURIComponent(postId));
  return openDashboard(browser, server, person, `/sites/${slug}/posts/${part}`);
}

/** @returns the record once its MP3 is another one */
async function settledAnew(postId: string, before: string | null) {
  return eventually(async () => {
    const record = await server.settled(postId);
    return record.audio_url === before ? undefined : record;
  }, 'another MP3');
}
