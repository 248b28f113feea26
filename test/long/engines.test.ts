import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Analytics } from '../../src/analytics/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { launchFirefox, launchWebKit, type OtherBrowser } from '../fixtures/other-browsers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { type Envelope, startTestServer } from '../fixtures/server.ts';
import { createSetupToken, createSignedInClient, password } from '../fixtures/users.ts';

const sentences = Array.from(
  { length: 8 },
  (_, index) => `Boat ${index + 1} of the morning brings herring, cod and news from the islands.`,
);
const text = sentences.map((sentence) => `<p>${sentence}</p>`).join('');
let server: PublicSite;
let web: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  server = await startPublicSite(['localhost']);
  for (const postId of ['firefox', 'webkit']) {
    await server.generate({ post_id: postId, post_title: 'Boats of the morning', content: text });
    await server.waitUntilFinished(postId);
  }
  web = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== '/article') return new Response('<!doctype html><title>Elsewhere</title>', { headers: html });
      const page = `<!doctype html><html lang="en"><title>Article</title><script async src="${server.url}/v1/public/player.js"></script>
<lectern-player post-id="${searchParams.get('post')}" layout="${searchParams.get('layout')}"></lectern-player><article>${text}</article>`;
      const policy = `default-src 'none'; script-src ${server.url}; connect-src ${server.url}; media-src ${server.url}; require-trusted-types-for 'script'`;
      return new Response(page, {
        headers: { ...html, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
      });
    },
  });
});

afterAll(async () => {
  await web?.stop(true);
  await server?.stop();
});

const html = { 'content-type': 'text/html; charset=utf-8' };
const player = "document.querySelector('lectern-player')";
const queryPlayer = (selector: string) => `${player}.shadowRoot?.querySelector('${selector}')`;

