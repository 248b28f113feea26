import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { addDays, startOfDay } from '../clock.ts';
import { fromColumns, toColumns } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import type { AuditEntry } from '../database/schema.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { PageQuery, pageSchema, paginateById } from '../http/pagination.ts';
import { parseId, validateDay } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { diffStates, insertAuditEntry, listAuditEntries } from './audit-log.ts';
import {
  AuditQuery,
  AuditRecord,
  CreateUserBody,
  exampleUser,
  InstallationChanges,
  InstallationSettings,
  InviteUserBody,
  PasswordLink,
  UpdateUserBody,
  UserParams,
  UserRecord,
} from './schema.ts';
import { createPasswordLink, inviteUser } from './sign-in.ts';
import {
  createUser,
  deleteUser,
  findUser,
  listUsers,
  restoreUser,
  type SiteRoleAssignment,
  toUserRecord,
  updateUser,
} from './users.ts';

const shared = { tag: 'Users', access: 'session', role: 'admin', maxBodyBytes: 200_000 } as const;

const listSpec = endpointSpec({
  ...shared,
  summary: 'List users',
  query: PageQuery,
  responses: reply(200, 'OK', 'A page of users, ordered by id', pageSchema(UserRecord)),
});

const createSpec = endpointSpec({
  ...shared,
  summary: 'Create a user',
  body: CreateUserBody,
  bodyExample: {
    email: 'editor@example.org',
    password: 'correct horse battery staple',
    role: 'member',
    sites: [{ site: 'the-daily-example', role: 'editor' }],
  },
  responses: reply(201, 'User created', 'User created', UserRecord, {
    example: { ...exampleUser, last_sign_in_at: null },
  }),
  errors: ['conflict', 'busy'],
});

const inviteSpec = endpointSpec({
  ...shared,
  summary: 'Invite a user',
  description:
    'Creates a user without a password, and a link by which they choose one. It works once, for three days. For a new link use `reset-link`; to withdraw it, delete the user.',
  body: InviteUserBody,
  bodyExample: { email: 'editor@example.org', sites: [{ site: 'the-daily-example', role: 'editor' }] },
  responses: reply(201, 'User invited', 'The link. Pass it on to the user', PasswordLink),
  errors: ['conflict'],
});

const resetLinkSpec = endpointSpec({
  ...shared,
  summary: 'Create a link by which a user chooses a new password',
  description:
    'Replaces an earlier link. Sessions end when the user chooses a password. For an invited user it is an invitation.',
  params: UserParams,
  responses: reply(201, 'Link created', 'The link. Pass it on to the user', PasswordLink, {
    example: {
      ...{ user: { id: 2, email: 'editor@example.org' }, kind: 'reset' },
      url: 'https://audio.example.org/#reset=Jt0eXr5vPq8cLw2nYb7mKd4sUf9hGa1iZo3xTjRyBkE',
      expires_at: '2026-11-05T08:15:00.000Z',
    },
  }),
  errors: ['conflict'],
});

const showSpec = endpointSpec({
  ...shared,
  summary: 'Get a user',
  params: UserParams,
  responses: reply(200, 'OK', 'The user', UserRecord),
});

const changeSpec = endpointSpec({
  ...shared,
  summary: 'Update a user',
  description:
    'Setting `password` or `disabled` ends all sessions of the user. The last admin cannot be demoted or disabled.',
  params: UserParams,
  body: UpdateUserBody,
  bodyExample: { disabled: true },
  responses: reply(200, 'User changed', 'User updated', UserRecord, { example: { ...exampleUser, disabled: true } }),
  errors: ['conflict'],
});

const removeSpec = endpointSpec({
  ...shared,
  summary: 'Delete a user',
  description:
    'Ends all sessions of the user. For a minute, `…/restore` undoes it, unless another user gets the address. Audit log entries stay. The last admin cannot be deleted.',
  params: UserParams,
  responses: reply(200, 'User removed', 'User deleted', Type.Object({ id: Type.Integer() }), { example: { id: 2 } }),
  errors: ['conflict'],
});

