import { Elysia } from 'elysia';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { requestContext } from '../http/request-context.ts';
import type { Services } from '../services.ts';
import {
  AcceptBody,
  AuthState,
  exampleSession,
  exampleUser,
  LinkHeaders,
  LoginBody,
  SetupBody,
  ShownLink,
  StartedSession,
  type UserRecord,
} from './schema.ts';
import {
  deriveCsrfToken,
  describeDevice,
  getDeviceToken,
  insertSession,
  type SessionLifetime,
  setTokenCookie,
} from './sessions.ts';
import {
  deviceCookieMaxAgeS,
  findDevices,
  findPasswordLink,
  passwordLinkInvalidError,
  rememberDevice,
  usePasswordLink,
} from './sign-in.ts';
import {
  consumeSetupToken,
  createUser,
  findUser,
  findUserByEmail,
  hasPassword,
  hasUsers,
  isValidSetupToken,
  normalizeEmail,
  toUserRecord,
} from './users.ts';

const shared = { tag: 'Session', access: 'none', maxBodyBytes: 64 * 1024 } as const;

/** The response of an endpoint that starts a session. */
function sessionReply<const Status extends number>(
  status: Status,
  message: string,
  description: string,
  example: unknown = exampleSession,
) {
  const headers = { 'Set-Cookie': 'Cookies `lectern_session` and `lectern_device`: HttpOnly, SameSite=Lax' };
  return reply(status, message, description, StartedSession, { example, headers });
}

const loginSpec = endpointSpec({
  ...shared,
  summary: 'Sign in',
  description:
    'Send the token as `Authorization: Bearer …`. Browsers send the cookie automatically and put `csrf_token` into `X-CSRF-Token` of every request that changes data. An unknown address, a wrong password and a disabled user get the same response. Failures are limited by address and by account, with pauses that grow from one minute to 16; a device that has signed in before (cookie `lectern_device`) is limited by itself.',
  body: LoginBody,
  bodyExample: { email: 'editor@example.org', password: 'correct horse battery staple' },
  responses: sessionReply(200, 'Signed in', 'Signed in'),
  errors: ['sign_in_failed', 'rate_limited', 'busy'],
});

const setupSpec = endpointSpec({
  ...shared,
  summary: 'Create the first admin',
  description:
    'Uses the token of the setup link. `lectern serve` prints the link at each start while no admin exists; it is valid once, for 24 hours. The response starts a session.',
  body: SetupBody,
  bodyExample: {
    token: 'Jt0eXr5vPq8cLw2nYb7mKd4sUf9hGa1iZo3xTjRyBkE',
    email: 'admin@example.org',
    password: 'correct horse battery staple',
  },
  responses: sessionReply(201, 'Admin created', 'Admin created and signed in', {
    ...exampleSession,
    user: { ...exampleUser, role: 'admin', sites: [] },
  }),
  errors: ['setup_link_invalid', 'conflict', 'rate_limited', 'busy'],
});

const stateSpec = endpointSpec({
  ...shared,
  summary: 'Get the state of sign-in',
  responses: reply(200, 'OK', 'Whether anybody can sign in', AuthState),
});

const invitationSpec = endpointSpec({
  ...shared,
  summary: 'Look up an invitation or reset link',
  description: 'The token is in a header, so that no proxy logs it. Failures are limited by address, as sign-ins are.',
  requestHeaders: LinkHeaders,
  responses: reply(200, 'OK', 'Whom the link is for', ShownLink),
  errors: ['password_link_invalid', 'rate_limited'],
});

const acceptSpec = endpointSpec({
  ...shared,
  summary: 'Choose a password by an invitation or reset link',
  description:
    'Works once. Ends all other sessions of the user, and starts a new one. Failures are limited by address, as sign-ins are.',
  body: AcceptBody,
  bodyExample: { token: 'Jt0eXr5vPq8cLw2nYb7mKd4sUf9hGa1iZo3xTjRyBkE', password: 'correct horse battery staple' },
  responses: sessionReply(200, 'Password chosen', 'Password chosen and signed in'),
  errors: ['password_link_invalid', 'rate_limited', 'busy'],
});

