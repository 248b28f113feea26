import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { type Receiver, startReceiver } from '../fixtures/webhook-receiver.ts';

let server: TestServer;
let people: People;
let browser: Browser;
let receiver: Receiver;
let isOnFire = false;

beforeAll(async () => {
  server = await startTestServer({ env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1' } });
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
  receiver = startReceiver(
    () => new Response(isOnFire ? 'on fire' : '', { status: isOnFire ? 500 : 204 }),
  );
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await receiver?.stop();
});

test('an admin adds a webhook, tests it, reads its log and sends again what failed', async () => {
  const { page, complaints, close } = await openDashboard(
    browser,
    server,
    people.admin,
    `/sites/${server.siteId}/configuration/webhooks`,
  );
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByLabel('Address').fill('https://10.0.0.1/hook');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('dialog').locator('.wrong').waitFor();
  await page.getByLabel('Address').fill(`${receiver.url}/hook`);
  await page.getByLabel('An audio was deleted').uncheck();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('it is shown this once').waitFor();
  expect(await offered(page, 'Signing secret')).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('An audio is ready · An audio has failed').waitFor();

  isOnFire = true;
  await page.getByRole('button', { name: 'Send a test' }).click();
  const failed = page.locator('summary', { hasText: 'Failed' });
  await failed.click();
  await page.getByText('on fire').waitFor();
  await page.getByText('Answered 500').first().waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);

  isOnFire = false;
  const before = receiver.received.length;
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('It is sent again').waitFor();
  await page.locator('summary', { hasText: 'Delivered' }).waitFor();
  expect(receiver.received.length).toBe(before + 1);

  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Switched off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByText('The old one signs too for 24 hours').waitFor();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByText('it is shown this once').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhook yet').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});
