import { afterAll, expect, test } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import type { Locator } from 'playwright-core';
import type { PostPage } from '../../src/audio/posts/schema.ts';
import { findViolationsInNextLook, readRegion, startDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startReceiver } from '../fixtures/webhook-receiver.ts';

const { server, users, open } = await startDashboard({ env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1' } });
const keysPage = `/sites/${server.siteId}/developers`;
let isOnFire = false;
const receiver = startReceiver(() => new Response(isOnFire ? 'on fire' : '', { status: isOnFire ? 500 : 204 }));
afterAll(() => receiver.stop());

test('a new key works; after a rotation it does not', async () => {
  const { page, complaints, close } = await open(users.editor, keysPage);
  await page.getByRole('button', { name: 'Create key' }).click();
  const creation = page.getByRole('dialog', { name: 'Create API key' });
  await creation.getByLabel('Name').fill('staging');
  await creation.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('It is shown only once').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  const staging = await readRegion(page, 'API key');
  expect(await submitWithKey(staging)).toBe(202);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /staging/ }).waitFor();
  expect(await page.content()).not.toContain(staging);

  await page.reload();
  await page.getByRole('row', { name: /staging.*just now/ }).waitFor();
  await page.getByRole('button', { name: 'Rotate keys' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate API keys' });
  await dialog.getByText('These 2 keys stop working immediately').waitFor();
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining(`staging (${staging.slice(0, 15)}…`),
    expect.stringContaining(`production (${server.key.slice(0, 15)}…`),
  ]);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await dialog.getByLabel('Name of the new key').fill('after');
  await dialog.getByRole('button', { name: 'Rotate keys' }).click();
  await page.getByText('It is shown only once').waitFor();
  const after = await readRegion(page, 'API key');
  expect(await Promise.all([staging, server.key, after].map(submitWithKey))).toEqual([401, 401, 202]);

  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /staging.*Revoked/ }).waitFor();
  // Their use is counted.
  await page.reload();
  await page.getByRole('row', { name: /POST \/v1\/audio\/generate.*staging.*202.*1/ }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('a revoked key does not work, and the last key has a warning', async () => {
  const { data: site } = await users.admin.request<{ slug: string }>('POST', '/v1/sites', {
    name: 'One Key',
    domains: ['one-key.example'],
  });
  const { data: created } = await users.admin.request<{ key: string }>('POST', `/v1/sites/${site.slug}/keys`, {
    name: 'only',
  });
  const { page, close } = await open(users.admin, `/sites/${site.slug}/developers`);
  expect(await submitWithKey(created.key)).toBe(202);
  await choose(page.getByRole('row', { name: /only/ }), 'Revoke key');
  await page.getByText('This is the only key of the site').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('row', { name: /only.*Revoked/ }).waitFor();
  expect(await submitWithKey(created.key)).toBe(401);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /only.*Revoked/ }).waitFor({ state: 'detached' });
  expect(await submitWithKey(created.key)).toBe(202);
  await close();
});

test('a plan without API keys has a warning', async () => {
  const { data: site } = await users.admin.request<{ slug: string }>('POST', '/v1/sites', {
    name: 'Starter Site',
    domains: ['starter.example'],
    plan: 'starter',
  });
  const { page, close } = await open(users.admin, `/sites/${site.slug}/developers`);
  await page.getByText('Keys work on the Enterprise plan').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await close();
});

