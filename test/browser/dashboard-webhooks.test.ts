import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
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
  receiver = startReceiver(() => new Response(isOnFire ? 'on fire' : '', { status: isOnFire ? 500 : 204 }));
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await receiver?.stop();
});

test('an admin adds a webhook, tests it, reads its log and resends a failed message', async () => {
  const { page, complaints, close } = await openDashboard(
    browser,
    server,
    people.admin,
    `/sites/${server.siteId}/configuration/webhooks`,
  );
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByLabel('URL').fill('https://10.0.0.1/hook');
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('dialog').locator('.wrong').waitFor();
  await page.getByLabel('URL').fill(`${receiver.url}/hook`);
  await page.getByLabel('Audio deleted').uncheck();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('It is shown only once').waitFor();
  expect(await offered(page, 'Signing secret')).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Audio ready · Audio failed').waitFor();

  isOnFire = true;
  await page.getByRole('button', { name: 'Send test event' }).click();
  const failed = page.locator('summary', { hasText: 'Failed' });
  await failed.click();
  await page.getByText('on fire').waitFor();
  await page.getByText('Status 500').first().waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);

  isOnFire = false;
  const before = receiver.received.length;
  await page.getByRole('button', { name: 'Resend message' }).click();
  await page.getByText('Message resent').waitFor();
  await page.locator('summary', { hasText: 'Delivered' }).waitFor();
  expect(receiver.received.length).toBe(before + 1);

  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Disabled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('For 24 hours, messages are signed with both secrets').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('It is shown only once').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('pending deliveries of a disabled webhook are polled rarely', async () => {
  const hooks = `/v1/sites/${server.siteId}/webhooks`;
  const made = await people.admin.ask<{ id: number }>('POST', hooks, {
    ...{ url: `${receiver.url}/off`, event_types: ['audio.failed'] },
  });
  expect(made.status).toBe(201);
  isOnFire = true;
  await server.generate({ post_id: 'mute', content: `<p>${'🦊'.repeat(60)}</p>` });
  await eventually(async () => receiver.received.some(({ path }) => path === '/off'), 'a first attempt');
  await people.admin.ask('PATCH', `${hooks}/${made.data.id}`, { active: false });
  isOnFire = false;
  const { page, close, go } = await openDashboard(browser, server, people.admin);
  await page.clock.install();
  await go(`/sites/${server.siteId}/configuration/webhooks`);
  await page.getByRole('button', { name: 'Show delivery log' }).click();
  await page.locator('summary', { hasText: 'Pending' }).waitFor();
  const asked = async (seconds: number) => {
    let count = 0;
    page.on('request', (request) => {
      if (request.url().includes('/deliveries')) count += 1;
    });
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1_000);
      // An answer that came after this one was asked for is there as well.
      await page.evaluate(async () => (await fetch('healthz')).text());
    }
    return count;
  };
  // Long after its next attempt, as the page sees it.
  await page.clock.pauseAt(Date.now() + 3_600_000);
  expect(await asked(20)).toBeLessThanOrEqual(3);
  await people.admin.ask('DELETE', `${hooks}/${made.data.id}`);
  await close();
});
