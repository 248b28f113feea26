import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import type { FailureLimiter } from '../http/rate-limit.ts';
import { readJsonBody, readOptionalJsonBody } from '../http/request-body.ts';
import { requestContext } from '../http/request-context.ts';
import { validate } from '../http/validation.ts';
import { insertAuditEntry } from './audit-log.ts';
import type { PasswordHasher } from './passwords.ts';
import { LoginBody, LogoutBody, Me, PasswordBody, SetupBody, StartedSession, type UserRecord } from './schema.ts';
import type { RequireSession } from './sessions.ts';
import {
  deleteSession,
  deleteUserSessions,
  deriveCsrfToken,
  formatSessionCookie,
  insertSession,
  type SessionLifetime,
} from './sessions.ts';
import {
  consumeSetupToken,
  createUser,
  findUser,
  findUserByEmail,
  isValidSetupToken,
  normalizeEmail,
  toUserRecord,
  updateUser,
} from './users.ts';

const maxBodyBytes = 100_000;

export interface AuthDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
  readonly passwords: PasswordHasher;
  /** Failed sign-ins by address. */
  readonly signInFailures: Pick<FailureLimiter, 'recordFailure' | 'revertFailure'>;
  readonly sessionLifetime: SessionLifetime;
  readonly baseUrl: string;
}

/** A user in the examples of the description. */
export const exampleUser: UserRecord = {
  id: 2,
  email: 'editor@example.org',
  role: 'member',
  disabled: false,
  sites: [{ id: 1, slug: 'the-daily-example', name: 'The Daily Example', role: 'editor' }],
  last_sign_in_at: '2026-11-02T08:15:00.000Z',
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};
const exampleSession = {
  token: 'zS0V3jQb2J4r9hE1m7kXoWc5TtYpLdAf8uGiNqRvHxM',
  expires_at: '2026-12-02T08:15:00.000Z',
  csrf_token: 'm2Kq7sVdY4nB8xTfR1cWgLhJ5pZoA9uE3iQwXyN0bDk',
  user: exampleUser,
};
const sessionCookieHeader = { 'Set-Cookie': 'Cookie `lectern_session`: HttpOnly, SameSite=Lax' };

const loginOperation = endpointSpec({
  summary: 'Sign in',
  description:
    'Send the token as `Authorization: Bearer …`. Browsers send the cookie automatically and put `csrf_token` into `X-CSRF-Token` of every request that changes data. An unknown address, a wrong password and a disabled user get the same response.',
  tag: 'Session',
  access: 'none',
  body: LoginBody,
  bodyExample: { email: 'editor@example.org', password: 'correct horse battery staple' },
  responses: {
    200: {
      description: 'Signed in',
      message: 'Signed in',
      data: StartedSession,
      example: exampleSession,
      headers: sessionCookieHeader,
    },
  },
  errors: ['sign_in_failed', 'rate_limited', 'busy'],
});

const setupOperation = endpointSpec({
  summary: 'Create the first admin',
  description:
    'Uses the token of the setup link. `lectern serve` prints the link at each start while no admin exists; it is valid once, for 24 hours. The response starts a session.',
  tag: 'Session',
  access: 'none',
  body: SetupBody,
  bodyExample: {
    token: 'Jt0eXr5vPq8cLw2nYb7mKd4sUf9hGa1iZo3xTjRyBkE',
    email: 'admin@example.org',
    password: 'correct horse battery staple',
  },
  responses: {
    201: {
      description: 'Admin created and signed in',
      message: 'Admin created',
      data: StartedSession,
      example: { ...exampleSession, user: { ...exampleUser, role: 'admin', sites: [] } },
      headers: sessionCookieHeader,
    },
  },
  errors: ['setup_link_invalid', 'conflict', 'rate_limited', 'busy'],
});

const logoutOperation = endpointSpec({
  summary: 'Sign out',
  description: 'Ends the current session. With `everywhere`, ends all sessions of the user.',
  tag: 'Session',
  access: 'session',
  body: LogoutBody,
  bodyOptional: true,
  bodyExample: { everywhere: true },
  responses: {
    200: { description: 'Signed out', message: 'Signed out', data: Type.Object({}), example: {} },
  },
});

const passwordOperation = endpointSpec({
  summary: 'Change your password',
  description: 'Ends all sessions of the user, including this one. Sign in again.',
  tag: 'Session',
  access: 'session',
  body: PasswordBody,
  bodyExample: { current: 'correct horse battery staple', new: 'four other words entirely' },
  responses: {
    200: {
      description: 'Password changed',
      message: 'Password changed',
      data: Type.Object({}),
      example: {},
    },
  },
  errors: ['rate_limited', 'busy'],
});

const meOperation = endpointSpec({
  summary: 'Get the current user',
  tag: 'Session',
  access: 'session',
  responses: {
    200: {
      description: 'The user and their site roles; admins have access to all sites',
      message: 'OK',
      data: Me,
      example: {
        user: exampleUser,
        expires_at: exampleSession.expires_at,
        csrf_token: exampleSession.csrf_token,
      },
    },
  },
});

