import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import type { FailureLimits } from '../http/rate-limit.ts';
import { readJsonBody, readOptionalJsonBody } from '../http/request-body.ts';
import { factsOf } from '../http/request-context.ts';
import { validate } from '../http/validation.ts';
import { audit } from './audit-log.ts';
import type { Passwords } from './passwords.ts';
import {
  LoginBody,
  LogoutBody,
  Me,
  PasswordBody,
  SetupBody,
  StartedSession,
  type UserRecord,
} from './schema.ts';
import type { SessionAccess } from './sessions.ts';
import {
  csrfTokenOf,
  endSession,
  endSessionsOf,
  insertSession,
  type SessionLifetime,
  sessionCookie,
} from './sessions.ts';
import {
  changeUser,
  checkSetupToken,
  createUser,
  findUser,
  findUserByEmail,
  normalizeEmail,
  spendSetupToken,
  userRecord,
} from './users.ts';

const bodyByteMax = 100_000;

export interface AuthDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly passwords: Passwords;
  /** Failed sign-ins by address. */
  readonly signIns: Pick<FailureLimits, 'count' | 'forgive'>;
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

const loginOperation = described({
  summary: 'Sign in',
  description:
    'The token is sent back as `Authorization: Bearer …`. Browsers send the cookie by themselves and put `csrf_token` into `X-CSRF-Token` of every request that changes something. An unknown address, a wrong password and a disabled user are answered the same.',
  tag: 'Session',
  access: 'none',
  body: LoginBody,
  bodyExample: { email: 'editor@example.org', password: 'correct horse battery staple' },
  answers: {
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

const setupOperation = described({
  summary: 'Make the first admin out of the setup link',
  description:
    '`lectern serve` prints the link at each start while there is no admin. It holds the token, works once, and for a day. The answer signs in.',
  tag: 'Session',
  access: 'none',
  body: SetupBody,
  bodyExample: {
    token: 'Jt0eXr5vPq8cLw2nYb7mKd4sUf9hGa1iZo3xTjRyBkE',
    email: 'admin@example.org',
    password: 'correct horse battery staple',
  },
  answers: {
    201: {
      description: 'The admin is made and signed in',
      message: 'Admin created',
      data: StartedSession,
      example: { ...exampleSession, user: { ...exampleUser, role: 'admin', sites: [] } },
      headers: sessionCookieHeader,
    },
  },
  errors: ['setup_link_invalid', 'conflict', 'rate_limited', 'busy'],
});

const logoutOperation = described({
  summary: 'Sign out',
  description:
    'Ends the session of the request; others of the user go on unless `everywhere` is true.',
  tag: 'Session',
  access: 'session',
  body: LogoutBody,
  bodyOptional: true,
  bodyExample: { everywhere: true },
  answers: {
    200: { description: 'Signed out', message: 'Signed out', data: Type.Object({}), example: {} },
  },
});

const passwordOperation = described({
  summary: 'Change one’s own password',
  description: 'Ends every session of the user, this one too: sign in again.',
  tag: 'Session',
  access: 'session',
  body: PasswordBody,
  bodyExample: { current: 'correct horse battery staple', new: 'four other words entirely' },
  answers: {
    200: {
      description: 'Changed',
      message: 'Password changed',
      data: Type.Object({}),
      example: {},
    },
  },
  errors: ['rate_limited', 'busy'],
});

const meOperation = described({
  summary: 'Who is signed in',
  tag: 'Session',
  access: 'session',
  answers: {
    200: {
      description: 'The user, with the sites that a member has a part in; admins have all',
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
  const { database, bySession, passwords, signIns, baseUrl } = deps;
  const forget = { 'set-cookie': sessionCookie(baseUrl, '', 0) };
  return new Elysia({ name: 'auth', prefix: '/v1' })
    .post(
      '/auth/login',
      async ({ request }) => {
        const body = validate(LoginBody, await readJsonBody(request, bodyByteMax));
        const user = await findUserByEmail(database.read, normalizeEmail(body.email));
        const known = user?.disabled_at === null ? user.password_hash : undefined;
        const isRight = await attempt(signIns, request, () =>
          passwords.verify(body.password, known),
        );
        if (!isRight || user === undefined) throw signInFailed();
        const started = await database.write(async (db) => {
          // What was right a moment ago may have been changed meanwhile.
          const now = await findUser(db, user.id);
          if (now?.password_hash !== known || now?.disabled_at !== null) throw signInFailed();
          return startSession(db, user.id, deps.sessionLifetime);
        });
        return signedIn(request, deps, started, 200, 'Signed in');
      },
      loginOperation,
    )
    .post(
      '/auth/setup',
      async ({ request }) => {
        const body = validate(SetupBody, await readJsonBody(request, bodyByteMax));
        const isRight = await attempt(signIns, request, () =>
          checkSetupToken(database.read, body.token),
        );
        if (!isRight) throw setupLinkInvalid();
        const passwordHash = await passwords.hash(body.password);
        const started = await database.write(async (db) => {
          // Of two that come at once, the second finds it spent.
          if (!(await spendSetupToken(db, body.token))) throw setupLinkInvalid();
          const { id } = await createUser(db, 'self', {
            email: body.email,
            passwordHash,
            role: 'admin',
            memberships: [],
          });
          return startSession(db, id, deps.sessionLifetime);
        });
        return signedIn(request, deps, started, 201, 'Admin created');
      },
      setupOperation,
    )
    .post(
      '/auth/logout',
      async ({ request }) => {
        const { user, session } = await bySession.user(request);
        const body = validate(LogoutBody, await readOptionalJsonBody(request, bodyByteMax));
        await database.write(async (db) => {
          if (body.everywhere !== true) return endSession(db, session.id);
          await endSessionsOf(db, user.id);
          await audit(db, {
            ...{ userId: user.id, action: 'user.signed_out_everywhere', subject: user.email },
          });
        });
        return Response.json(envelope('Signed out', {}), { headers: forget });
      },
      logoutOperation,
    )
    .post(
      '/auth/password',
      async ({ request }) => {
        const { user } = await bySession.user(request);
        const body = validate(PasswordBody, await readJsonBody(request, bodyByteMax));
        const hash = (await findUser(database.read, user.id))?.password_hash;
        const isRight = await attempt(signIns, request, () => passwords.verify(body.current, hash));
        if (!isRight) {
          throw new AppError('validation_failed', 'Validation failed', {
            current: ['is not the password of this user'],
          });
        }
        const passwordHash = await passwords.hash(body.new);
        await database.write((db) => changeUser(db, user.id, user.id, { passwordHash }));
        return Response.json(envelope('Password changed', {}), { headers: forget });
      },
      passwordOperation,
    )
    .get(
      '/me',
      async ({ request }) => {
        const { user, session } = await bySession.user(request);
        const found = await findUser(database.read, user.id);
        if (found === undefined) throw new AppError('not_signed_in', 'Not signed in');
        return envelope('OK', {
          user: userRecord(found),
          expires_at: session.expiresAt,
          csrf_token: session.csrfToken,
        });
      },
      meOperation,
    );
}

/** Counts an attempt before it is known whether it is good: many at once are many. */
async function attempt(
  signIns: AuthDeps['signIns'],
  request: Request,
  check: () => Promise<boolean>,
): Promise<boolean> {
  await signIns.count(request);
  // When the check itself fails, nobody has guessed wrong.
  const isRight = await check().catch(async (error: unknown) => {
    await signIns.forgive(request);
    throw error;
  });
  if (isRight) await signIns.forgive(request);
  return isRight;
}

interface Started {
  readonly token: string;
  readonly expiresAt: string;
  readonly user: UserRecord;
}

async function startSession(
  db: Queries,
  userId: number,
  lifetime: SessionLifetime,
): Promise<Started> {
  const session = await insertSession(db, userId, lifetime);
  const user = await findUser(db, userId);
  if (user === undefined) throw signInFailed();
  return { ...session, user: userRecord(user) };
}

function signedIn(
  request: Request,
  { baseUrl, sessionLifetime }: AuthDeps,
  { token, expiresAt, user }: Started,
  status: number,
  message: string,
): Response {
  factsOf(request).answerHeaders['cache-control'] = 'private, no-store';
  const maxAgeS = Math.floor(sessionLifetime.absoluteMs / 1000);
  const data = { token, expires_at: expiresAt, csrf_token: csrfTokenOf(token), user };
  return Response.json(envelope(message, data), {
    status,
    headers: { 'set-cookie': sessionCookie(baseUrl, token, maxAgeS) },
  });
}

function signInFailed(): AppError {
  return new AppError('sign_in_failed', 'Wrong e-mail address or password');
}

function setupLinkInvalid(): AppError {
  return new AppError('setup_link_invalid', 'The setup link is wrong, used or expired');
}
