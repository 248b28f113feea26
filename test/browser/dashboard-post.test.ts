import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { PostDetail } from '../../src/audio/posts/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { findViolationsInNextLook, readRegion, startDashboard } from '../fixtures/dashboard.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import type { SiteUser } from '../fixtures/site-users.ts';
import { noteMarks } from './transient.ts';

const article = '<p>The lighthouse of Port Ellery opened again. It cost $12.</p><nav>Home News</nav><p>Come soon.</p>';
const silence = `<img alt="">${'<!-- silence -->'.repeat(4)}`;

const { server, users, open, slug, sitePath } = await startDashboard({ voices: 'built-in' });

test('the page of a post shows completeness, files, certificate and embed code', async () => {
  await passMidnight();
  await submit(users.editor, 'whole', { post_title: 'Whole' });
  await server.waitUntilFinished('whole');
  const { page, complaints, close } = await openPost('whole', users.editor);
  await page.getByRole('heading', { name: 'Whole', level: 1 }).waitFor();
  await page.getByText('4 of 4 sentences are spoken. Left out: 1 navigation bar.').waitFor();
  await page.getByRole('article').getByText('The lighthouse of Port Ellery opened again.').waitFor();
  expect(await readRegion(page, 'Embed code')).toContain('post-id="whole"');
  await page.getByText('this turns green when the player loads').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);

  await page.getByRole('button', { name: 'Certificate' }).click();
  const drawer = page.getByRole('dialog', { name: 'Certificate' });
  await drawer.getByText('Home News').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    drawer.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  const certified = await users.editor.request('GET', `${sitePath}/posts/whole/certificate`);
  expect((await Bun.file(await download.path()).json()).data).toEqual(certified.data);

  const host = (await users.admin.request<{ domains: string[] }>('GET', sitePath)).data.domains[0];
  const loaded = await users.anonymous.fetch('/v1/public/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `https://${host}` },
    body: JSON.stringify({
      domain: host,
      events: [
        { type: 'load', post_id: 'whole' },
        { type: 'play', post_id: 'whole' },
      ],
    }),
  });
  expect(loaded.status).toBe(202);
  await page.reload();
  await page.getByText(`Loaded 1 time today on ${host}`).waitFor();
  await page.getByText('1 play this week').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test.each(['public', 'private'])('the sentence of a %s post is marked while it is spoken', async (visibility) => {
  const postId = `read along ${visibility}`;
  // Long enough to be marked on a busy machine.
  const content = article.replace('Come soon.', 'Come soon, all of you who like to walk by the sea in the evening.');
  await submit(users.editor, postId, { post_title: 'Read along', visibility, content });
  await server.waitUntilFinished(postId);
  const { page, complaints, close } = await openPost(postId, users.viewer);
  await page.getByRole('article').getByText('It cost $12.').waitFor();
  const marks = await noteMarks(page);
  // A click on a sentence plays from there, even before the first start.
  await page.getByText('It cost $12.').click();
  await page.locator('.said', { hasText: 'lighthouse' }).waitFor();
  await eventually(async () => (await marks()).some((mark) => mark.includes('Come soon')), 'the sentence');
  expect((await marks()).some((mark) => mark.includes('lighthouse'))).toBe(false);
  expect(complaints).toEqual([]);
  await close();
});

test('the pronunciation of a word is corrected, and its sentences are synthesized again', async () => {
  await submit(users.editor, 'mend', { post_title: 'Mended' });
  const { audio_url: first } = await server.waitUntilFinished('mend');
  const { page, complaints, close } = await openPost('mend', users.editor);
  await select(page, 'Ellery');
  const card = page.getByRole('dialog', { name: 'Say “Ellery” differently' });
  const speechResponse = page.waitForResponse((response) => response.url().includes('/v1/speech/say'));
  await card.getByLabel('Pronounced as').fill('ELL-uh-ree');
  await card.getByRole('button', { name: 'Play: Ellery as you write it' }).click();
  expect((await speechResponse).request().postDataJSON()).toMatchObject({ text: 'Ellery', alias: 'ELL-uh-ree' });
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. 1 sentence is spoken again.').waitFor();
  const { audio_url: second } = await waitForNewVersion('mend', first);
  await page.locator(`lectern-player[audio-url="${second}"]`).waitFor();

  // The word has an entry now: it is shown, and changed.
  await select(page, 'Ellery');
  await card.getByText('sounds like “ELL-uh-ree”').waitFor();
  await card.getByLabel('Pronounced as').fill('EL-uh-ray');
  await card.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => {
    const path = `${sitePath}/pronunciations?q=Ellery`;
    const { data } = await users.editor.request<{ items: { alias: string }[] }>('GET', path);
    return data.items.map(({ alias }) => alias).join() === 'EL-uh-ray';
  }, 'the entry is changed');
  expect(complaints).toEqual([]);
  await close();
});

