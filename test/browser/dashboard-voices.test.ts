import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { FullVoice } from '../../src/voices/schema.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { findViolationsInNextLook, openDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { createBrokenVoice, createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { noteElement } from './transient.ts';

const card = '# Model card for harbor\n\n* Language: en_GB\n* License: CC BY-NC-SA 4.0\n';

let server: TestServer;
let users: SiteUsers;
let browser: Browser;
/** Folder of the files to import. */
let folder: string;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await writeVoice(join(data, 'voices'), 'nonsense', createBrokenVoice('not-onnx'));
  server = await startTestServer({ data, voices: 'built-in' });
  users = createSiteUsers(server, server.siteId);
  browser = await launchBrowser();
  folder = createTemporaryFolder();
  const harbor = createToneVoice({ sampleRateHz: 22_050, language: 'en_GB' });
  await writeVoice(folder, 'en_GB-harbor-low', harbor);
  await writeVoice(folder, 'en_US-reef-low', createBrokenVoice('wrong-input-names'));
  await Bun.write(join(folder, 'MODEL_CARD'), card);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an admin drops the files of a voice, accepts its license and plays it', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, users.admin, '/server/voices');
  await page.getByRole('row', { name: /Aspen/ }).waitFor();
  await page.getByRole('list', { name: 'Invalid voice files' }).getByText('nonsense.onnx').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);

  await drop(page, 'main .card', ['en_GB-harbor-low.onnx', 'MODEL_CARD']);
  const dialog = page.getByRole('dialog', { name: 'Import voice' });
  await dialog.getByText('en_GB-harbor-low.onnx.json').waitFor();
  expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
  await drop(page, '.drop', ['en_GB-harbor-low.onnx.json']);
  await dialog.getByText('British English, low quality, 22.05 kHz').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);

  await dialog.getByLabel('Source').fill('https://voices.example.org/harbor');
  await dialog.getByLabel('Gender').selectOption('Female');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('license "CC BY-NC-SA 4.0" forbids commercial use').waitFor();
  await dialog.getByText('* License: CC BY-NC-SA 4.0').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  const accept = dialog.getByRole('button', { name: 'Accept and import' });
  expect(await accept.isDisabled()).toBe(true);
  expect(await listVoiceNames()).not.toContain('Harbor');
  await dialog.getByLabel(`I, ${users.admin.email}, have read the license`).check();
  await accept.click();
  await dialog.waitFor({ state: 'detached' });

  const row = page.getByRole('row', { name: /Harbor/ });
  await row.getByText('Non-commercial').waitFor();
  expect(await getVoice('Harbor')).toMatchObject({
    gender: 'female',
    license: 'CC BY-NC-SA 4.0',
    license_accepted: { by: users.admin.email },
    source: 'https://voices.example.org/harbor',
  });

  await page.setViewportSize({ width: 1280, height: 900 });
  await choose(page, /Harbor/, 'Manage');
  const detail = page.getByRole('dialog', { name: 'Harbor' });
  await detail.getByText('Model card', { exact: true }).click();
  await detail.getByText('* License: CC BY-NC-SA 4.0').waitFor();
  await detail.locator('header').getByRole('button', { name: 'Close' }).click();

  const stops = await noteElement(page, '[aria-label="Stop: Harbor"]');
  await row.getByRole('button', { name: 'Play: Harbor' }).click();
  await stops();
  // Playback ends after the sentence.
  await row.getByRole('button', { name: 'Play: Harbor' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('an admin tests, renames and disables a voice', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, users.admin, '/server/voices');
  await choose(page, /Cedar/, 'Manage');
  const dialog = page.getByRole('dialog', { name: 'Cedar' });
  expect(await findViolationsInNextLook(page)).toEqual([]);

  await page.setViewportSize({ width: 1280, height: 900 });
  await dialog.getByLabel('Hear a text').fill('The harbor is open.');
  const speechResponse = page.waitForResponse((response) => response.url().endsWith('/voices/2/test'));
  await dialog.getByRole('button', { name: 'Play: this text in Cedar' }).click();
  const response = await speechResponse;
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'audio/mpeg']);

  await dialog.getByLabel('Name').fill('Cedar of the coast');
  await dialog.getByLabel('Plan').selectOption('Growth');
  await dialog.getByLabel('Enabled').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Cedar of the coast.*Growth.*Disabled/ }).waitFor({ state: 'attached' });
  expect(await getVoice('Cedar of the coast')).toMatchObject({
    plan_required: 'growth',
    enabled: false,
  });
  // Built-in voices cannot be removed.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('row', { name: /Cedar/ }).locator('[aria-haspopup=menu]').click();
  await page.getByRole('menuitem', { name: 'Manage' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Remove' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
  await users.admin.request('PATCH', '/v1/voices/2', {
    name: 'Cedar',
    plan_required: 'starter',
    enabled: true,
  });
});