test('a viewer sees the keys, and no controls that change them', async () => {
  const { page, close } = await open(users.viewer, keysPage);
  await page.getByRole('table', { name: 'API keys', exact: true }).waitFor();
  expect(await page.locator('main').getByRole('button').count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Webhooks' }).count()).toBe(0);
  await close();
});

test('an admin adds a webhook, tests it, reads its log and resends a failed message', async () => {
  const { data: site } = await users.admin.request<{ slug: string }>('POST', '/v1/sites', {
    name: 'Only Tests Are Sent',
    domains: ['only-tests.example'],
  });
  const { page, complaints, close } = await open(users.admin, `/sites/${site.slug}/developers`);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  for (const event of ['ready', 'failed', 'deleted']) await page.getByLabel(`Audio ${event}`).uncheck();
  await page.getByLabel('Address').fill(`${receiver.url}/hook`);
  await page.getByLabel('Address').press('Enter');
  await page.getByRole('dialog').getByText('must have at least 1 item').waitFor();
  await page.getByLabel('Audio ready').and(page.locator(':focus')).check();
  await page.getByLabel('Audio failed').check();
  await page.getByLabel('Address').fill('https://10.0.0.1/hook');
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('dialog').locator('.wrong').waitFor();
  await page.getByLabel('Address').fill(`${receiver.url}/hook`);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('It is shown only once').waitFor();
  expect(await readRegion(page, 'Signing secret')).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Add webhook' }).and(page.locator(':focus')).waitFor();
  const row = page.getByRole('row', { name: /\/hook/ });
  await row.getByText('Audio ready · Audio failed').waitFor();
  await row.getByText('Not used yet').waitFor();

  isOnFire = true;
  await choose(row, 'Send test event');
  await page.getByText('Test event failed').waitFor();
  await row.getByText(/^Failing since/).waitFor();
  await choose(row, 'Delivery log');
  await page.locator('summary', { hasText: 'Failed' }).click();
  await page.getByText('on fire').waitFor();
  await page.getByText('Status 500').first().waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);

  isOnFire = false;
  const before = receiver.received.length;
  await page.getByRole('button', { name: 'Send again', exact: true }).click();
  // Within the dialog, as all else is inert and below its backdrop.
  const message = page.getByRole('dialog').locator('.toasts > div', { hasText: 'Message sent again' });
  await message.getByRole('button', { name: 'Close' }).click();
  await message.waitFor({ state: 'detached' });
  await page.locator('summary', { hasText: 'Delivered' }).waitFor();
  expect(receiver.received.length).toBe(before + 1);
  await page.getByRole('dialog').locator('header').getByRole('button', { name: 'Close' }).click();
  await row.getByText(/^Failing/).waitFor({ state: 'detached' });

  await choose(row, 'Turn off');
  await row.getByText('Off', { exact: true }).waitFor();
  await choose(row, 'Rotate secret');
  await page.getByText('For 24 hours, messages are signed with both secrets').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('It is shown only once').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await choose(row, 'Delete webhook');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Audio ready · Audio failed').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('a failing webhook shows since when and how many messages wait; all can be resent at once', async () => {
  const hooks = `/v1/sites/${server.siteId}/webhooks`;
  await eventually(async () => {
    const { data } = await users.editor.request<Static<typeof PostPage>>('GET', `/v1/sites/${server.siteId}/posts`);
    return data.counts.generating === 0;
  }, 'the audio of earlier tests');
  const response = await users.admin.request<{ id: number }>('POST', hooks, {
    ...{ url: `${receiver.url}/failing`, event_types: ['audio.ready'] },
  });
  isOnFire = true;
  const content = 'The lighthouse of Port Ellery opened its doors again on Saturday.';
  for (const post_id of ['one', 'two'])
    await users.editor.request('POST', `/v1/sites/${server.siteId}/posts`, { post_id, content });
  await eventually(async () => receiver.received.filter(({ path }) => path === '/failing').length >= 2, 'attempts');
  const { page, close } = await open(users.admin, keysPage);
  const row = page.getByRole('row', { name: /\/failing/ });
  await row.getByText(/^Failing since .* · 2 undelivered$/).waitFor();
  await page.reload();
  await page.getByRole('navigation', { name: 'Main' }).getByTitle('1 failing').waitFor();
  await row.getByText(/^Failing since/).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'More pages 1 failing' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Developers 1 failing' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1280, height: 900 });
  // Editors see it, too, but without a link to the log.
  for (const [user, links] of [
    [users.admin, 1],
    [users.editor, 0],
  ] as const) {
    const viewerPage = await open(user, `/sites/${server.siteId}`);
    await viewerPage.page.getByText('has received no message since').waitFor();
    expect(await viewerPage.page.getByRole('link', { name: 'See deliveries' }).count()).toBe(links);
    await viewerPage.close();
  }
  isOnFire = false;
  await row.getByRole('button', { name: 'Send all again' }).click();
  await page.getByText('Undelivered messages are being sent again').waitFor();
  await eventually(async () => receiver.received.filter(({ path }) => path === '/failing').length >= 4, 'all again');
  await page.reload();
  await row.waitFor();
  await row.getByText(/undelivered/).waitFor({ state: 'detached' });
  await users.admin.request('DELETE', `${hooks}/${response.data.id}`);
  await close();
});

test('pending deliveries of a disabled webhook are polled rarely', async () => {
  const hooks = `/v1/sites/${server.siteId}/webhooks`;
  const response = await users.admin.request<{ id: number }>('POST', hooks, {
    ...{ url: `${receiver.url}/off`, event_types: ['audio.failed'] },
  });
  expect(response.status).toBe(201);
  isOnFire = true;
  const mute = { post_id: 'mute', content: `<p>${'🦊'.repeat(60)}</p>` };
  await users.editor.request('POST', `/v1/sites/${server.siteId}/posts`, mute);
  await eventually(async () => receiver.received.some(({ path }) => path === '/off'), 'a first attempt');
  await users.admin.request('PATCH', `${hooks}/${response.data.id}`, { active: false });
  isOnFire = false;
  const { page, close, go } = await open(users.admin);
  await page.clock.install();
  await go(`/sites/${server.siteId}/developers`);
  await choose(page.getByRole('row', { name: /\/off/ }), 'Delivery log');
  await page.locator('summary', { hasText: 'Waiting' }).waitFor();
  const countPolls = async (seconds: number) => {
    let count = 0;
    page.on('request', (request) => {
      if (request.url().includes('/deliveries')) count += 1;
    });
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1_000);
      // Responses to later requests have arrived as well.
      await page.evaluate(async () => (await fetch('healthz')).text());
    }
    return count;
  };
  // Long after its next attempt, by the clock of the page.
  await page.clock.pauseAt(Date.now() + 3_600_000);
  expect(await countPolls(20)).toBeLessThanOrEqual(3);
  await users.admin.request('DELETE', `${hooks}/${response.data.id}`);
  await close();
});

async function choose(row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: 'More' }).click();
  await row.page().getByRole('menuitem', { name: action }).click();
}

/** @returns the status code of a post submitted with a key */
async function submitWithKey(key: string): Promise<number> {
  const response = await fetch(`${server.url}/v1/audio/generate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      post_id: crypto.randomUUID(),
      content: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
    }),
  });
  return response.status;
}