const restoreSpec = endpointSpec({
  ...shared,
  summary: 'Undo the deletion of a user',
  description: 'Within a minute. The user has the same password, roles and drafts, and signs in again.',
  params: UserParams,
  responses: reply(200, 'User restored', 'The user', UserRecord),
});

/** @throws AppError `not_found` */
type FindSite = (db: Queries, idOrSlug: string) => Promise<{ readonly id: number }>;

export function userRoutes({ endpoint, database, passwords, baseUrl }: Services, findSite: FindSite) {
  return new Elysia({ name: 'users', prefix: '/v1/users' })
    .get(
      '',
      ...endpoint(listSpec, ({ query }) =>
        paginateById(
          query,
          (after = 0, limit) => listUsers(database.read, { after, limit }),
          (users) => users.map(toUserRecord),
        ),
      ),
    )
    .post(
      '',
      ...endpoint(createSpec, async ({ user: admin, body }) => {
        const passwordHash = await passwords.hash(body.password);
        const user = await database.write('server', async (db) =>
          createUser(db, admin.id, {
            email: body.email,
            passwordHash,
            role: body.role ?? 'member',
            siteRoles: await resolveSiteRoles(db, findSite, body.sites ?? []),
          }),
        );
        return toUserRecord(user);
      }),
    )
    .post(
      '/invitations',
      ...endpoint(inviteSpec, ({ user: admin, body: { email, role = 'member', sites = [] } }) =>
        database.write('server', async (db) => {
          const siteRoles = await resolveSiteRoles(db, findSite, sites);
          return inviteUser(db, admin.id, { email, role, siteRoles }, baseUrl);
        }),
      ),
    )
    .post(
      '/:id/reset-link',
      ...endpoint(resetLinkSpec, async ({ user: admin, params }) => {
        const id = parseId(params.id, 'User');
        return database.write('server', (db) => createPasswordLink(db, admin.id, id, baseUrl));
      }),
    )
    .get(
      '/:id',
      ...endpoint(showSpec, async ({ params }) => {
        const user = await findUser(database.read, parseId(params.id, 'User'));
        if (user === undefined) throw notFound('User', params.id);
        return toUserRecord(user);
      }),
    )
    .patch(
      '/:id',
      ...endpoint(changeSpec, async ({ user: admin, params, body: { password, sites, email, role, disabled } }) => {
        const passwordHash = password === undefined ? undefined : await passwords.hash(password);
        const user = await database.write('server', async (db) => {
          const siteRoles = sites === undefined ? undefined : await resolveSiteRoles(db, findSite, sites);
          const changes = { email, role, disabled, siteRoles, passwordHash };
          return updateUser(db, admin.id, parseId(params.id, 'User'), changes);
        });
        return toUserRecord(user);
      }),
    )
    .delete(
      '/:id',
      ...endpoint(removeSpec, async ({ user: admin, params }) => {
        const id = parseId(params.id, 'User');
        await database.write('server', (db) => deleteUser(db, admin.id, id));
        return { id };
      }),
    )
    .post(
      '/:id/restore',
      ...endpoint(restoreSpec, async ({ user: admin, params }) => {
        const id = parseId(params.id, 'User');
        return toUserRecord(await database.write('server', (db) => restoreUser(db, admin.id, id)));
      }),
    );
}

type SiteRoleList = NonNullable<Static<typeof CreateUserBody>['sites']>;