test('an invalid voice is rejected with an explanation, and no files remain', async () => {
  const { page, close } = await openDashboard(browser, server, users.admin, '/server/voices');
  await page.getByRole('button', { name: 'Import voice' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import voice' });
  await dialog
    .getByLabel('Choose files')
    .setInputFiles([join(folder, 'en_US-reef-low.onnx'), join(folder, 'en_US-reef-low.onnx.json')]);
  await dialog.getByLabel('License').fill('CC0');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('Voice rejected.').waitFor();
  await dialog.getByText('inputs').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  // The form keeps its values.
  expect(await dialog.getByLabel('License').inputValue()).toBe('CC0');
  expect(await listVoiceNames()).not.toContain('Reef');

  await dialog
    .getByLabel('Choose files')
    .setInputFiles([join(folder, 'en_GB-harbor-low.onnx'), join(folder, 'en_GB-harbor-low.onnx.json')]);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('Voice en_GB-harbor-low already exists').waitFor();
  await close();
});

test('a voice in use cannot be removed, and its sites are listed; an unused one can be removed, with Undo', async () => {
  const { id } = await getVoice('Harbor');
  await server.generate({
    post_id: 'of/harbor',
    voice_id: id,
    content: 'The lighthouse opens again on Saturday, and it stays open until dusk on every day.',
  });
  await server.waitUntilFinished('of/harbor');
  const { page, complaints, close } = await openDashboard(browser, server, users.admin, '/server/voices');
  const remove = async () => {
    await choose(page, /Harbor/, 'Remove');
    await page.getByRole('dialog', { name: 'Remove Harbor?' }).getByRole('button', { name: 'Remove voice' }).click();
  };
  await remove();
  await page.getByText('Voice en_GB-harbor-low is in use: 0 sites, 1 post').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'of/harbor (test-site)' }).click();
  await page.getByRole('heading', { level: 1, name: 'of/harbor' }).waitFor();

  await server.request('/v1/audio/of%2Fharbor', { method: 'DELETE' });
  await page.goBack();
  await page.setViewportSize({ width: 1280, height: 900 });
  await remove();
  await page.getByRole('row', { name: /Harbor/ }).waitFor({ state: 'detached' });
  expect(await listVoiceNames()).not.toContain('Harbor');
  await page.getByText('Harbor removed').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /Harbor/ }).waitFor();
  expect(await listVoiceNames()).toContain('Harbor');
  expect(complaints).toEqual([]);
  await close();
});