test.each(['news/4711', '100% wahr', 'a b+c', '%2F..%C3', 'ä/🎧 ?x=1&y#z'])(
  'a post with the id %p has its page',
  async (postId) => {
    await submit(users.editor, postId);
    const { page, complaints, close } = await openPost(postId, users.editor);
    await page.getByRole('heading', { name: postId, level: 1, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit text' }).click();
    await page.getByText('3 sentences · about').waitFor();
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe(article);
    expect(complaints).toEqual([]);
    await close();
  },
);

test('a public post plays while it is generated, and playback continues when it is ready', async () => {
  await pauseQueue(users.admin, true);
  await submit(users.editor, 'early', { post_title: 'Early', content: article.repeat(12) });
  const { page, complaints, close } = await openPost('early', users.viewer);
  await page.getByText('Waiting in the queue').waitFor();
  await page.locator('lectern-player[post-id="early"]').waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.locator('lectern-player').getByRole('button', { name: 'Pause' }).waitFor();
  await pauseQueue(users.admin, false);
  await page.getByRole('article').getByText('Come soon.').first().waitFor();
  // One player, which is playing.
  expect(await page.locator('lectern-player').count()).toBe(1);
  expect(await page.locator('lectern-player').getAttribute('post-id')).toBe('early');
  expect(complaints).toEqual([]);
  await close();
});

test('a post without speakable text links to its text, and can be dismissed', async () => {
  await submit(users.editor, 'silent', { content: silence });
  await server.waitUntilFinished('silent');
  const { page, close } = await openPost('silent', users.editor);
  await page.getByText('This post has no audio.').waitFor();
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'No audio needed' }).click();
  await page.getByText('No audio needed.').waitFor();
  const { data } = await users.editor.request<{ counts: { failed: number } }>('GET', `${sitePath}/posts?q=silent`);
  expect(data.counts.failed).toBe(0);
  await close();
});

test('a failure with a temporary reason can be retried', async () => {
  await submit(users.editor, 'again');
  const { id } = await server.waitUntilFinished('again');
  changeRows(
    server.data,
    "update audio set status = 'failed', error = 'The voice failed', error_code = 'voice' where id = ?",
    id,
  );
  const { page, close } = await openPost('again', users.editor);
  await page.getByText('The voice failed.').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('3 of 3 sentences are spoken').waitFor();
  await page.getByText('This post has no audio.').waitFor({ state: 'detached' });
  await close();
});

test('a post whose requested voice is missing shows the voice that replaces it', async () => {
  await submit(users.editor, 'successor');
  const { id } = await server.waitUntilFinished('successor');
  changeRows(server.data, 'update audio set voice_replaced = 1 where id = ?', id);
  const { page, close } = await openPost('successor', users.editor);
  await page.getByText(/The requested voice is no longer installed: \w+ speaks this post instead/).waitFor();
  await close();
});

