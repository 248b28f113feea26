import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { decodeCursor, PageQuery, pageSchema, paginate } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { parseId, parseQuery, validate } from '../http/validation.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import type { PasswordHasher } from './passwords.ts';
import { exampleUser } from './routes.ts';
import { CreateUserBody, UpdateUserBody, UserParams, UserRecord } from './schema.ts';
import type { RequireSession } from './sessions.ts';
import {
  createUser,
  deleteUser,
  findUser,
  listUsers,
  type SiteRoleAssignment,
  toUserRecord,
  updateUser,
} from './users.ts';

const maxBodyBytes = 200_000;

export interface UserDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
  readonly passwords: PasswordHasher;
  readonly findSite: (db: Queries, idOrSlug: string) => Promise<SiteWithDomains>;
}

const listOperation = endpointSpec({
  summary: 'List users',
  tag: 'Users',
  access: 'session',
  query: PageQuery,
  responses: {
    200: {
      description: 'A page of users, ordered by id',
      message: 'OK',
      data: pageSchema(UserRecord),
      example: { items: [exampleUser], next_cursor: null },
    },
  },
  errors: ['not_allowed'],
});

const createOperation = endpointSpec({
  summary: 'Create a user',
  tag: 'Users',
  access: 'session',
  body: CreateUserBody,
  bodyExample: {
    email: 'editor@example.org',
    password: 'correct horse battery staple',
    role: 'member',
    sites: [{ site: 'the-daily-example', role: 'editor' }],
  },
  responses: {
    201: {
      description: 'User created',
      message: 'User created',
      data: UserRecord,
      example: { ...exampleUser, last_sign_in_at: null },
    },
  },
  errors: ['not_allowed', 'conflict', 'busy'],
});

const showOperation = endpointSpec({
  summary: 'Get a user',
  tag: 'Users',
  access: 'session',
  params: UserParams,
  responses: {
    200: { description: 'The user', message: 'OK', data: UserRecord, example: exampleUser },
  },
  errors: ['not_allowed', 'not_found'],
});

const changeOperation = endpointSpec({
  summary: 'Update a user',
  description:
    'Setting `password` or `disabled` ends all sessions of the user. The last admin cannot be demoted or disabled.',
  tag: 'Users',
  access: 'session',
  params: UserParams,
  body: UpdateUserBody,
  bodyExample: { disabled: true },
  responses: {
    200: {
      description: 'User updated',
      message: 'User changed',
      data: UserRecord,
      example: { ...exampleUser, disabled: true },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict', 'busy'],
});

const removeOperation = endpointSpec({
  summary: 'Delete a user',
  description: 'Ends all sessions of the user. Audit log entries stay. The last admin cannot be deleted.',
  tag: 'Users',
  access: 'session',
  params: UserParams,
  responses: {
    200: {
      description: 'User deleted',
      message: 'User removed',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 2 },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** The accounts of an installation, for its admins. */
export function userRoutes({ database, requireSession, passwords, findSite }: UserDeps) {
  const membershipsOf = (db: Queries, parts: SiteRoleList) => resolveSiteRoles(db, findSite, parts);
  return new Elysia({ name: 'users', prefix: '/v1/users' })
    .get(
      '',
      async ({ request }) => {
        await requireSession.admin(request);
        const { limit, after } = decodeCursor(parseQuery(PageQuery, request), Type.Integer());
        const users = await listUsers(database.read, { limit: limit + 1, after: after ?? 0 });
        return envelope(
          'OK',
          paginate(users, limit, ({ id }) => id, toUserRecord),
        );
      },
      toEndpointHook(listOperation),
    )
    .post(
      '',
      async ({ request }) => {
        const admin = await requireSession.admin(request);
        const body = validate(CreateUserBody, await readJsonBody(request, maxBodyBytes));
        const passwordHash = await passwords.hash(body.password);
        const made = await database.write(async (db) =>
          createUser(db, admin.user.id, {
            email: body.email,
            passwordHash,
            role: body.role ?? 'member',
            siteRoles: await membershipsOf(db, body.sites ?? []),
          }),
        );
        return Response.json(envelope('User created', toUserRecord(made)), { status: 201 });
      },
      toEndpointHook(createOperation),
    )
    .get(
      '/:id',
      async ({ request, params }) => {
        await requireSession.admin(request);
        const user = await findUser(database.read, parseId(params.id, userNotFoundError));
        if (user === undefined) throw userNotFoundError(params.id);
        return envelope('OK', toUserRecord(user));
      },
      toEndpointHook(showOperation),
    )
    .patch(
      '/:id',
      async ({ request, params }) => {
        const admin = await requireSession.admin(request);
        const { password, sites, ...changes } = validate(UpdateUserBody, await readJsonBody(request, maxBodyBytes));
        const passwordHash = password === undefined ? undefined : await passwords.hash(password);
        const changed = await database.write(async (db) => {
          const memberships = sites === undefined ? undefined : await membershipsOf(db, sites);
          const { email, role, disabled } = changes;
          return updateUser(db, admin.user.id, parseId(params.id, userNotFoundError), {
            ...{ email, role, disabled, siteRoles: memberships, passwordHash },
          });
        });
        return envelope('User changed', toUserRecord(changed));
      },
      toEndpointHook(changeOperation),
    )
    .delete(
      '/:id',
      async ({ request, params }) => {
        const admin = await requireSession.admin(request);
        const id = parseId(params.id, userNotFoundError);
        await database.write((db) => deleteUser(db, admin.user.id, id));
        return envelope('User removed', { id });
      },
      toEndpointHook(removeOperation),
    );
}

type SiteRoleList = NonNullable<Static<typeof CreateUserBody>['sites']>;

/** @throws AppError `validation_failed` naming every site that there isn't */
async function resolveSiteRoles(
  db: Queries,
  findSite: UserDeps['findSite'],
  parts: SiteRoleList,
): Promise<SiteRoleAssignment[]> {
  const memberships: SiteRoleAssignment[] = [];
  const problems: string[] = [];
  for (const { site, role } of parts) {
    try {
      memberships.push({ siteId: (await findSite(db, String(site))).id, role });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 0) return memberships;
  throw new AppError('validation_failed', 'Validation failed', { sites: problems });
}

function userNotFoundError(param: string): AppError {
  return new AppError('not_found', `User ${param} not found`);
}