/** @throws AppError `validation_failed` naming every site that does not exist */
async function resolveSiteRoles(db: Queries, findSite: FindSite, list: SiteRoleList): Promise<SiteRoleAssignment[]> {
  const siteRoles: SiteRoleAssignment[] = [];
  const problems: string[] = [];
  for (const { site, role } of list) {
    try {
      siteRoles.push({ siteId: (await findSite(db, String(site))).id, role });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 0) return siteRoles;
  throw invalid('sites', ...problems);
}

const auditSpec = endpointSpec({
  summary: 'List audit log entries',
  description:
    'Newest first. Admins see all entries; editors see those of a site with `site`. Entries contain no secrets.',
  tag: 'Users',
  access: 'session',
  role: 'admin',
  siteQueryRole: 'editor',
  query: AuditQuery,
  responses: reply(200, 'OK', 'A page of audit log entries', pageSchema(AuditRecord), {
    example: {
      items: [
        {
          id: 7,
          at: '2026-11-02T08:15:00.000Z',
          user_id: 1,
          actor: 'admin@example.org',
          action: 'user.changed',
          site_id: null,
          subject: 'editor@example.org',
          before: { disabled: false },
          after: { disabled: true },
        },
      ],
      next_cursor: null,
    },
  }),
  errors: ['not_found'],
});

export function auditRoutes({ endpoint, database, config }: Services) {
  return new Elysia({ name: 'audit', prefix: '/v1/audit' }).get(
    '',
    ...endpoint(auditSpec, async ({ site, query }) => {
      const { actor, action, from, to } = query;
      const timeZone = site?.time_zone ?? config.timeZone;
      const startOf = (field: string, day: string | undefined, daysLater = 0): string | undefined => {
        if (day === undefined) return undefined;
        validateDay(field, day);
        // Later years do not sort as text.
        return day >= '9999' ? day : startOfDay(addDays(day, daysLater), timeZone);
      };
      const filter = { siteId: site?.id, actor, action, from: startOf('from', from), to: startOf('to', to, 1) };
      return paginateById(
        query,
        (before, limit) => listAuditEntries(database.read, { ...filter, before, limit }),
        (entries) => entries.map(toAuditRecord),
      );
    }),
  );
}

function toAuditRecord({ before, after, ...entry }: AuditEntry): AuditRecord {
  return { ...entry, before: parseNullableJson(before), after: parseNullableJson(after) };
}

function parseNullableJson(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}

export async function getInstallationSettings(db: Queries): Promise<InstallationSettings> {
  return fromColumns(InstallationSettings, await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow());
}

/**
 * Run it in a transaction.
 * @param changes undefined members stay
 */
async function updateInstallationSettings(
  db: Queries,
  userId: number | null,
  changes: Partial<InstallationSettings>,
): Promise<InstallationSettings> {
  const before = await getInstallationSettings(db);
  const columns = toColumns(InstallationSettings, changes);
  if (Object.keys(columns).length > 0) await db.updateTable('installation').set(columns).execute();
  const after = await getInstallationSettings(db);
  const changed = diffStates(before, after);
  if (changed !== undefined) await insertAuditEntry(db, { userId, action: 'settings.updated', ...changed });
  return after;
}

const settingsAccess = { tag: 'System', access: 'session', role: 'admin' } as const;

const showSettingsSpec = endpointSpec({
  ...settingsAccess,
  summary: 'Get the settings of the installation',
  description: 'Every user finds them in `GET /v1/me`.',
  responses: reply(200, 'OK', 'The settings', InstallationSettings),
});

const updateSettingsSpec = endpointSpec({
  ...settingsAccess,
  summary: 'Update the settings of the installation',
  body: InstallationChanges,
  bodyExample: { show_plans: true },
  responses: reply(200, 'Settings updated', 'The updated settings', InstallationSettings, {
    example: { show_plans: true },
  }),
});

/** What an admin sets in the dashboard for all sites; settings of the process are in its configuration. */
export function installationSettingsRoutes({ endpoint, database }: Services) {
  return new Elysia({ name: 'settings of the installation', prefix: '/v1/settings' })
    .get('', ...endpoint(showSettingsSpec, () => getInstallationSettings(database.read)))
    .patch(
      '',
      ...endpoint(updateSettingsSpec, ({ user, body }) =>
        database.write('server', (db) => updateInstallationSettings(db, user.id, body)),
      ),
    );
}
