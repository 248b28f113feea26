import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findViolationsInNextLook, startDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import type { SiteUser } from '../fixtures/site-users.ts';

const article = '<p>The lighthouse of Port Ellery opened again. It cost $12.</p><nav>Home News</nav><p>Come soon.</p>';

const { server, users, open, slug, sitePath } = await startDashboard();

test('an editor writes a text, plays it, corrects the pronunciation of a name, and generates the audio', async () => {
  const { page, complaints, close } = await openNew(users.editor);
  await getTitleField(page).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await getTitleField(page).fill('Siobhán & the Lighthouse');
  await page.getByText('siobhan-the-lighthouse').waitFor();
  await getTextField(page).fill(
    '<p>The ferry to Lympstone costs $12. It leaves at 3:45 p.m. on Friday.</p><nav>Home News</nav><script>x</script>',
  );
  await page.getByText('3 sentences · about').waitFor();
  expect(await page.locator('li mark').allTextContents()).toEqual([
    ...['and', 'twelve dollars', 'three forty-five P.M.'],
  ]);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  // The preview follows typing without a button.
  await getTextField(page).fill(`${await getTextField(page).inputValue()}<p>All aboard.</p>`);
  await page.getByText('4 sentences · about').waitFor();

  const speechResponse = page.waitForResponse((response) => response.url().includes('/v1/speech/say'));
  await page.getByRole('button', { name: 'Play: It leaves at 3:45 p.m. on Friday.' }).click();
  expect((await speechResponse).status()).toBe(200);
  const sentences = new Set<string>();
  page.on('request', (request) => {
    if (request.url().includes('/v1/speech/say')) sentences.add(request.postDataJSON().text);
  });
  await page.getByRole('button', { name: 'Play: all sentences' }).click();
  await eventually(async () => sentences.size > 1, 'the second sentence follows the first');
  await page.getByRole('button', { name: 'Stop: all sentences' }).click();

  await page.getByRole('button', { name: 'Lympstone', exact: true }).click();
  const card = page.getByRole('dialog', { name: 'Say “Lympstone” differently' });
  await card.getByLabel('Pronounced as').fill('[[lˈɛmstʼ]]');
  await card.getByRole('button', { name: 'Save' }).click();
  await card.getByText('ʼ (character 9) is not supported by').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await card.getByLabel('Pronounced as').fill('Lemster');
  await card.getByRole('button', { name: 'Save' }).click();
  await page.locator('li mark', { hasText: 'Lemster' }).waitFor();
  await page.getByRole('button', { name: 'Lympstone', exact: true }).waitFor({ state: 'detached' });

  // Excluded text can still be included.
  await page.getByText('Navigation bar, not read').waitFor();
  await page.getByRole('button', { name: 'Read it: Home News' }).click();
  await page.getByText('5 sentences · about').waitFor();
  expect(await getTextField(page).inputValue()).toContain('<p>Home News</p><script>');

  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByRole('heading', { name: 'Siobhán & the Lighthouse', level: 1 }).waitFor();
  await page.getByText('5 of 5 sentences are spoken').waitFor();
  // The draft was submitted: a new post starts empty.
  await page.goto(`${server.url}/#/sites/${slug}/new`);
  expect(await getTitleField(page).inputValue()).toBe('');
  expect(complaints).toEqual([]);
  await close();
});

test('a click on an underlined name opens its card; an accepted name is not underlined again', async () => {
  const { page, complaints, close } = await openNew(users.editor);
  await getTextField(page).fill('In Snodsbury nobody came by for the whole of the long evening.');
  const name = page.getByRole('button', { name: 'Snodsbury', exact: true });
  await name.waitFor();
  await getTextField(page).click({ position: { x: 50, y: 12 } });
  const card = page.getByRole('dialog', { name: 'Say “Snodsbury” differently' });
  await card.getByRole('button', { name: 'It is right' }).click();
  await name.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await close();
});

