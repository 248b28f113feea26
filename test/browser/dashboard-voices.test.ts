import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { FullVoice } from '../../src/voices/schema.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, openDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { brokenVoice, toneVoice, writeVoice } from '../fixtures/voice.ts';
import { noteElement } from './fleeting.ts';

const card = '# Model card for harbor\n\n* Language: en_GB\n* License: CC BY-NC-SA 4.0\n';
const gateMs = 60_000;

let server: TestServer;
let people: People;
let browser: Browser;
/** Where the files lie that are imported. */
let folder: string;

beforeAll(async () => {
  const data = temporaryFolder();
  await writeVoice(join(data, 'voices'), 'nonsense', brokenVoice('not-onnx'));
  server = await startTestServer({ data, voices: 'built-in' });
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
  folder = temporaryFolder();
  const harbor = toneVoice({ sampleRateHz: 22_050, language: 'en_GB' });
  await writeVoice(folder, 'en_GB-harbor-low', harbor);
  await writeVoice(folder, 'en_US-reef-low', brokenVoice('wrong-input-names'));
  await Bun.write(join(folder, 'MODEL_CARD'), card);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an admin drops the files of a voice, accepts its license and plays it', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.admin, '/voices');
  await page.getByRole('row', { name: /^Aspen/ }).waitFor();
  await page.getByRole('table', { name: 'Invalid voice files' }).getByText('nonsense.onnx').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);

  await drop(page, '.voices', ['en_GB-harbor-low.onnx', 'MODEL_CARD']);
  const dialog = page.getByRole('dialog', { name: 'Import voice' });
  await dialog.getByText('en_GB-harbor-low.onnx.json').waitFor();
  expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
  await drop(page, '.drop-zone', ['en_GB-harbor-low.onnx.json']);
  await dialog.getByText('British English, low quality, 22.05 kHz').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);

  await dialog.getByLabel('Source').fill('https://voices.example.org/harbor');
  await dialog.getByLabel('Gender').selectOption('Female');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('license "CC BY-NC-SA 4.0" forbids commercial use').waitFor({ timeout: gateMs });
  await dialog.getByText('* License: CC BY-NC-SA 4.0').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  const accept = dialog.getByRole('button', { name: 'Accept and import' });
  expect(await accept.isDisabled()).toBe(true);
  expect(await namesOf()).not.toContain('Harbor');
  await dialog.getByLabel(`I, ${people.admin.email}, have read the license`).check();
  await accept.click();
  await dialog.waitFor({ state: 'detached', timeout: gateMs });

  const row = page.getByRole('row', { name: /^Harbor/ });
  await row.getByText('Non-commercial').waitFor();
  expect(await voiceNamed('Harbor')).toMatchObject({
    gender: 'female',
    license: 'CC BY-NC-SA 4.0',
    license_accepted: { by: people.admin.email },
    source: 'https://voices.example.org/harbor',
  });

  await row.getByRole('button', { name: 'Manage Harbor' }).click();
  const detail = page.getByRole('dialog', { name: 'Harbor' });
  await detail.getByText('Model card', { exact: true }).click();
  await detail.getByText('* License: CC BY-NC-SA 4.0').waitFor();
  await detail.getByRole('button', { name: 'Close' }).click();

  const stops = await noteElement(page, '[aria-label="Stop Harbor"]');
  await row.getByRole('button', { name: 'Listen to Harbor' }).click();
  await stops();
  // A sentence later it is silent by itself.
  await row.getByRole('button', { name: 'Listen to Harbor' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('an admin tests, renames and disables a voice', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.admin, '/voices');
  await page.getByRole('button', { name: 'Manage Cedar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cedar' });
  expect(await faultsInAnyLook(page)).toEqual([]);

  await dialog.getByLabel('Text').fill('The harbor is open.');
  await dialog.getByRole('button', { name: 'Synthesize' }).click();
  const said = dialog.getByLabel('Test audio of Cedar');
  await said.waitFor();
  const seconds = await eventually(
    () => said.evaluate((audio) => audio instanceof HTMLAudioElement && audio.duration > 0 && audio.duration),
    'the sound is there',
  );
  expect(seconds).toBeWithin(0.5, 4);

  await dialog.getByLabel('Name').fill('Cedar of the coast');
  await dialog.getByLabel('Plan').selectOption('Growth');
  await dialog.getByLabel('Enabled').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^Cedar of the coast.*Growth.*Disabled/ }).waitFor({ state: 'attached' });
  expect(await voiceNamed('Cedar of the coast')).toMatchObject({
    plan_required: 'growth',
    enabled: false,
  });
  // What is built in stays.
  expect(await page.getByRole('button', { name: 'Remove voice…' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
  await people.admin.ask('PATCH', '/v1/voices/2', {
    name: 'Cedar',
    plan_required: 'starter',
    enabled: true,
  });
});

test('an invalid voice is rejected with an explanation, and no files remain', async () => {
  const { page, close } = await openDashboard(browser, server, people.admin, '/voices');
  await page.getByRole('button', { name: 'Import voice' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import voice' });
  await dialog
    .getByLabel('Choose files')
    .setInputFiles([join(folder, 'en_US-reef-low.onnx'), join(folder, 'en_US-reef-low.onnx.json')]);
  await dialog.getByLabel('License').fill('CC0');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('Voice rejected.').waitFor({ timeout: gateMs });
  await dialog.getByText('inputs').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  // What was filled in is still there.
  expect(await dialog.getByLabel('License').inputValue()).toBe('CC0');
  expect(await namesOf()).not.toContain('Reef');

  await dialog
    .getByLabel('Choose files')
    .setInputFiles([join(folder, 'en_GB-harbor-low.onnx'), join(folder, 'en_GB-harbor-low.onnx.json')]);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('Voice en_GB-harbor-low already exists').waitFor();
  await close();
});

test('a voice in use cannot be removed and its users are listed; an unused one can', async () => {
  const { id } = await voiceNamed('Harbor');
  await server.generate({
    post_id: 'of/harbor',
    voice_id: id,
    content: 'The lighthouse opens again on Saturday, and it stays open until dusk on every day.',
  });
  await server.settled('of/harbor');
  const { page, complaints, close } = await openDashboard(browser, server, people.admin, '/voices');
  const remove = async () => {
    await page.getByRole('button', { name: 'Manage Harbor' }).click();
    await page.getByRole('button', { name: 'Remove voice…' }).click();
    await page.getByRole('dialog', { name: 'Remove Harbor?' }).getByRole('button', { name: 'Remove voice' }).click();
  };
  await remove();
  await page.getByText('Voice en_GB-harbor-low is in use: 0 sites, 1 post').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'of/harbor (test-site)' }).click();
  await page.getByRole('heading', { name: 'Embed the player' }).waitFor();

  await server.ask('/v1/audio/of%2Fharbor', { method: 'DELETE' });
  await page.goBack();
  await remove();
  await page.getByRole('row', { name: /^Harbor/ }).waitFor({ state: 'detached' });
  expect(await namesOf()).not.toContain('Harbor');
  expect(complaints).toEqual([]);
  await close();
});

test('an uploaded voice is validated and installed after its dialog is closed', async () => {
  const { page, close } = await openDashboard(browser, server, people.admin, '/voices');
  await page.getByRole('button', { name: 'Import voice' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import voice' });
  await dialog
    .getByLabel('Choose files')
    .setInputFiles([join(folder, 'en_GB-harbor-low.onnx'), join(folder, 'en_GB-harbor-low.onnx.json')]);
  await dialog.getByLabel('License').fill('CC0');
  // However fast the voice is checked, the page hears nothing of it before the dialog is closed.
  const browserItself = await page.context().newCDPSession(page);
  const answers = [{ urlPattern: '*/v1/voices', requestStage: 'Response' as const }];
  await browserItself.send('Fetch.enable', { patterns: answers });
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('You can close this dialog').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await eventually(async () => (await namesOf()).includes('Harbor'), 'it is installed', gateMs);
  await close();
});

test('a member can play voices and read their details', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.viewer, '/voices');
  await page.getByRole('button', { name: 'Details Aspen' }).click();
  const dialog = page.getByRole('dialog', { name: 'Aspen' });
  await dialog.getByText('Female, medium quality, 24 kHz').waitFor();
  expect(await dialog.getByRole('button').allTextContents()).toEqual(['×', 'Listen']);
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(await page.getByRole('button', { name: 'Import voice' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Listen to Aspen' }).click();
  await page.getByRole('button', { name: 'Stop Aspen' }).click();
  await page.getByRole('button', { name: 'Listen to Aspen' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('an editor selects the voices of a site; a viewer sees them', async () => {
  const path = '/sites/test-site/voices';
  const { page, complaints, close } = await openDashboard(browser, server, people.editor, path);
  await page.getByRole('row', { name: /^Aspen.*Default voice/ }).waitFor();
  await page.getByLabel('Default voice').selectOption({ label: 'Cedar (English)' });
  await page.getByLabel('Allow voice switching').check();
  await page.getByRole('group', { name: 'Extra voices' }).getByLabel('Aspen (English)').check();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^Cedar.*Default voice/ }).waitFor();
  await page.getByRole('row', { name: /^Aspen.*Extra voice/ }).waitFor();
  const { data } = await people.viewer.ask('GET', '/v1/sites/test-site/voices');
  expect(data).toMatchObject({ default_voice_id: 2, allow_switch: true, extra_voices: [1] });
  expect(complaints).toEqual([]);
  await close();

  const seen = await openDashboard(browser, server, people.viewer, path);
  const choice = seen.page.getByLabel('Default voice');
  await choice.waitFor();
  expect(await choice.isDisabled()).toBe(true);
  expect(await seen.page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await seen.close();
});

async function voices(): Promise<FullVoice[]> {
  const { data } = await people.admin.ask<{ voices: FullVoice[] }>('GET', '/v1/voices');
  return data.voices;
}

async function namesOf(): Promise<string[]> {
  return (await voices()).map(({ name }) => name);
}

async function voiceNamed(name: string): Promise<FullVoice> {
  const found = (await voices()).find((voice) => voice.name === name);
  if (found === undefined) throw new Error(`voice ${name} not found`);
  return found;
}

/** Drops files of the folder onto an element, as a hand does that drags them from elsewhere. */
async function drop(page: Page, selector: string, names: readonly string[]): Promise<void> {
  const files = await Promise.all(
    names.map(async (name) => ({
      name,
      bytes: (await Bun.file(join(folder, name)).bytes()).toBase64(),
    })),
  );
  await page.locator(selector).evaluate((target, dropped) => {
    const dataTransfer = new DataTransfer();
    for (const { name, bytes } of dropped) {
      const content = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
      dataTransfer.items.add(new File([content], name));
    }
    target.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  }, files);
}