/** Sign-in and sign-out, the first admin, one's own account. */
export function authRoutes(deps: AuthDeps) {
  const { database, requireSession, passwords, signInFailures, baseUrl } = deps;
  const forget = { 'set-cookie': formatSessionCookie(baseUrl, '', 0) };
  return new Elysia({ name: 'auth', prefix: '/v1' })
    .post(
      '/auth/login',
      async ({ request }) => {
        const body = validate(LoginBody, await readJsonBody(request, maxBodyBytes));
        const user = await findUserByEmail(database.read, normalizeEmail(body.email));
        const known = user?.disabled_at === null ? user.password_hash : undefined;
        const isRight = await withFailureLimit(signInFailures, request, () => passwords.verify(body.password, known));
        if (!isRight || user === undefined) throw signInFailedError();
        const started = await database.write(async (db) => {
          // What was right a moment ago may have been changed meanwhile.
          const now = await findUser(db, user.id);
          if (now?.password_hash !== known || now?.disabled_at !== null) throw signInFailedError();
          return startSession(db, user.id, deps.sessionLifetime);
        });
        return signInResponse(request, deps, started, 200, 'Signed in');
      },
      toEndpointHook(loginOperation),
    )
    .post(
      '/auth/setup',
      async ({ request }) => {
        const body = validate(SetupBody, await readJsonBody(request, maxBodyBytes));
        const isRight = await withFailureLimit(signInFailures, request, () =>
          isValidSetupToken(database.read, body.token),
        );
        if (!isRight) throw setupLinkInvalidError();
        const passwordHash = await passwords.hash(body.password);
        const started = await database.write(async (db) => {
          // Of two that come at once, the second finds it spent.
          if (!(await consumeSetupToken(db, body.token))) throw setupLinkInvalidError();
          const { id } = await createUser(db, 'self', {
            email: body.email,
            passwordHash,
            role: 'admin',
            siteRoles: [],
          });
          return startSession(db, id, deps.sessionLifetime);
        });
        return signInResponse(request, deps, started, 201, 'Admin created');
      },
      toEndpointHook(setupOperation),
    )
    .post(
      '/auth/logout',
      async ({ request }) => {
        const { user, session } = await requireSession.user(request);
        const body = validate(LogoutBody, await readOptionalJsonBody(request, maxBodyBytes));
        await database.write(async (db) => {
          if (body.everywhere !== true) return deleteSession(db, session.id);
          await deleteUserSessions(db, user.id);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'user.signed_out_everywhere', subject: user.email },
          });
        });
        return Response.json(envelope('Signed out', {}), { headers: forget });
      },
      toEndpointHook(logoutOperation),
    )
    .post(
      '/auth/password',
      async ({ request }) => {
        const { user } = await requireSession.user(request);
        const body = validate(PasswordBody, await readJsonBody(request, maxBodyBytes));
        const hash = (await findUser(database.read, user.id))?.password_hash;
        const isRight = await withFailureLimit(signInFailures, request, () => passwords.verify(body.current, hash));
        if (!isRight) {
          throw new AppError('validation_failed', 'Validation failed', {
            current: ['is not your current password'],
          });
        }
        const passwordHash = await passwords.hash(body.new);
        await database.write((db) => updateUser(db, user.id, user.id, { passwordHash }));
        return Response.json(envelope('Password changed', {}), { headers: forget });
      },
      toEndpointHook(passwordOperation),
    )
    .get(
      '/me',
      async ({ request }) => {
        const { user, session } = await requireSession.user(request);
        const found = await findUser(database.read, user.id);
        if (found === undefined) throw new AppError('not_signed_in', 'Not signed in');
        return envelope('OK', {
          user: toUserRecord(found),
          expires_at: session.expiresAt,
          csrf_token: session.csrfToken,
        });
      },
      toEndpointHook(meOperation),
    );
}

/** Counts an attempt before it is known whether it is good: many at once are many. */
async function withFailureLimit(
  signInFailures: AuthDeps['signInFailures'],
  request: Request,
  check: () => Promise<boolean>,
): Promise<boolean> {
  await signInFailures.recordFailure(request);
  // When the check itself fails, nobody has guessed wrong.
  const isRight = await check().catch(async (error: unknown) => {
    await signInFailures.revertFailure(request);
    throw error;
  });
  if (isRight) await signInFailures.revertFailure(request);
  return isRight;
}

interface NewSession {
  readonly token: string;
  readonly expiresAt: string;
  readonly user: UserRecord;
}

async function startSession(db: Queries, userId: number, lifetime: SessionLifetime): Promise<NewSession> {
  const session = await insertSession(db, userId, lifetime);
  const user = await findUser(db, userId);
  if (user === undefined) throw signInFailedError();
  return { ...session, user: toUserRecord(user) };
}

function signInResponse(
  request: Request,
  { baseUrl, sessionLifetime }: AuthDeps,
  { token, expiresAt, user }: NewSession,
  status: number,
  message: string,
): Response {
  requestContext(request).responseHeaders['cache-control'] = 'private, no-store';
  const maxAgeS = Math.floor(sessionLifetime.absoluteTimeoutMs / 1000);
  const data = { token, expires_at: expiresAt, csrf_token: deriveCsrfToken(token), user };
  return Response.json(envelope(message, data), {
    status,
    headers: { 'set-cookie': formatSessionCookie(baseUrl, token, maxAgeS) },
  });
}

function signInFailedError(): AppError {
  return new AppError('sign_in_failed', 'Wrong e-mail address or password');
}

function setupLinkInvalidError(): AppError {
  return new AppError(
    'setup_link_invalid',
    'Setup link invalid: it is wrong, used or expired. Restart the server to get a new one.',
  );
}
