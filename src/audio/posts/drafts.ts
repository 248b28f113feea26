import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Jobs } from '../../background.ts';
import { daysAgo, hourMs, timestamp } from '../../clock.ts';
import type { Database, Queries } from '../../database/database.ts';
import { AppError, invalid, notFound } from '../../errors.ts';
import { endpointSpec, reply } from '../../http/endpoint.ts';
import type { Services } from '../../services.ts';
import { SiteParams } from '../../sites/schema.ts';

export interface DraftOwner {
  readonly userId: number;
  readonly siteId: number;
}

/** Of one user on one site. */
const maxDrafts = 100;
const retentionDays = 30;
const purgeIntervalMs = hourMs;
const purgeDelayMs = 1_000;

function selectDrafts(db: Queries, { userId, siteId }: DraftOwner) {
  return db.selectFrom('draft').where('user_id', '=', userId).where('site_id', '=', siteId);
}

/** @returns the newest first */
function listDrafts(db: Queries, owner: DraftOwner) {
  return selectDrafts(db, owner).select(['key', 'updated_at']).orderBy('updated_at', 'desc').orderBy('key').execute();
}

/** @throws AppError `not_found` */
async function findDraft(db: Queries, owner: DraftOwner, key: string) {
  const draft = await selectDrafts(db, owner)
    .select(['key', 'fields', 'updated_at'])
    .where('key', '=', key)
    .executeTakeFirst();
  if (draft === undefined) throw notFound('Draft', key);
  return draft;
}

/**
 * The last write wins. Run it in a transaction.
 * @param fields JSON
 * @returns the time of the change
 * @throws AppError `conflict` when the user has too many
 */
async function saveDraft(db: Queries, owner: DraftOwner, key: string, fields: string): Promise<string> {
  const drafts = await listDrafts(db, owner);
  if (drafts.length >= maxDrafts && !drafts.some((draft) => draft.key === key)) {
    throw new AppError(
      'conflict',
      `Draft not saved: a user can have at most ${maxDrafts} on a site. Delete one first.`,
    );
  }
  const row = { fields, updated_at: timestamp() };
  await db
    .insertInto('draft')
    .values({ user_id: owner.userId, site_id: owner.siteId, key, ...row })
    .onConflict((conflict) => conflict.columns(['user_id', 'site_id', 'key']).doUpdateSet(row))
    .execute();
  return row.updated_at;
}

async function deleteDraft(db: Queries, { userId, siteId }: DraftOwner, key: string): Promise<void> {
  await db
    .deleteFrom('draft')
    .where('user_id', '=', userId)
    .where('site_id', '=', siteId)
    .where('key', '=', key)
    .execute();
}

/** Deletes drafts that were not changed for 30 days. */
export function startDraftPurge(database: Database, jobs: Jobs): void {
  jobs.every('purging drafts', { intervalMs: purgeIntervalMs, delayMs: purgeDelayMs }, async () => {
    const before = daysAgo(retentionDays);
    const isOld = database.read.selectFrom('draft').select('key').where('updated_at', '<', before).limit(1);
    if ((await isOld.executeTakeFirst()) === undefined) return;
    await database.write('server', (db) => db.deleteFrom('draft').where('updated_at', '<', before).execute());
  });
}

const DraftParams = Type.Object({
  ...SiteParams.properties,
  key: Type.String({ description: '`new`, or the `post_id` of the post that is edited' }),
});
const maxDepth = 50;
const Fields = Type.Record(Type.String(), Type.Unknown(), {
  description: `What the user has typed, as the client likes; nested at most ${maxDepth} levels`,
});
const entry = {
  key: Type.String(),
  updated_at: Type.String({ description: 'Time of the last change; 30 days later the draft is deleted' }),
};
const Draft = Type.Object({ ...entry, fields: Fields }, { title: 'Draft' });
const DraftEntry = Type.Object(entry);

const exampleEntry = { key: 'new', updated_at: '2026-11-21T13:02:00.000Z' };
const exampleFields = { post_title: 'Harbor town reopens its lighthouse', content: '<p>The lighthouse of Port' };

const shared = { tag: 'Posts', access: 'session', role: 'editor' } as const;

const listSpec = endpointSpec({
  ...shared,
  summary: 'List your drafts',
  description: 'Of the current user on this site, the last changed first.',
  params: SiteParams,
  responses: reply(200, 'OK', 'The drafts without their fields', Type.Object({ items: Type.Array(DraftEntry) }), {
    example: { items: [exampleEntry] },
  }),
});

const showSpec = endpointSpec({
  ...shared,
  summary: 'Get a draft',
  params: DraftParams,
  responses: reply(200, 'OK', 'The draft', Draft, { example: { ...exampleEntry, fields: exampleFields } }),
});

const saveSpec = endpointSpec({
  ...shared,
  summary: 'Save a draft',
  description: 'Replaces an earlier one: the last request wins. Nobody else sees it.',
  params: DraftParams,
  body: Type.Object({ fields: Fields }),
  bodyExample: { fields: exampleFields },
  maxBodyBytes: 'article',
  responses: reply(200, 'Draft saved', 'Time of the change', DraftEntry, { example: exampleEntry }),
  errors: ['conflict', 'disk_space_low'],
});

const deleteSpec = endpointSpec({
  ...shared,
  summary: 'Delete a draft',
  description: 'Succeeds if there is none, too.',
  params: DraftParams,
  responses: reply(200, 'Draft deleted', 'There is no such draft any more', Type.Object({ key: Type.String() }), {
    example: { key: 'new' },
  }),
});

/** What users have typed into the editor and not submitted yet. */
export function draftRoutes({ endpoint, database, diskSpace }: Services) {
  return new Elysia({ name: 'drafts', prefix: '/v1/sites/:site/drafts' })
    .get(
      '',
      ...endpoint(listSpec, async ({ user, site }) => ({
        items: await listDrafts(database.read, { userId: user.id, siteId: site.id }),
      })),
    )
    .get(
      '/:key',
      ...endpoint(showSpec, async ({ user, site, params }) => {
        const draft = await findDraft(database.read, { userId: user.id, siteId: site.id }, params.key);
        return { ...draft, fields: JSON.parse(draft.fields) };
      }),
    )
    .put(
      '/:key',
      ...endpoint(saveSpec, async ({ user, site, params: { key }, body }) => {
        diskSpace.requireRoom('posts');
        if (isDeeperThan(maxDepth, body.fields)) throw invalid('fields', `must not nest more than ${maxDepth} levels`);
        const owner = { userId: user.id, siteId: site.id };
        const fields = JSON.stringify(body.fields);
        const updated_at = await database.write(site.id, (db) => saveDraft(db, owner, key, fields), { sync: 'normal' });
        return { key, updated_at };
      }),
    )
    .delete(
      '/:key',
      ...endpoint(deleteSpec, async ({ user, site, params: { key } }) => {
        await database.write(site.id, (db) => deleteDraft(db, { userId: user.id, siteId: site.id }, key));
        return { key };
      }),
    );
}

/** JSON is written by recursion: a deeper value could be read, but not written. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}