test('an uploaded voice is validated and installed even if its dialog is closed', async () => {
  const { page, close } = await openDashboard(browser, server, users.admin, '/server/voices');
  await page.getByRole('button', { name: 'Import voice' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import voice' });
  await dialog
    .getByLabel('Choose files')
    .setInputFiles([join(folder, 'en_GB-harbor-low.onnx'), join(folder, 'en_GB-harbor-low.onnx.json')]);
  await dialog.getByLabel('License').fill('CC0');
  // The page does not learn the result of the validation before the dialog is closed.
  const browserItself = await page.context().newCDPSession(page);
  const responses = [{ urlPattern: '*/v1/voices', requestStage: 'Response' as const }];
  await browserItself.send('Fetch.enable', { patterns: responses });
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('You can close this dialog').waitFor();
  await dialog.locator('header').getByRole('button', { name: 'Close' }).click();
  await eventually(async () => (await listVoiceNames()).includes('Harbor'), 'it is installed');
  await close();
});

test('an editor plays a headline in every voice and selects voices; a viewer can only play', async () => {
  const path = '/sites/test-site/voices';
  const { page, complaints, close } = await openDashboard(browser, server, users.editor, path);
  const aspen = page.getByRole('region', { name: 'Aspen' });
  const cedar = page.getByRole('region', { name: 'Cedar' });
  await aspen.getByText('Reads in English').waitFor();
  const languages = page.getByRole('list', { name: 'Voices by language' });
  expect(await languages.getByRole('listitem').first().textContent()).toBe('EnglishAspenDefault');
  await languages.getByText('No voice, so its posts are refused').first().waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByLabel('Hear this in every voice').fill('The harbor is open.');
  const speechResponse = page.waitForResponse((response) => response.url().includes('/speech/say'));
  await cedar.getByRole('button', { name: 'Play: Cedar' }).click();
  const response = await speechResponse;
  expect(response.request().postDataJSON()).toEqual({ text: 'The harbor is open.', voice_id: 2 });
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'audio/mpeg']);
  // The waveform of the speech, also after its end.
  const loudest = cedar.locator('.wave i[style*="100%"]');
  await loudest.first().waitFor();
  const heights = await cedar.locator('.wave i').evaluateAll((bars) => bars.map((bar) => bar.style.height));
  expect(new Set(heights).size).toBeGreaterThan(10);
  expect(await aspen.locator('.wave i[style*="100%"]').count()).toBe(0);

  await cedar.getByRole('button', { name: 'Make Cedar the English voice' }).click();
  await aspen.getByLabel('Listeners may choose').check();
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('English voice, Aspen').waitFor();
  await bar.getByRole('button', { name: 'Save' }).click();
  await cedar.getByText('Reads in English').waitFor();
  await bar.waitFor({ state: 'detached' });
  const { data } = await users.viewer.request('GET', '/v1/sites/test-site/voices');
  expect(data).toMatchObject({ default_voice_id: 2, allow_switch: true, extra_voices: [1] });
  await aspen.getByLabel('Listeners may choose').uncheck();
  await page.getByText('Saving deletes the MP3s').waitFor();
  await bar.getByRole('button', { name: 'Discard' }).click();

  // A voice for another language does not change the default language.
  const roble = page.getByRole('region', { name: 'Roble' });
  await roble.getByRole('button', { name: 'Make Roble the Spanish voice' }).click();
  await roble.getByText('Reads in Spanish').waitFor();
  await languages.getByRole('button', { name: 'Make default: German' }).click();
  await bar.getByText('Default language, Spanish voice').waitFor();
  await bar.getByRole('button', { name: 'Save' }).click();
  await bar.waitFor({ state: 'detached' });
  const readers = await users.viewer.request('GET', '/v1/sites/test-site/voices');
  expect(readers.data).toMatchObject({ default_voice_id: 6, default_voices: [5, 2] });
  for (const text of ['EnglishCedarMake default', 'GermanBucheDefault']) {
    await languages
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${text}$`) })
      .waitFor();
  }
  expect(complaints).toEqual([]);
  await close();

  const viewerPage = await openDashboard(browser, server, users.viewer, path);
  await viewerPage.page.getByText('Listeners may choose', { exact: true }).waitFor();
  expect(await viewerPage.page.getByRole('main').getByRole('checkbox').count()).toBe(0);
  expect(await viewerPage.page.getByRole('button', { name: /Add a voice|Make it/ }).count()).toBe(0);
  await viewerPage.close();
});

/** Selects an action of a voice. */
async function choose(page: Page, name: RegExp, action: string): Promise<void> {
  await page.getByRole('row', { name }).locator('[aria-haspopup=menu]').click();
  await page.getByRole('menuitem', { name: action }).click();
}

async function listVoices(): Promise<FullVoice[]> {
  const { data } = await users.admin.request<{ voices: FullVoice[] }>('GET', '/v1/voices');
  return data.voices;
}

async function listVoiceNames(): Promise<string[]> {
  return (await listVoices()).map(({ name }) => name);
}

async function getVoice(name: string): Promise<FullVoice> {
  const found = (await listVoices()).find((voice) => voice.name === name);
  if (found === undefined) throw new Error(`voice ${name} not found`);
  return found;
}

/** Simulates files of the folder dropped onto an element. */
async function drop(page: Page, selector: string, names: readonly string[]): Promise<void> {
  const files = await Promise.all(
    names.map(async (name) => ({
      name,
      bytes: (await Bun.file(join(folder, name)).bytes()).toBase64(),
    })),
  );
  await page
    .locator(selector)
    .first()
    .evaluate((target, dropped) => {
      const dataTransfer = new DataTransfer();
      for (const { name, bytes } of dropped) {
        const content = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
        dataTransfer.items.add(new File([content], name));
      }
      target.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
    }, files);
}
