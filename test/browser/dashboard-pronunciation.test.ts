import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findViolationsInNextLook, startDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { noteElement } from './transient.ts';

const { server, users, open, slug, sitePath } = await startDashboard();
const pronunciationPage = `/sites/${slug}/pronunciation`;

test('an editor adds, plays, edits, finds and deletes a pronunciation, and undoes the deletion', async () => {
  const { page, complaints, close } = await openPronunciation();
  await page.getByRole('heading', { name: 'No pronunciations yet' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add word' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Word').fill('Siobhan');
  await expectPlayback(page, 'Siobhan as written');
  await dialog.getByLabel('Pronounced as').fill('[[ʃɪˈvɔʼn]]');
  await dialog.getByLabel('Language').selectOption('English');
  await dialog.getByRole('button', { name: 'Add word' }).click();
  await dialog.getByText('ʼ (character 8) is not supported by Bell, Aspen, Cedar').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await dialog.getByLabel('Pronounced as').fill('[[ʃɪˈvɔːn]]');
  await expectPlayback(page, 'Siobhan as [[ʃɪˈvɔːn]]');
  await dialog.getByRole('button', { name: 'Add word' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row', { name: 'Siobhan' });
  await row.getByText('[[ʃɪˈvɔːn]]').waitFor();
  await expectPlayback(page, 'Siobhan as written');
  await expectPlayback(page, 'Siobhan as [[ʃɪˈvɔːn]]');
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });

  await choose(page, 'Siobhan', 'Edit');
  expect(await dialog.getByLabel('Word').inputValue()).toBe('Siobhan');
  await dialog.getByLabel('Pronounced as').fill('shi-VAWN');
  await dialog.getByLabel('Match case').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Match case').waitFor();

  await page.getByLabel('Word or pronunciation').fill('nothing like it');
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  await page.getByLabel('Word or pronunciation').fill('vawn');
  await row.waitFor();
  await choose(page, 'Siobhan', 'Delete');
  await page.getByText('New audio speaks it as written').waitFor();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('shi-VAWN').waitFor();
  await row.getByText('Match case').waitFor();

  await choose(page, 'Siobhan', 'Delete');
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Deleted', exact: true }).click();
  await row.getByText('shi-VAWN').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await choose(page, 'Siobhan', 'Restore');
  await page.getByText('Nothing deleted').waitFor();
  await page.getByRole('button', { name: 'Words', exact: true }).click();
  await row.getByText('Match case').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a selected or dropped file is validated before the import, and can be exported', async () => {
  const { page, complaints, close } = await openPronunciation();
  await selectFromMenu(page, 'Import file');
  const dialog = page.getByRole('dialog');
  const importing = dialog.getByRole('button', { name: 'Import' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles(buildCsv('word,alias,language\nLeominster,Lemster,en\nMarylebone,,en\n'));
  await dialog.getByText('alias: must be at least 1 character').waitFor();
  expect(await importing.isDisabled()).toBe(true);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const head = 'word,alias,language\n';
  await drop(page, 'words.csv', `${head}Leominster,Lemster,en\nMarylebone,Marlibun,en\n`);
  await dialog.getByText('The file is valid: 2 new, 0 changed').waitFor();
  const { data } = await users.viewer.request('GET', `${sitePath}/pronunciations?q=lemster`);
  expect(data).toMatchObject({ items: [] });
  await importing.click();
  await page.getByRole('row', { name: 'Marylebone' }).waitFor();

  await selectFromMenu(page, 'Import file');
  await dialog.locator('input[type=file]').setInputFiles(buildCsv(`${head}Leominster,Lemster,en\n`));
  await dialog.getByText('0 new, 0 changed, 1 unchanged, 0 deleted').waitFor();
  await dialog.getByLabel('Existing pronunciations').selectOption('replace');
  await dialog.getByText('0 new, 0 changed, 1 unchanged, 2 deleted').waitFor();
  await importing.click();
  await page.getByRole('row', { name: 'Marylebone' }).waitFor({ state: 'detached' });

  expect(await downloadText(page, 'Export CSV')).toContain('Leominster,Lemster,en,false');
  expect(await downloadText(page, 'Export PLS (English)')).toContain('<grapheme>Leominster</grapheme>');
  expect(complaints).toEqual([]);
  await close();
});

test('a pronunciation lists the affected posts and regenerates them', async () => {
  const content = '<p>A walrus lay on the beach of Port Ellery. Nobody knew why.</p>';
  for (const postId of ['walrus/1', 'walrus 2']) {
    await users.editor.request('POST', `${sitePath}/posts`, { post_id: postId, content });
  }
  const before = [await server.waitUntilFinished('walrus/1'), await server.waitUntilFinished('walrus 2')];
  await users.editor.request('POST', `${sitePath}/pronunciations`, {
    word: 'walrus',
    alias: 'sea horse',
  });
  const { page, complaints, close } = await openPronunciation();
  await choose(page, 'walrus', 'Posts with it');
  await page.getByText('2 posts contain it. 2 audio files do not use this pronunciation yet.').waitFor();
  await page.getByRole('link', { name: 'walrus/1' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Regenerate 2 audio files' }).click();
  await page.getByText('Regenerated, or being regenerated.').waitFor();
  for (const { post_id, audio_url } of before) {
    await eventually(
      async () => (await server.waitUntilFinished(post_id)).audio_url !== audio_url,
      `${post_id} is made again`,
    );
  }
  await page.getByRole('dialog').locator('header').getByRole('button', { name: 'Close' }).click();
  await selectFromMenu(page, 'Regenerate affected audio');
  await page.getByRole('dialog').getByRole('button', { name: 'Regenerate' }).click();
  await page.getByText('All audio is up to date.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a new name can be accepted, or get a pronunciation that regenerates its posts', async () => {
  const content = '<p>The boat to Plurmwick left at noon. She has lived in Snodsbury since the spring.</p>';
  await server.generate({ post_id: 'names', post_title: 'The noon boat', content });
  const before = await server.waitUntilFinished('names');
  const { page, complaints, close } = await openPronunciation('?tab=new');
  const right = page.getByRole('row', { name: 'Snodsbury' });
  await right.getByRole('link', { name: 'The noon boat' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await expectPlayback(page, 'Plurmwick');
  await right.getByRole('button', { name: 'It is right' }).click();
  await right.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await right.waitFor();

  const row = page.getByRole('row', { name: 'Plurmwick' });
  await row.getByRole('button', { name: 'Say it differently' }).click();
  await page.getByLabel('Pronounced as').fill('PLURM-wick');
  await expectPlayback(page, 'Plurmwick as you write it');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 post regenerated').waitFor();
  await page.keyboard.press('Escape');
  await row.waitFor({ state: 'detached' });
  await eventually(
    async () => (await server.waitUntilFinished('names')).audio_url !== before.audio_url,
    'it is spoken again',
  );
  await page.getByRole('button', { name: 'Words' }).click();
  await page.getByRole('row', { name: 'Plurmwick' }).getByText('PLURM-wick').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('admins edit the pronunciations of the server', async () => {
  const { page, complaints, go, close } = await open(users.admin, '/server/queue');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const voices = Promise.withResolvers<void>();
  await page.route('**/v1/voices', (route) => voices.promise.then(() => route.continue()));
  await go('/server/pronunciations');
  await page.getByText('Loading…').waitFor();
  // Its dialog needs the voices that play the word.
  expect(await page.getByRole('button', { name: 'Add word' }).count()).toBe(0);
  voices.resolve();
  await page.getByRole('button', { name: 'Add word' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Word').fill('NATO');
  await dialog.getByLabel('Pronounced as').fill('nay toe');
  await expectPlayback(page, 'NATO as nay toe');
  await dialog.getByRole('button', { name: 'Add word' }).click();
  await page.getByRole('row', { name: 'NATO' }).getByText('nay toe').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('a viewer plays the pronunciations of a site, and cannot edit them', async () => {
  await users.editor.request('POST', `${sitePath}/pronunciations`, { word: 'Xhosa', alias: 'Kosa' });
  const { page, close } = await open(users.viewer, pronunciationPage);
  await page.getByRole('row', { name: 'Xhosa' }).waitFor();
  await expectPlayback(page, 'Xhosa as Kosa');
  const offers = page.getByRole('main').getByRole('button', { name: /add|import$|edit|delete|regenerate|actions/i });
  expect(await offers.count()).toBe(0);
  await close();
});

function openPronunciation(query = '') {
  return open(users.editor, `${pronunciationPage}${query}`);
}

/** Selects an action of a row. */
async function choose(page: Page, word: string, action: string): Promise<void> {
  await page.getByRole('row', { name: word }).locator('[aria-haspopup=menu]').click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Selects an action from the menu of the page. */
async function selectFromMenu(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'Import and export' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Presses a button and waits for the audio. */
async function expectPlayback(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name: `Play: ${name}`, exact: true }).last();
  const stops = await noteElement(page, '[aria-label^="Stop: "]');
  const speechResponse = page.waitForResponse((response) => /\/(say|test)(\?|$)/.test(response.url()));
  await button.click();
  const response = await speechResponse;
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'audio/mpeg']);
  await stops();
}

function buildCsv(text: string) {
  return { name: 'words.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
}

/** Simulates a file dropped from the desktop. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle<DataTransfer>(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      return data;
    })()`,
  );
  await page.locator('main .card').first().dispatchEvent('drop', { dataTransfer: data });
}

/** @returns the text that the menu of the page downloads */
async function downloadText(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), selectFromMenu(page, name)]);
  return Bun.file(await download.path()).text();
}
