import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError, invalid, notFound } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { PageQuery, pageSchema, paginateById } from '../http/pagination.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { getInstallationSettings } from './admin-routes.ts';
import { insertAuditEntry } from './audit-log.ts';
import {
  EmailBody,
  exampleSession,
  exampleUser,
  LogoutBody,
  Me,
  PasswordBody,
  SessionParams,
  SessionRecord,
  UserRecord,
} from './schema.ts';
import {
  clearSessionCookie,
  deleteOtherSessions,
  deleteSession,
  deleteSessionOf,
  deleteUserSessions,
  listSessions,
} from './sessions.ts';
import { findUser, toUserRecord, updateUser } from './users.ts';

const shared = { tag: 'Session', access: 'session', maxBodyBytes: 64 * 1024 } as const;

function emptyReply(message: string) {
  return reply(200, message, message, Type.Object({}), { example: {} });
}

const logoutSpec = endpointSpec({
  ...shared,
  summary: 'Sign out',
  description: 'Ends the current session. With `everywhere`, ends all sessions of the user.',
  body: LogoutBody,
  bodyOptional: true,
  bodyExample: { everywhere: true },
  responses: emptyReply('Signed out'),
});

const passwordSpec = endpointSpec({
  ...shared,
  summary: 'Change your password',
  description: 'Ends all sessions of the user, including this one. Sign in again.',
  body: PasswordBody,
  bodyExample: { current: 'correct horse battery staple', new: 'four other words entirely' },
  responses: emptyReply('Password changed'),
  errors: ['rate_limited', 'busy'],
});

const meSpec = endpointSpec({
  ...shared,
  summary: 'Get the current user',
  responses: reply(200, 'OK', 'The user and their site roles; admins have access to all sites', Me, {
    example: {
      user: exampleUser,
      settings: { show_plans: false },
      time_zone: 'UTC',
      expires_at: exampleSession.expires_at,
      csrf_token: exampleSession.csrf_token,
    },
  }),
});

const emailSpec = endpointSpec({
  ...shared,
  summary: 'Change your e-mail address',
  description: 'Needs the password. Ends all other sessions of the user; this one stays.',
  body: EmailBody,
  bodyExample: { email: 'new-address@example.org', password: 'correct horse battery staple' },
  errors: ['conflict', 'rate_limited', 'busy'],
  responses: reply(200, 'E-mail address changed', 'E-mail address changed', UserRecord, {
    example: { ...exampleUser, email: 'new-address@example.org' },
  }),
});

const sessionsSpec = endpointSpec({
  ...shared,
  summary: 'List your sessions',
  query: PageQuery,
  description: 'Sessions that have not ended, the newest sign-in first.',
  responses: reply(200, 'OK', 'A page of sessions', pageSchema(SessionRecord)),
});

const endOthersSpec = endpointSpec({
  ...shared,
  summary: 'End all your other sessions',
  responses: reply(200, 'Signed out elsewhere', 'All other sessions ended', Type.Object({ count: Type.Integer() }), {
    example: { count: 2 },
  }),
});

const endSpec = endpointSpec({
  ...shared,
  summary: 'End one of your sessions',
  params: SessionParams,
  responses: reply(200, 'Session ended', 'Session ended', SessionParams, { example: { id: 7 } }),
  errors: ['not_found'],
});

/** One's own account: sign-out, sessions, password, e-mail address. */
export function accountRoutes(services: Services) {
  const { endpoint, database, passwords, signInLimits, sessionLifetime, baseUrl, config } = services;
  const requirePassword = async (request: Request, userId: number, field: string, password: string) => {
    const hash = (await findUser(database.read, userId))?.password_hash;
    const check = () => passwords.verify(password, hash);
    const isCorrect = await signInLimits.attempt(request, { account: `user ${userId}` }, check);
    if (!isCorrect) throw invalid(field, 'is not your current password');
  };
  return new Elysia({ name: 'account', prefix: '/v1' })
    .post(
      '/auth/logout',
      ...endpoint(logoutSpec, async ({ request, user, session, body }) => {
        await database.write('server', async (db) => {
          if (body.everywhere !== true) return deleteSession(db, session.id);
          await deleteUserSessions(db, user.id);
          await insertAuditEntry(db, { userId: user.id, action: 'user.signed_out_everywhere', subject: user.email });
        });
        clearSessionCookie(request, baseUrl);
        return {};
      }),
    )
    .post(
      '/auth/password',
      ...endpoint(passwordSpec, async ({ request, user, body }) => {
        await requirePassword(request, user.id, 'current', body.current);
        const passwordHash = await passwords.hash(body.new);
        await database.write('server', (db) => updateUser(db, user.id, user.id, { passwordHash }));
        clearSessionCookie(request, baseUrl);
        return {};
      }),
    )
    .post(
      '/auth/email',
      ...endpoint(emailSpec, async ({ request, user, session, body: { email, password } }) => {
        await requirePassword(request, user.id, 'password', password);
        const changed = await database.write('server', async (db) => {
          await deleteOtherSessions(db, user.id, session.id);
          return updateUser(db, user.id, user.id, { email });
        });
        return toUserRecord(changed);
      }),
    )
    .get(
      '/auth/sessions',
      ...endpoint(sessionsSpec, ({ user, session, query }) =>
        paginateById(
          query,
          (before, limit) => listSessions(database.read, user.id, sessionLifetime, { before, limit }),
          (sessions) => sessions.map((other) => ({ ...other, current: other.id === session.id })),
        ),
      ),
    )
    .delete(
      '/auth/sessions',
      ...endpoint(endOthersSpec, ({ user, session }) =>
        database.write('server', async (db) => {
          const count = await deleteOtherSessions(db, user.id, session.id);
          await insertAuditEntry(db, { userId: user.id, action: 'user.signed_out_elsewhere', subject: user.email });
          return { count };
        }),
      ),
    )
    .delete(
      '/auth/sessions/:id',
      ...endpoint(endSpec, async ({ request, user, session, params }) => {
        const id = parseId(params.id, 'Session');
        await database.write('server', async (db) => {
          const ended = await deleteSessionOf(db, user.id, id);
          if (ended === undefined) throw notFound('Session', params.id);
          const entry = { userId: user.id, action: 'user.session_ended', subject: user.email };
          await insertAuditEntry(db, { ...entry, before: { device: ended.device } });
        });
        if (id === session.id) clearSessionCookie(request, baseUrl);
        return { id };
      }),
    )
    .get(
      '/me',
      ...endpoint(meSpec, async ({ user: { id }, session }) => {
        const user = await findUser(database.read, id);
        if (user === undefined) throw new AppError('not_signed_in');
        const settings = await getInstallationSettings(database.read);
        return {
          ...{ user: toUserRecord(user), settings, time_zone: config.timeZone },
          ...{ expires_at: session.expiresAt, csrf_token: session.csrfToken },
        };
      }),
    );
}