/** Sign-in: with a password, or with a link by which one chooses it. */
export function authRoutes(services: Services) {
  const { endpoint, database, passwords, signInLimits, sessionLifetime } = services;
  const requirePasswordLink = async (request: Request, token: string) => {
    let link: Awaited<ReturnType<typeof findPasswordLink>>;
    await signInLimits.attempt(request, {}, async () => {
      link = await findPasswordLink(database.read, token);
      return link !== undefined;
    });
    if (link === undefined) throw passwordLinkInvalidError();
    return link;
  };
  return new Elysia({ name: 'auth', prefix: '/v1' })
    .post(
      '/auth/login',
      ...endpoint(loginSpec, async ({ request, body }) => {
        const account = normalizeEmail(body.email);
        const deviceToken = getDeviceToken(request);
        const user = await findUserByEmail(database.read, account);
        const devices = deviceToken === undefined ? [] : await findDevices(database.read, deviceToken);
        const deviceId = devices.find(({ user_id }) => user_id === user?.id)?.id;
        const hash = user?.disabled_at === null && hasPassword(user) ? user.password_hash : undefined;
        const check = () => passwords.verify(body.password, hash);
        const isCorrect = await signInLimits.attempt(request, { account, deviceId }, check);
        if (!isCorrect || user === undefined) throw new AppError('sign_in_failed');
        const session = await database.write('server', async (db) => {
          // The user may have changed since the password was checked.
          const current = await findUser(db, user.id);
          if (current?.password_hash !== hash || current?.disabled_at !== null) throw new AppError('sign_in_failed');
          return startSession(db, user.id, sessionLifetime, request);
        });
        return toSignInResult(request, services, session);
      }),
    )
    .post(
      '/auth/setup',
      ...endpoint(setupSpec, async ({ request, body }) => {
        const isCorrect = await signInLimits.attempt(request, {}, () => isValidSetupToken(database.read, body.token));
        if (!isCorrect) throw setupLinkInvalidError();
        const admin = { email: body.email, passwordHash: await passwords.hash(body.password), role: 'admin' } as const;
        const session = await database.write('server', async (db) => {
          // Of two requests at once, the second finds the token used.
          if (!(await consumeSetupToken(db, body.token))) throw setupLinkInvalidError();
          const { id } = await createUser(db, 'self', { ...admin, siteRoles: [] });
          return startSession(db, id, sessionLifetime, request);
        });
        return toSignInResult(request, services, session);
      }),
    )
    .get('/auth/state', ...endpoint(stateSpec, async () => ({ has_users: await hasUsers(database.read) })))
    .get(
      '/auth/invitation',
      ...endpoint(invitationSpec, async ({ request }) => {
        requestContext(request).responseHeaders['cache-control'] = 'private, no-store';
        const { userId: _, ...link } = await requirePasswordLink(request, request.headers.get('x-link-token') ?? '');
        return link;
      }),
    )
    .post(
      '/auth/accept',
      ...endpoint(acceptSpec, async ({ request, body }) => {
        await requirePasswordLink(request, body.token);
        const passwordHash = await passwords.hash(body.password);
        const session = await database.write('server', async (db) => {
          // Of two requests at once, the second finds the token used.
          const { id } = await usePasswordLink(db, body.token, passwordHash);
          return startSession(db, id, sessionLifetime, request);
        });
        return toSignInResult(request, services, session);
      }),
    );
}

interface NewSession {
  readonly token: string;
  readonly deviceToken: string;
  readonly expiresAt: string;
  readonly user: UserRecord;
}

async function startSession(
  db: Queries,
  userId: number,
  lifetime: SessionLifetime,
  request: Request,
): Promise<NewSession> {
  const session = await insertSession(db, userId, lifetime, describeDevice(request.headers));
  const deviceToken = await rememberDevice(db, userId, getDeviceToken(request));
  const user = await findUser(db, userId);
  if (user === undefined) throw new AppError('sign_in_failed');
  return { ...session, deviceToken, user: toUserRecord(user) };
}

/** Sets the cookies of session and device. */
function toSignInResult(
  request: Request,
  { baseUrl, sessionLifetime }: Pick<Services, 'baseUrl' | 'sessionLifetime'>,
  { token, deviceToken, expiresAt, user }: NewSession,
): StartedSession {
  requestContext(request).responseHeaders['cache-control'] = 'private, no-store';
  setTokenCookie(request, baseUrl, 'session', token, Math.floor(sessionLifetime.absoluteTimeoutMs / 1000));
  setTokenCookie(request, baseUrl, 'device', deviceToken, deviceCookieMaxAgeS);
  return { token, expires_at: expiresAt, csrf_token: deriveCsrfToken(token), user };
}

function setupLinkInvalidError(): AppError {
  return new AppError(
    'setup_link_invalid',
    'Setup link invalid: it is wrong, used or expired. Restart the server to get a new one.',
  );
}