test('a post opens in the language of the site, with a title for each', async () => {
  await submit(users.editor, 'two', { post_title: 'Two languages' });
  await submit(users.editor, 'two', { post_title: 'Zwei Sprachen', content: german, language: 'de' });
  await server.waitUntilFinished('two');
  const { page, complaints, close } = await openPost('two', users.editor);
  await page.getByRole('heading', { name: 'Two languages', level: 1 }).waitFor();
  await page.getByRole('radio', { name: 'German' }).check();
  await page.getByRole('heading', { name: 'Zwei Sprachen', level: 1 }).waitFor();
  await page.getByRole('article').getByText('Der Leuchtturm ist wieder offen.').waitFor();

  await page.locator('.page-head').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete German audio' }).click();
  await page.getByRole('heading', { name: 'Two languages', level: 1 }).waitFor();
  expect(await page.getByText('German', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('radio', { name: 'German' }).check();
  await page.getByRole('heading', { name: 'Zwei Sprachen', level: 1 }).waitFor();
  await page.getByRole('article').getByText('Der Leuchtturm ist wieder offen.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

const german = '<p>Der Leuchtturm ist wieder offen. Mehr als tausend Menschen kamen am ersten Tag.</p>';

test('settings can be changed, a post hidden, regenerated, deleted and restored with Undo', async () => {
  await submit(users.editor, 'care/1', { post_title: 'Cared for' });
  const { audio_url: firstUrl } = await server.waitUntilFinished('care/1');
  const { page, complaints, close } = await openPost('care/1', users.editor);
  const choose = async (name: string) => {
    await page.locator('.page-head').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await page.getByText('4 of 4 sentences are spoken').waitFor();
  await choose('Settings');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await settings.getByLabel('Article URL').fill('ftp://paper.example');
  await settings.getByRole('button', { name: 'Save' }).click();
  await settings.getByText('must be an http(s) URL').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await settings.getByLabel('Article URL').fill('https://paper.example/care');
  await settings.getByLabel('Publish at').fill('2100-01-02T03:04');
  await settings.getByRole('button', { name: 'Save' }).click();
  await page.getByText('scheduled for Jan 2, 2100').waitFor();
  await page.getByRole('link', { name: 'paper.example/care' }).waitFor();

  await choose('Make private');
  await page.getByText('The post is private').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('scheduled for Jan 2, 2100').waitFor();
  const post = await eventually(async () => {
    const { data } = await users.editor.request<PostDetail>('GET', `${sitePath}/posts/care%2F1`);
    return data.visibility === 'public' && data;
  }, 'the post is public again');
  expect(post.url).toBe('https://paper.example/care');

  const { audio_url: hiddenUrl } = await server.waitUntilFinished('care/1');
  await choose('Regenerate');
  const { audio_url: lastUrl } = await waitForNewVersion('care/1', hiddenUrl);
  await page.locator(`lectern-player[audio-url="${lastUrl}"]`).waitFor();

  await choose('Delete post');
  await page.getByText('Post deleted').waitFor();
  await page.getByRole('heading', { name: 'Posts', level: 1 }).waitFor();
  expect((await users.editor.request('GET', `${sitePath}/posts/care%2F1`)).status).toBe(404);
  // Its URL changed when the post stopped being public.
  expect((await fetch(firstUrl ?? '')).status).toBe(404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Cared for', level: 1 }).waitFor();
  await page.getByText('4 of 4 sentences are spoken').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('every voice of a post can be played and has its certificate', async () => {
  const { data: site } = await users.admin.request<{ id: number; slug: string }>('POST', '/v1/sites', {
    name: 'Two voices',
    domains: ['two.example'],
    plan: 'enterprise',
  });
  const path = `/v1/sites/${site.id}`;
  await users.admin.request('PATCH', `${path}/voices`, { allow_switch: true, extra_voices: [2] });
  await users.admin.request('POST', `${path}/posts`, { post_id: 'both', content: article });
  await eventually(async () => {
    const { data } = await users.admin.request<PostDetail>('GET', `${path}/posts/both`);
    return data.audio.length === 2 && data.audio.every(({ status }) => status === 'ready');
  }, 'the further voice is there');
  const { page, complaints, close } = await open(users.admin, `/sites/${site.slug}/posts/both`);
  await page.getByRole('radio', { name: 'Cedar' }).check();
  await page.getByText('3 of 3 sentences are spoken').waitFor();
  await page.getByRole('button', { name: 'Certificate' }).click();
  await page.getByText('Cedar · Apache License 2.0').waitFor();
  await page.keyboard.press('Escape');
  // Without the certificate the page shows no provenance.
  await page.route(/certificate\?/, (route) =>
    route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"Busy"}' }),
  );
  await page.reload();
  await page.getByText('Busy').waitFor();
  expect(await page.getByText('has no certificate').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a viewer plays and reads a post without controls that change it', async () => {
  await submit(users.editor, 'seen', { post_title: 'Seen' });
  await submit(users.editor, 'mute', { content: silence });
  await server.waitUntilFinished('seen');
  const { page, go, close } = await openPost('seen', users.viewer);
  await page.getByText('4 of 4 sentences are spoken').waitFor();
  await select(page, 'Ellery');
  expect(await page.getByRole('dialog').count()).toBe(0);
  const changing = page.getByRole('main').getByRole('button', { name: /retry|regenerate|delete|needed|edit/i });
  expect(await changing.count()).toBe(0);
  expect(await page.locator('.page-head').getByRole('button').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Edit text' }).count()).toBe(0);
  await go(`/sites/${slug}/posts/mute`);
  await page.getByText('This post has no audio.').waitFor();
  expect(await changing.count()).toBe(0);
  await go(`/sites/${slug}/new`);
  await page.getByText('Creating posts requires the editor role').waitFor();
  await go(`/sites/${slug}/posts/seen/edit/en`);
  await page.getByText('Editing text requires the editor role').waitFor();
  await go(`/sites/${slug}/posts/nowhere`);
  await page.getByText('Post not found').waitFor();
  await close();
});

function submit(user: SiteUser, postId: string, more: object = {}) {
  return user.request('POST', `${sitePath}/posts`, { post_id: postId, content: article, ...more });
}

function openPost(postId: string, user: SiteUser) {
  const part = encodeURIComponent(encodeURIComponent(postId));
  return open(user, `/sites/${slug}/posts/${part}`);
}

/** Selects a word of the transcript with a double click, which also plays from its sentence. */
async function select(page: Page, word: string): Promise<void> {
  await page
    .getByRole('article')
    .getByText(word)
    .evaluate((sentence, name) => {
      const text = sentence.firstChild as Text;
      const at = text.data.indexOf(name);
      getSelection()?.setBaseAndExtent(text, at, text, at + name.length);
      sentence.dispatchEvent(new MouseEvent('mouseup', { bubbles: true }));
    }, word);
}

/** @returns the record when its MP3 has changed */
async function waitForNewVersion(postId: string, before: string | null) {
  return eventually(async () => {
    const record = await server.waitUntilFinished(postId);
    return record.audio_url === before ? undefined : record;
  }, 'another MP3');
}
