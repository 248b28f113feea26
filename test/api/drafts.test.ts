import { expect, test } from 'bun:test';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { peopleOf, statusesFor } from '../fixtures/people.ts';
import { createSite, startServerForFile, startTestServer } from '../fixtures/server.ts';
import { storedRows } from './stored-rows.ts';

interface Draft {
  key: string;
  updated_at: string;
  fields: Record<string, unknown>;
}

const server = await startServerForFile();
const people = peopleOf(server, server.siteId);
const drafts = `/v1/sites/${server.siteId}/drafts`;

const pathOf = (key: string) => `${drafts}/${encodeURIComponent(key)}`;

test('a draft is stored as last saved, per user and site', async () => {
  const { editor, admin } = people;
  const fields = {
    post_title: 'Harbor',
    content: '<p>Unfinished',
    options: { visibility: 'private' },
    tags: [1, null],
  };
  expect((await editor.request('GET', pathOf('new'))).status).toBe(404);
  const saved = await editor.request<Draft>('PUT', pathOf('new'), { fields: { post_title: 'H' } });
  expect([saved.status, saved.message, saved.data.key]).toEqual([200, 'Draft saved', 'new']);
  const again = await editor.request<Draft>('PUT', pathOf('new'), { fields });
  expect(again.data.updated_at >= saved.data.updated_at).toBe(true);
  expect((await editor.request<Draft>('GET', pathOf('new'))).data).toEqual({ ...again.data, fields });

  await editor.request('PUT', pathOf('news/4711: a'), { fields: {} });
  const { data } = await editor.request<{ items: Draft[] }>('GET', drafts);
  expect(data.items.map(({ key }) => key).sort()).toEqual(['new', 'news/4711: a']);
  expect((await admin.request<{ items: Draft[] }>('GET', drafts)).data.items).toEqual([]);
  expect((await admin.request('GET', pathOf('new'))).status).toBe(404);
  const { siteId } = await createSite(server.data);
  await admin.request('PUT', pathOf('new'), { fields: {} });
  expect((await admin.request('GET', `/v1/sites/${siteId}/drafts/new`)).status).toBe(404);

  expect((await editor.request('DELETE', pathOf('new'))).status).toBe(200);
  expect((await editor.request('DELETE', pathOf('new'))).status).toBe(200);
  expect((await editor.request('GET', pathOf('new'))).status).toBe(404);
  expect((await admin.request('GET', pathOf('new'))).status).toBe(200);
});

test('drafts require the role editor, an object, and at most the size of an article', async () => {
  for (const method of ['PUT', 'GET', 'DELETE']) {
    const body = method === 'PUT' ? { fields: {} } : undefined;
    const statuses = await statusesFor(people, (user) => user.request(method, pathOf('mine'), body));
    const [nobody, foreigner, viewer, ...others] = statuses;
    expect([method, nobody, foreigner, viewer]).toEqual([method, 401, 404, 403]);
    if (method !== 'GET') expect(others).toEqual([200, 200]);
  }
  for (const body of [{}, { fields: 'text' }, { fields: [] }]) {
    expect((await people.editor.request('PUT', pathOf('new'), body)).status).toBe(422);
  }
  const long = { fields: { content: 'x'.repeat(400_000) } };
  expect((await people.editor.request('PUT', pathOf('long'), long)).status).toBe(200);
  const nest = (levels: number) => `{"fields": ${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}}`;
  for (const [levels, status] of [
    [50, 200],
    [51, 422],
    [60_000, 422],
  ] as const) {
    const headers = { 'content-type': 'application/json' };
    const answer = await people.editor.fetch(pathOf('deep'), { method: 'PUT', headers, body: nest(levels) });
    expect([levels, answer.status]).toEqual([levels, status]);
  }
  const tooLong = { fields: { content: 'x'.repeat(8_000_000) } };
  expect((await people.editor.request('PUT', pathOf('long'), tooLong)).status).toBe(413);
});

test('a user can have at most a hundred drafts on a site', async () => {
  const { siteId } = await createSite(server.data);
  const { editor } = peopleOf(server, siteId);
  const save = (key: string) => editor.request('PUT', `/v1/sites/${siteId}/drafts/${key}`, { fields: {} });
  for (let index = 0; index < 100; index += 1) expect((await save(`draft-${index}`)).status).toBe(200);
  expect((await save('one-more')).status).toBe(409);
  expect((await save('draft-7')).status).toBe(200);
});

test('drafts are deleted with their user, and 30 days after the last change', async () => {
  const keysOf = () =>
    storedRows<{ key: string }>(other.data, 'select key from draft order by key').map(({ key }) => key);
  let other = await startTestServer();
  try {
    const { editor, admin } = peopleOf(other, other.siteId);
    const save = (person: typeof editor, key: string) =>
      person.request('PUT', `/v1/sites/${other.siteId}/drafts/${key}`, { fields: {} });
    for (const key of ['old', 'recent']) await save(admin, key);
    await save(editor, 'leaving');
    await admin.request('DELETE', `/v1/users/${editor.id}`);
    expect(keysOf()).toEqual(['old', 'recent']);
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
    await eventually(() => keysOf().length === 1, 'one draft');
    expect(keysOf()).toEqual(['recent']);
  } finally {
    await other.stop('SIGKILL');
  }
});
