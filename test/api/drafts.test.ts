import { expect, test } from 'bun:test';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, startServerForFile, startTestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { readRows } from './stored-rows.ts';

interface Draft {
  key: string;
  updated_at: string;
  fields: Record<string, unknown>;
}

const server = await startServerForFile();
const users = createSiteUsers(server, server.siteId);
const drafts = `/v1/sites/${server.siteId}/drafts`;

const getDraftPath = (key: string) => `${drafts}/${encodeURIComponent(key)}`;

test('a draft is stored as last saved, per user and site', async () => {
  const { editor, admin } = users;
  const fields = {
    post_title: 'Harbor',
    content: '<p>Unfinished',
    options: { visibility: 'private' },
    tags: [1, null],
  };
  expect((await editor.request('GET', getDraftPath('new'))).status).toBe(404);
  const saved = await editor.request<Draft>('PUT', getDraftPath('new'), { fields: { post_title: 'H' } });
  expect([saved.status, saved.message, saved.data.key]).toEqual([200, 'Draft saved', 'new']);
  const again = await editor.request<Draft>('PUT', getDraftPath('new'), { fields });
  expect(again.data.updated_at >= saved.data.updated_at).toBe(true);
  expect((await editor.request<Draft>('GET', getDraftPath('new'))).data).toEqual({ ...again.data, fields });

  await editor.request('PUT', getDraftPath('news/4711: a'), { fields: {} });
  const { data } = await editor.request<{ items: Draft[] }>('GET', drafts);
  expect(data.items.map(({ key }) => key).sort()).toEqual(['new', 'news/4711: a']);
  expect((await admin.request<{ items: Draft[] }>('GET', drafts)).data.items).toEqual([]);
  expect((await admin.request('GET', getDraftPath('new'))).status).toBe(404);
  const { siteId } = await createSite(server.data);
  await admin.request('PUT', getDraftPath('new'), { fields: {} });
  expect((await admin.request('GET', `/v1/sites/${siteId}/drafts/new`)).status).toBe(404);

  expect((await editor.request('DELETE', getDraftPath('new'))).status).toBe(200);
  expect((await editor.request('DELETE', getDraftPath('new'))).status).toBe(200);
  expect((await editor.request('GET', getDraftPath('new'))).status).toBe(404);
  expect((await admin.request('GET', getDraftPath('new'))).status).toBe(200);
});

test('drafts require the role editor, an object, and at most the size of an article', async () => {
  for (const method of ['PUT', 'GET', 'DELETE']) {
    const body = method === 'PUT' ? { fields: {} } : undefined;
    const statuses = await collectStatuses(users, (user) => user.request(method, getDraftPath('mine'), body));
    const [anonymous, outsider, viewer, ...others] = statuses;
    expect([method, anonymous, outsider, viewer]).toEqual([method, 401, 404, 403]);
    if (method !== 'GET') expect(others).toEqual([200, 200]);
  }
  for (const body of [{}, { fields: 'text' }, { fields: [] }]) {
    expect((await users.editor.request('PUT', getDraftPath('new'), body)).status).toBe(422);
  }
  const long = { fields: { content: 'x'.repeat(400_000) } };
  expect((await users.editor.request('PUT', getDraftPath('long'), long)).status).toBe(200);
  const buildNested = (levels: number) => `{"fields": ${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}}`;
  for (const [levels, status] of [
    [50, 200],
    [51, 422],
    [60_000, 422],
  ] as const) {
    const headers = { 'content-type': 'application/json' };
    const response = await users.editor.fetch(getDraftPath('deep'), {
      method: 'PUT',
      headers,
      body: buildNested(levels),
    });
    expect([levels, response.status]).toEqual([levels, status]);
  }
  const tooLong = { fields: { content: 'x'.repeat(8_000_000) } };
  expect((await users.editor.request('PUT', getDraftPath('long'), tooLong)).status).toBe(413);
});

test('a user can have at most a hundred drafts on a site', async () => {
  const { siteId } = await createSite(server.data);
  const { editor } = createSiteUsers(server, siteId);
  const save = (key: string) => editor.request('PUT', `/v1/sites/${siteId}/drafts/${key}`, { fields: {} });
  for (let index = 0; index < 100; index += 1) expect((await save(`draft-${index}`)).status).toBe(200);
  expect((await save('one-more')).status).toBe(409);
  expect((await save('draft-7')).status).toBe(200);
});

test('drafts are deleted when the deletion of their user can no longer be undone, and 30 days after the last change', async () => {
  const listKeys = () =>
    readRows<{ key: string }>(other.data, 'select key from draft order by key').map(({ key }) => key);
  let other = await startTestServer();
  try {
    const { editor, admin } = createSiteUsers(other, other.siteId);
    const save = (user: typeof editor, key: string) =>
      user.request('PUT', `/v1/sites/${other.siteId}/drafts/${key}`, { fields: {} });
    for (const key of ['old', 'recent']) await save(admin, key);
    await save(editor, 'leaving');
    await admin.request('DELETE', `/v1/users/${editor.id}`);
    expect(listKeys()).toEqual(['leaving', 'old', 'recent']);
    changeRows(other.data, 'update "user" set deleted_at = ? where deleted_at is not null', new Date(0).toISOString());
    const setAge = (key: string, days: number) =>
      changeRows(
        other.data,
        'update draft set updated_at = ? where key = ?',
        new Date(Date.now() - days * 86_400_000).toISOString(),
        key,
      );
    setAge('old', 31);
    setAge('recent', 29);
    const { data } = other;
    await other.stop();
    other = await startTestServer({ data });
    await eventually(() => listKeys().length === 1, 'one draft');
    expect(listKeys()).toEqual(['recent']);
  } finally {
    await other.stop('SIGKILL');
  }
});
