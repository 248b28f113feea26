import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { createSiteUsers, type SiteUser } from '../fixtures/site-users.ts';
import { buildArticle } from './articles.ts';

const most = { LECTERN_LISTENERS_MAX: '3', LECTERN_LISTENERS_PER_SITE_MAX: '2' };
let site: PublicSite;
let admin: SiteUser;

beforeAll(async () => {
  site = await startPublicSite(['news.example'], { env: most });
  ({ admin } = createSiteUsers(site, site.siteId));
  // While the workers are stopped, accepted listeners wait for the first sentence.
  await pauseQueue(admin, true);
  const long = { post_id: 'long', content: buildArticle('patience', 100) };
  expect((await site.generate(long)).status).toBe(202);
});
afterAll(() => site.stop('SIGKILL'));

function listen() {
  const controller = new AbortController();
  const response = site
    .open('audio/stream?domain=news.example&post_id=long', { signal: controller.signal })
    .catch(() => undefined);
  return { response, leave: () => controller.abort() };
}

test('the number of concurrent listeners of a site is limited; a disconnect frees a place', async () => {
  const listeners = [listen(), listen(), listen()];
  // Two wait for the first sentence; the third gets a response.
  const refused = await Promise.race(listeners.map(({ response }) => response));
  expect(refused?.status).toBe(503);
  expect(refused?.headers.get('retry-after')).toBe('10');
  expect(await refused?.json()).toEqual({
    success: false,
    message: 'Too many concurrent listeners',
  });
  expect((await listen().response)?.status).toBe(503);
  for (const { leave } of listeners) leave();
  await pauseQueue(admin, false);
  await eventually(async () => {
    const { response, leave } = listen();
    const status = (await response)?.status;
    leave();
    return status === 200;
  }, 'there is room again');
});