test('a draft survives a reload, another page and another browser, until it is discarded', async () => {
  const { page, close } = await openNew(users.admin);
  await getTitleField(page).fill('Half a headline');
  await getTextField(page).fill('Half an article');
  await page.getByText('Draft saved').waitFor();
  await page.reload();
  await page.getByText('Draft from').waitFor();
  expect(await getTitleField(page).inputValue()).toBe('Half a headline');
  await page.getByRole('link', { name: 'Posts' }).first().click();
  await page.goBack();
  expect(await getTextField(page).inputValue()).toBe('Half an article');
  // A slow test has sent the first text, too.
  const draftResponse = page.waitForResponse((response) => {
    const request = response.request();
    return request.method() === 'PUT' && request.postData()?.includes('and more') === true;
  });
  await getTextField(page).fill('Half an article, and more');
  await draftResponse;
  await close();

  const other = await openNew(users.admin);
  await other.page.getByText('Draft from').waitFor();
  expect(await getTextField(other.page).inputValue()).toBe('Half an article, and more');
  await other.page.getByRole('button', { name: 'Discard' }).click();
  await eventually(async () => (await getTitleField(other.page).inputValue()) === '', 'the draft is deleted');
  await other.page.getByRole('button', { name: 'Undo' }).click();
  await eventually(
    async () => (await getTitleField(other.page).inputValue()) === 'Half a headline',
    'the draft is back',
  );
  await other.page.reload();
  await other.page.getByText('Draft from').waitFor();
  await other.page.getByRole('button', { name: 'Discard' }).click();
  await eventually(async () => {
    const { data } = await users.admin.request<{ items: unknown[] }>('GET', `${sitePath}/drafts`);
    return data.items.length === 0;
  }, 'on the server, too');
  await other.close();
});

test('a draft that is being sent when it is discarded does not come back', async () => {
  const { page, close } = await openNew(users.admin);
  const hold = Promise.withResolvers<void>();
  await page.route('**/drafts/new', async (route) => {
    if (route.request().method() === 'PUT') await hold.promise;
    await route.continue();
  });
  const isSending = page.waitForRequest((request) => request.method() === 'PUT');
  await getTextField(page).fill('Half an article');
  const draftResponse = (await isSending).response();
  await page.getByRole('link', { name: 'Posts' }).first().click();
  await page.goBack();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Draft discarded').waitFor();
  hold.resolve();
  expect((await draftResponse)?.status()).toBe(200);
  await eventually(async () => {
    const { data } = await users.admin.request<{ items: unknown[] }>('GET', `${sitePath}/drafts`);
    return data.items.length === 0;
  }, 'the draft is deleted');
  await close();
});

test('an edited text is regenerated sentence by sentence', async () => {
  await users.editor.request('POST', `${sitePath}/posts`, {
    post_id: 'care/1',
    content: article,
    post_title: 'Cared for',
  });
  await server.waitUntilFinished('care/1');
  const part = encodeURIComponent(encodeURIComponent('care/1'));
  const { page, complaints, close } = await open(users.editor, `/sites/${slug}/posts/${part}`);
  await page.getByRole('link', { name: 'Edit text' }).click();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await getTextField(page).fill(
    (await getTextField(page).inputValue()).replace('Come soon.', 'Come very soon, all of you.'),
  );
  await page.getByRole('button', { name: 'Regenerate 1 sentence' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  // A draft of an edited text is kept beside that of a new post.
  await page.reload();
  await page.getByText('Draft from').waitFor();
  await page.getByRole('button', { name: 'Regenerate 1 sentence' }).click();
  await page.getByRole('article').getByText('Come very soon, all of you.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a post can be scheduled, and errors are shown at their fields', async () => {
  await users.editor.request('POST', `${sitePath}/posts`, { post_id: 'taken', content: article });
  const { page, complaints, close } = await openNew(users.editor);
  await getTitleField(page).fill('Taken');
  await getTextField(page).fill('Too short.');
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByText('is already used by another post').waitFor();
  await page.getByLabel('Post ID').fill('free');
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByText('Text must be at least 50 characters').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await getTextField(page).fill(article);
  await page.getByRole('button', { name: 'Schedule' }).click();
  await page.getByLabel('Public from').fill('2100-01-02T03:04');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Public Jan 2, 2100' }).waitFor();
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByText('scheduled for Jan 2, 2100').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

function openNew(user: SiteUser) {
  return open(user, `/sites/${slug}/new`);
}

function getTitleField(page: Page) {
  return page.getByRole('textbox', { name: 'Title' });
}

function getTextField(page: Page) {
  return page.getByRole('textbox', { name: 'Text' });
}
