import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, openDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { noteElement } from './fleeting.ts';

let server: TestServer;
let people: People;
let browser: Browser;
let sitePath: string;
let lexiconPage: string;

beforeAll(async () => {
  server = await startTestServer();
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
  sitePath = `/v1/sites/${server.siteId}`;
  const { data } = await people.admin.ask<{ slug: string }>('GET', sitePath);
  lexiconPage = `/sites/${data.slug}/lexicon`;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an editor adds, previews, edits, finds and deletes a pronunciation', async () => {
  const { page, complaints, close } = await openLexicon();
  await page.getByRole('heading', { name: 'No pronunciations yet' }).waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('main').getByRole('button', { name: 'Add pronunciation' }).last().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Word').fill('Siobhan');
  await dialog.getByLabel('Pronounced as').fill('[[ʃɪˈvɔʼn]]');
  await dialog.getByLabel('Language').selectOption('English');
  await dialog.getByRole('button', { name: 'Add pronunciation' }).click();
  await dialog.getByText('ʼ (character 8) is not supported by Bell, Aspen, Cedar').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await dialog.getByLabel('Pronounced as').fill('[[ʃɪˈvɔːn]]');
  await hears(page, 'Listen (Bell): Siobhan as [[ʃɪˈvɔːn]]');
  await dialog.getByRole('button', { name: 'Add pronunciation' }).click();
  const row = page.getByRole('row', { name: 'Siobhan' });
  await row.getByText('[[ʃɪˈvɔːn]]').waitFor();
  await hears(page, 'Listen: Siobhan');
  expect(await faultsInAnyLook(page)).toEqual([]);

  await row.getByRole('button', { name: 'Edit: Siobhan' }).click();
  expect(await dialog.getByLabel('Word').inputValue()).toBe('Siobhan');
  expect(await dialog.getByLabel('Pronounced as').inputValue()).toBe('[[ʃɪˈvɔːn]]');
  await dialog.getByLabel('Pronounced as').fill('Shivawn');
  await dialog.getByLabel('Match case').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Match case').waitFor();

  await page.getByLabel('Search').fill('nothing like it');
  await page.getByRole('heading', { name: 'No matching pronunciations' }).waitFor();
  await page.getByLabel('Search').fill('VAWN');
  await row.waitFor();
  await row.getByRole('button', { name: 'Delete: Siobhan' }).click();
  await page.getByText('Existing audio is not changed').waitFor();
  await page.getByRole('button', { name: 'Delete pronunciation' }).click();
  await page.getByRole('heading', { name: 'No matching pronunciations' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a file is checked before it is imported, selected or dropped, and can be exported', async () => {
  const { page, complaints, close } = await openLexicon();
  await page.getByRole('main').getByRole('button', { name: 'Import', exact: false }).first().click();
  const dialog = page.getByRole('dialog');
  const importing = dialog.getByRole('button', { name: 'Import' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles(csv('word,alias,language\nLeominster,Lemster,en\nMarylebone,,en\n'));
  await dialog.getByText('alias: must be at least 1 character').waitFor();
  expect(await importing.isDisabled()).toBe(true);
  expect(await faultsInAnyLook(page)).toEqual([]);

  const head = 'word,alias,language\n';
  await drop(page, 'words.csv', `${head}Leominster,Lemster,en\nMarylebone,Marlibun,en\n`);
  await dialog.getByText('The file is valid: 2 new, 0 changed').waitFor();
  const { data } = await people.viewer.ask('GET', `${sitePath}/pronunciations?q=lemster`);
  expect(data).toMatchObject({ items: [] });
  await importing.click();
  await page.getByRole('row', { name: 'Marylebone' }).waitFor();

  await page.getByRole('button', { name: 'Import' }).click();
  await dialog.locator('input[type=file]').setInputFiles(csv(`${head}Leominster,Lemster,en\n`));
  await dialog.getByText('0 new, 0 changed, 1 unchanged, 0 deleted').waitFor();
  await dialog.getByLabel('Existing pronunciations').selectOption('replace');
  await dialog.getByText('0 new, 0 changed, 1 unchanged, 1 deleted').waitFor();
  await importing.click();
  await page.getByRole('row', { name: 'Marylebone' }).waitFor({ state: 'detached' });

  expect(await downloaded(page, 'Export CSV')).toContain('Leominster,Lemster,en,false');
  expect(await downloaded(page, 'Export PLS (English)')).toContain('<grapheme>Leominster</grapheme>');
  expect(complaints).toEqual([]);
  await close();
});

test('a pronunciation lists the affected posts and regenerates them', async () => {
  const content = '<p>A walrus lay on the beach of Port Ellery. Nobody knew why.</p>';
  for (const postId of ['walrus/1', 'walrus 2']) {
    await people.editor.ask('POST', `${sitePath}/posts`, { post_id: postId, content });
  }
  const before = [await server.settled('walrus/1'), await server.settled('walrus 2')];
  await people.editor.ask('POST', `${sitePath}/pronunciations`, {
    word: 'walrus',
    alias: 'sea horse',
  });
  const { page, complaints, close } = await openLexicon();
  await page.getByRole('button', { name: 'Posts: walrus' }).click();
  await page.getByText('2 posts contain it. 2 audio files do not use this pronunciation yet.').waitFor();
  await page.getByRole('link', { name: 'walrus/1' }).waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Regenerate 2 audio files' }).click();
  await page.getByText('Regeneration complete or in progress.').waitFor();
  for (const { post_id, audio_url } of before) {
    await eventually(async () => (await server.settled(post_id)).audio_url !== audio_url, `${post_id} is made again`);
  }
  await page.getByRole('link', { name: 'walrus/1' }).click();
  await page.getByRole('heading', { name: 'walrus/1', level: 1 }).waitFor();

  await page.goBack();
  await page.getByRole('button', { name: 'Regenerate affected audio' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Regenerate' }).click();
  await page.getByText('All audio is up to date.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('admins edit the pronunciations of the installation, and everyone reads them', async () => {
  const admin = await openDashboard(browser, server, people.admin, '/lexicon');
  await admin.page.getByRole('main').getByRole('button', { name: 'Add pronunciation' }).last().click();
  const dialog = admin.page.getByRole('dialog');
  await dialog.getByLabel('Word').fill('NATO');
  await dialog.getByLabel('Pronounced as').fill('nay toe');
  await hears(admin.page, 'Listen (Bell): NATO as nay toe');
  await dialog.getByRole('button', { name: 'Add pronunciation' }).click();
  await admin.page.getByRole('row', { name: 'NATO' }).getByText('nay toe').waitFor();
  expect(await faultsInAnyLook(admin.page)).toEqual([]);
  expect(admin.complaints).toEqual([]);
  await admin.close();

  for (const person of [people.editor, people.viewer]) {
    const { page, close } = await openDashboard(browser, server, person, '/lexicon');
    await page.getByRole('row', { name: 'NATO' }).waitFor();
    expect(await changingButtons(page).count()).toBe(0);
    // Its words are heard by those who may try voices.
    expect(await page.getByRole('button', { name: 'Listen: NATO' }).count()).toBe(0);
    expect(await downloaded(page, 'Export CSV')).toContain('NATO');
    await close();
  }
});

test('a viewer previews the pronunciations of a site, and edits none', async () => {
  await people.editor.ask('POST', `${sitePath}/pronunciations`, { word: 'Xhosa', alias: 'Kosa' });
  const { page, close } = await openDashboard(browser, server, people.viewer, lexiconPage);
  await page.getByRole('row', { name: 'Xhosa' }).waitFor();
  await hears(page, 'Listen: Xhosa');
  expect(await changingButtons(page).count()).toBe(0);
  await close();
});

function openLexicon() {
  return openDashboard(browser, server, people.editor, lexiconPage);
}

function changingButtons(page: Page) {
  return page.getByRole('main').getByRole('button', { name: /add|import|edit|delete|regenerate|posts:/i });
}

/** Presses a button, and waits until something is heard. */
async function hears(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name });
  const stops = await noteElement(page, '[aria-label^="Stop: "]');
  const said = page.waitForResponse((one) => /\/(say|test)(\?|$)/.test(one.url()));
  await button.click();
  const answer = await said;
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'audio/mpeg']);
  await stops();
}

function csv(text: string) {
  return { name: 'words.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
}

/** As if a file were dragged from the desktop. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle<DataTransfer>(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      return data;
    })()`,
  );
  await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: data });
}

/** @returns what a link gives to be kept */
async function downloaded(page: Page, link: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: link }).click()]);
  return Bun.file(await download.path()).text();
}
