import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

let server: TestServer;
let people: People;
let browser: Browser;
let keysPage: string;

beforeAll(async () => {
  server = await startTestServer();
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
  keysPage = `/sites/${server.siteId}/configuration/keys`;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('a new key works; after a rotation it does not', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.editor, keysPage);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByLabel('Name').fill('staging');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('It is shown only once').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  const staging = await offered(page, 'API key');
  expect(await answerTo(staging)).toBe(202);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /staging/ }).waitFor();
  expect(await page.content()).not.toContain(staging);

  await page.reload();
  await page.getByRole('row', { name: /staging.*just now/ }).waitFor();
  await page.getByRole('button', { name: 'Rotate keys…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate API keys' });
  await dialog.getByText('These 2 keys stop working immediately').waitFor();
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining(`staging (${staging.slice(0, 15)}…`),
    expect.stringContaining(`production (${server.key.slice(0, 15)}…`),
  ]);
  expect(await faultsInAnyLook(page)).toEqual([]);
  await dialog.getByLabel('Name of the new key').fill('after');
  await dialog.getByRole('button', { name: 'Rotate keys' }).click();
  await page.getByText('It is shown only once').waitFor();
  const after = await offered(page, 'API key');
  expect(await Promise.all([staging, server.key, after].map(answerTo))).toEqual([401, 401, 202]);

  await page.getByText('Revoked keys (2)').click();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('a revoked key does not work, and the last key has a warning', async () => {
  const { data: site } = await people.admin.ask<{ slug: string }>('POST', '/v1/sites', {
    name: 'One Key',
    domains: ['one-key.example'],
  });
  const { data: made } = await people.admin.ask<{ key: string }>('POST', `/v1/sites/${site.slug}/keys`, {
    name: 'only',
  });
  const { page, close } = await openDashboard(browser, server, people.admin, `/sites/${site.slug}/configuration/keys`);
  expect(await answerTo(made.key)).toBe(202);
  await page.getByRole('button', { name: 'Revoke only' }).click();
  await page.getByText('This is the only key of the site').waitFor();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('No API keys yet').waitFor();
  expect(await answerTo(made.key)).toBe(401);
  await close();
});

test('a plan without API keys has a warning', async () => {
  const { data: site } = await people.admin.ask<{ slug: string }>('POST', '/v1/sites', {
    name: 'Starter Site',
    domains: ['starter.example'],
    plan: 'starter',
  });
  const { page, close } = await openDashboard(browser, server, people.admin, `/sites/${site.slug}/configuration/keys`);
  await page.getByText('API keys require the Enterprise plan').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await close();
});

test('a viewer sees the keys, and no controls that change them', async () => {
  const { page, close } = await openDashboard(browser, server, people.viewer, keysPage);
  await page.getByRole('table', { name: 'API keys', exact: true }).waitFor();
  expect(await page.locator('main').getByRole('button').count()).toBe(0);
  await close();
});

/** @returns status of a post handed in with a key */
async function answerTo(key: string): Promise<number> {
  const answer = await fetch(`${server.url}/v1/audio/generate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      post_id: crypto.randomUUID(),
      content: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
    }),
  });
  return answer.status;
}
