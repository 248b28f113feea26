import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { PageQuery, pageFrom, pageOf, startOfPage } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { idIn, readQuery, validate } from '../http/validation.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import type { Passwords } from './passwords.ts';
import { exampleUser } from './routes.ts';
import { NewUserBody, UserChangesBody, UserParams, UserRecord } from './schema.ts';
import type { SessionAccess } from './sessions.ts';
import {
  changeUser,
  createUser,
  findUser,
  listUsers,
  type Membership,
  removeUser,
  userRecord,
} from './users.ts';

const bodyByteMax = 200_000;

export interface UserDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly passwords: Passwords;
  readonly findSite: (db: Queries, idOrSlug: string) => Promise<SiteWithDomains>;
}

const listOperation = described({
  summary: 'All users',
  tag: 'Users',
  access: 'session',
  query: PageQuery,
  answers: {
    200: {
      description: 'Users by id',
      message: 'OK',
      data: pageOf(UserRecord),
      example: { items: [exampleUser], next_cursor: null },
    },
  },
  errors: ['not_allowed'],
});

const createOperation = described({
  summary: 'Add a user',
  tag: 'Users',
  access: 'session',
  body: NewUserBody,
  bodyExample: {
    email: 'editor@example.org',
    password: 'correct horse battery staple',
    role: 'member',
    sites: [{ site: 'the-daily-example', role: 'editor' }],
  },
  answers: {
    201: {
      description: 'Added',
      message: 'User created',
      data: UserRecord,
      example: { ...exampleUser, last_sign_in_at: null },
    },
  },
  errors: ['not_allowed', 'conflict', 'busy'],
});

const showOperation = described({
  summary: 'One user',
  tag: 'Users',
  access: 'session',
  params: UserParams,
  answers: {
    200: { description: 'The user', message: 'OK', data: UserRecord, example: exampleUser },
  },
  errors: ['not_allowed', 'not_found'],
});

const changeOperation = described({
  summary: 'Change a user',
  description:
    'A new password, and `disabled`, end every session of the user. The last admin can be neither demoted nor disabled.',
  tag: 'Users',
  access: 'session',
  params: UserParams,
  body: UserChangesBody,
  bodyExample: { disabled: true },
  answers: {
    200: {
      description: 'Changed',
      message: 'User changed',
      data: UserRecord,
      example: { ...exampleUser, disabled: true },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict', 'busy'],
});

const removeOperation = described({
  summary: 'Remove a user',
  description: 'The sessions end; the audit log keeps what the user did. Not the last admin.',
  tag: 'Users',
  access: 'session',
  params: UserParams,
  answers: {
    200: {
      description: 'Removed',
      message: 'User removed',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 2 },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** The accounts of an installation, for its admins. */
export function userRoutes({ database, bySession, passwords, findSite }: UserDeps) {
  const membershipsOf = (db: Queries, parts: Parts) => findMemberships(db, findSite, parts);
  return new Elysia({ name: 'users', prefix: '/v1/users' })
    .get(
      '',
      async ({ request }) => {
        await bySession.admin(request);
        const { limit, after } = startOfPage(readQuery(PageQuery, request), Type.Integer());
        const users = await listUsers(database.read, { limit: limit + 1, after: after ?? 0 });
        return envelope(
          'OK',
          pageFrom(users, limit, ({ id }) => id, userRecord),
        );
      },
      listOperation,
    )
    .post(
      '',
      async ({ request }) => {
        const admin = await bySession.admin(request);
        const body = validate(NewUserBody, await readJsonBody(request, bodyByteMax));
        const passwordHash = await passwords.hash(body.password);
        const made = await database.write(async (db) =>
          createUser(db, admin.user.id, {
            email: body.email,
            passwordHash,
            role: body.role ?? 'member',
            memberships: await membershipsOf(db, body.sites ?? []),
          }),
        );
        return Response.json(envelope('User created', userRecord(made)), { status: 201 });
      },
      createOperation,
    )
    .get(
      '/:id',
      async ({ request, params }) => {
        await bySession.admin(request);
        const user = await findUser(database.read, idIn(params.id, noUser));
        if (user === undefined) throw noUser(params.id);
        return envelope('OK', userRecord(user));
      },
      showOperation,
    )
    .patch(
      '/:id',
      async ({ request, params }) => {
        const admin = await bySession.admin(request);
        const { password, sites, ...changes } = validate(
          UserChangesBody,
          await readJsonBody(request, bodyByteMax),
        );
        const passwordHash = password === undefined ? undefined : await passwords.hash(password);
        const changed = await database.write(async (db) => {
          const memberships = sites === undefined ? undefined : await membershipsOf(db, sites);
          const { email, role, disabled } = changes;
          return changeUser(db, admin.user.id, idIn(params.id, noUser), {
            ...{ email, role, disabled, memberships, passwordHash },
          });
        });
        return envelope('User changed', userRecord(changed));
      },
      changeOperation,
    )
    .delete(
      '/:id',
      async ({ request, params }) => {
        const admin = await bySession.admin(request);
        const id = idIn(params.id, noUser);
        await database.write((db) => removeUser(db, admin.user.id, id));
        return envelope('User removed', { id });
      },
      removeOperation,
    );
}

type Parts = NonNullable<Static<typeof NewUserBody>['sites']>;

/** @throws AppError `validation_failed` naming every site that there isn't */
async function findMemberships(
  db: Queries,
  findSite: UserDeps['findSite'],
  parts: Parts,
): Promise<Membership[]> {
  const memberships: Membership[] = [];
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

function noUser(param: string): AppError {
  return new AppError('not_found', `There is no user ${param}`);
}