describe.each([
  ['firefox', launchFirefox],
  ['webkit', launchWebKit],
] as const)('in %s', (postId, launch) => {
  let browser: OtherBrowser;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(async () => {
    await browser?.stop();
  });

  async function open(layout: string): Promise<void> {
    await browser.open(`http://localhost:${web.port}/article?post=${postId}&layout=${layout}`);
    await eventually(() => browser.evaluate<boolean>(`${queryPlayer('.play:enabled')} != null`), 'the player is ready');
  }

  async function click(selector: string): Promise<void> {
    const rect = `(() => { const { x, y, width, height } = ${queryPlayer(selector)}.getBoundingClientRect(); return { x, y, width, height }; })()`;
    const { x, y, width, height } = await browser.evaluate<Record<'x' | 'y' | 'width' | 'height', number>>(rect);
    await browser.click(x + width / 2, y + height / 2);
  }

  const getPosition = () => browser.evaluate<number>(`${player}.currentTime`);

  test('a listener plays, reads along, jumps and leaves; the analytics count it without a referrer', async () => {
    await open('compact');
    // Without a sound device Firefox supports no more.
    await browser.evaluate(`${queryPlayer('.play')}.focus()`);
    await browser.press('m');
    await click('.play');
    await eventually(async () => (await getPosition()) > 0.3, 'audio is playing');
    const marked = "[...(CSS.highlights?.get('lectern-spoken') ?? [])].map(String).join()";
    await eventually(() => browser.evaluate<string>(marked), 'a sentence is marked');
    const before = await getPosition();
    await browser.evaluate(`(${player}.currentTime = 12)`);
    await eventually(async () => (await getPosition()) > Math.max(before, 12.2), 'it continues from there');
    await click('.play');
    await eventually(() => browser.evaluate<boolean>(`${player}.paused`), 'it pauses');
    await browser.open(`http://localhost:${web.port}/elsewhere`);
    const admin = await createSignedInClient(server, '--role', 'admin');
    const figures = await eventually(async () => {
      const response = await admin.request('GET', `/v1/sites/1/analytics?post_id=${postId}`);
      const { data } = (await response.json()) as Envelope<Analytics>;
      return data.totals.plays > 0 && data;
    }, 'the play is counted');
    expect(figures.totals).toMatchObject({ loads: 1, plays: 1 });
  });

  test.each([
    ['pill', 48],
    ['compact', 76],
    ['large', 256],
  ])('the layout %s is %i px high and has its colors', async (layout, height) => {
    await open(layout);
    const card = `${queryPlayer('.card')}?.getBoundingClientRect().height`;
    const visible = `getComputedStyle(${queryPlayer('.card')}).visibility`;
    await eventually(async () => (await browser.evaluate<string>(visible)) === 'visible', 'it is shown');
    expect(await browser.evaluate<number>(card)).toBeCloseTo(height, 1);
    const colors = `[getComputedStyle(${queryPlayer('.play')}).backgroundColor, getComputedStyle(${queryPlayer('.play svg')}).color]`;
    expect(await browser.evaluate<string[]>(colors)).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
  });

  test('transcript and menu open', async () => {
    await open('large');
    await click('.end .transcript');
    await eventually(
      async () =>
        (await browser.evaluate<string>(`${queryPlayer('.text')}?.textContent ?? ''`)).includes(sentences[7] ?? ''),
      'the text is there',
    );
    await click('.more');
    await eventually(
      () => browser.evaluate<boolean>(`${queryPlayer('.menu:popover-open')} != null`),
      'the menu is open',
    );
    await eventually(async () => {
      const within = `(() => { const { left, right } = ${queryPlayer('.menu')}.getBoundingClientRect(); return left >= 0 && right <= innerWidth; })()`;
      return browser.evaluate<boolean>(within);
    }, 'the menu is in the window');
  });

  test('the transcript of the compact layout is a sheet that leaves the player in view', async () => {
    await open('compact');
    await browser.evaluate(`${queryPlayer('.play')}.focus()`);
    await browser.press('m');
    await click('.play');
    await eventually(async () => (await getPosition()) > 0.1, 'audio is playing');
    await click('.end .transcript');
    await eventually(
      () => browser.evaluate<boolean>(`${queryPlayer('.sheet:popover-open .text p')} != null`),
      'the sheet is open',
    );
    const isBelow = `${queryPlayer('.sheet')}.getBoundingClientRect().top > ${queryPlayer('.card')}.getBoundingClientRect().bottom`;
    expect(await browser.evaluate<boolean>(isBelow)).toBe(true);
  });

  test('a new admin sets the dashboard up, plays the first article, and uses every main page', async () => {
    const first = await startTestServer({ key: 'none' });
    const email = 'ada@example.org';
    const findVisible = (selector: string, words: string) =>
      `[...document.querySelectorAll('${selector}')].find((element) => element.checkVisibility() && !element.disabled && (element.ariaLabel ?? element.textContent).includes(${JSON.stringify(words)}))`;
    const waitForText = (selector: string, words: string) =>
      eventually(() => browser.evaluate<boolean>(`${findVisible(selector, words)} != null`), `${words} is shown`);
    const use = async (words: string, selector = 'button, a') => {
      await waitForText(selector, words);
      const place = `(() => { const element = ${findVisible(selector, words)}; element.scrollIntoView({ block: 'center' }); const { x, y, width, height } = element.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`;
      const [x = 0, y = 0] = await browser.evaluate<number[]>(place);
      await browser.click(x, y);
    };
    const fill = async (label: string, value: string) => {
      const field = `[...document.querySelectorAll('input, textarea')].find((element) => element.ariaLabel === '${label}' || element.labels?.[0]?.textContent === '${label}')`;
      await eventually(() => browser.evaluate<boolean>(`${field} != null`), `the field ${label}`);
      const typed = JSON.stringify(value);
      await browser.evaluate(
        `(() => { const element = ${field}; element.value = ${typed}; element.dispatchEvent(new InputEvent('input', { bubbles: true })); })()`,
      );
    };
    const go = async (path: string, heading: string) => {
      await browser.evaluate(`(location.hash = '${path}')`);
      await waitForText('h1', heading);
    };

    await browser.open(`${first.url}/#setup=${createSetupToken(first)}`);
    await browser.evaluate(
      `(window.problems = [], ['error', 'unhandledrejection', 'securitypolicyviolation'].forEach((kind) => addEventListener(kind, (event) => problems.push(kind + ' ' + (event.message ?? event.reason ?? event.violatedDirective)))), null)`,
    );
    await fill('E-mail address', email);
    await fill('Password', password);
    await use('Create account');
    await fill('Name of the paper', 'Harbor News');
    await fill('Where its articles are', 'www.harbor.example');
    await use('Continue');
    await use('Use the sample');
    await waitForText('h1', 'Put it on your page');
    await eventually(
      () => browser.evaluate<boolean>(`${queryPlayer('.play:enabled')} != null`),
      'the sample can be played',
    );
    await use('Open the dashboard');
    await waitForText('a', 'New post');

    const site = '/sites/harbor-news';
    await go(`${site}/new`, 'New post');
    await fill('Title', 'Boats of the morning');
    await fill('Text', text);
    await waitForText('.status, p, span', 'sentences · about');
    await use('Generate audio');
    await waitForText('h1', 'Boats of the morning');
    await go(`${site}/posts`, 'Posts');
    await use('Boats of the morning', 'tr a');
    await waitForText('h1', 'Boats of the morning');
    await waitForText('article', 'Boat 8 of the morning');
    await go(`${site}/analytics`, 'Analytics');
    await go(`${site}/settings`, 'Settings');
    await fill('Name', 'Harbor Post');
    await use('Posts', 'nav a');
    await waitForText('h2', 'Leave without saving?');
    await use('Stay');
    await use('Save');
    await waitForText('.site-switch', 'Harbor Post');
    await use('Account', '.end button');
    await use('Sign out', '[role=menuitem]');
    await waitForText('h1', 'Sign in');
    await fill('E-mail address', email);
    await fill('Password', password);
    await use('Sign in');
    await waitForText('h1', 'Settings');
    expect(await browser.evaluate<string[]>('problems')).toEqual([]);
    await first.stop();
  }, 240_000);
});
