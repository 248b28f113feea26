import { createHash, createHmac, randomBytes } from 'node:crypto';
import { currentTimeMs, timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { SiteRole, UserRole } from '../database/schema.ts';
import { AppError, notFound } from '../errors.ts';
import { equalsInConstantTime, getBearerToken, requestContext } from '../http/request-context.ts';
import type { Log } from '../log.ts';
import type { SiteWithDomains } from '../sites/store.ts';

const tokenByteCount = 32;
const sessionCookie = 'lectern_session';
/** Marks a device that a user has signed in on. */
const deviceCookie = 'lectern_device';
const tokenPattern = /^[\w-]{43}$/;

/** @returns a secret of 256 bits, base64url */
export function createToken(): string {
  return randomBytes(tokenByteCount).toString('base64url');
}

/** @returns SHA-256 of a token, hex: the only form in which it is stored */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Derived from the session token, which it does not reveal; not stored. */
export function deriveCsrfToken(token: string): string {
  return createHmac('sha256', token).update('lectern csrf').digest('base64url');
}

/** The token of the header or else of the cookie. */
function getSessionToken(request: Request): { token: string; isCookie: boolean } | undefined {
  const bearer = getBearerToken(request);
  if (bearer !== undefined) return toSessionToken(bearer, false);
  const cookie = getCookie(request, sessionCookie);
  return cookie === undefined ? undefined : toSessionToken(cookie, true);
}

/** @returns whether a request has a session cookie, valid or not */
export function hasSessionCookie(request: Request): boolean {
  return getCookie(request, sessionCookie) !== undefined;
}

/** @returns the token of the device; undefined without one */
export function getDeviceToken(request: Request): string | undefined {
  const token = getCookie(request, deviceCookie);
  return token !== undefined && tokenPattern.test(token) ? token : undefined;
}

function getCookie(request: Request, name: string): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Sets a cookie with the response.
 * @param baseUrl limits the cookie to its path, and to https if it has that scheme
 * @param token empty: deletes the cookie
 */
export function setTokenCookie(
  request: Request,
  baseUrl: string,
  kind: 'session' | 'device',
  token: string,
  maxAgeS: number,
): void {
  const { protocol, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '') || '/';
  const secure = protocol === 'https:' ? '; Secure' : '';
  const name = kind === 'session' ? sessionCookie : deviceCookie;
  const cookie = `${name}=${token}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
  const context = requestContext(request);
  context.cookies = [...(context.cookies ?? []), cookie];
}

/** By their sign in a `User-Agent`, which also contains signs of later ones. */
const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  CriOS: 'Chrome',
  Chrome: 'Chrome',
  Safari: 'Safari',
};
const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  CrOS: 'ChromeOS',
  Windows: 'Windows',
  Mac: 'macOS',
  Linux: 'Linux',
};

/** @returns browser and system, such as `Firefox on Windows`, or the name of a program; null without a `User-Agent` */
export function describeDevice(headers: Headers): string | null {
  const agent = headers.get('user-agent') ?? '';
  const find = (names: object): string | undefined => Object.entries(names).find(([sign]) => agent.includes(sign))?.[1];
  const browser = find(browsers) ?? /^[\w.-]{1,40}/.exec(agent)?.[0];
  const system = find(systems);
  return browser === undefined ? null : system === undefined ? browser : `${browser} on ${system}`;
}

function toSessionToken(token: string, isCookie: boolean) {
  return tokenPattern.test(token) ? { token, isCookie } : undefined;
}

export interface SessionLifetime {
  /** Without a request. */
  readonly idleTimeoutMs: number;
  /** In any case. */
  readonly absoluteTimeoutMs: number;
}

/** A session, possibly expired, with its user. */
interface SessionWithUser {
  readonly id: number;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly user_id: number;
  readonly email: string;
  readonly role: UserRole;
  readonly disabled_at: string | null;
}

/** Deletes the cookie of the session with the response. */
export function clearSessionCookie(request: Request, baseUrl: string): void {
  setTokenCookie(request, baseUrl, 'session', '', 0);
}

/**
 * Creates a session and deletes expired ones. Run it in a transaction.
 * @param device see `describeDevice`
 */
export async function insertSession(
  db: Queries,
  userId: number,
  lifetime: SessionLifetime,
  device: string | null,
): Promise<{ token: string; expiresAt: string }> {
  const now = currentTimeMs();
  const at = new Date(now).toISOString();
  const idleSince = new Date(now - lifetime.idleTimeoutMs).toISOString();
  await db
    .deleteFrom('session')
    .where((is) => is.or([is('expires_at', '<=', at), is('last_seen_at', '<=', idleSince)]))
    .execute();
  const token = createToken();
  const expiresAt = new Date(now + lifetime.absoluteTimeoutMs).toISOString();
  await db
    .insertInto('session')
    .values({
      user_id: userId,
      token_hash: hashToken(token),
      created_at: at,
      last_seen_at: at,
      expires_at: expiresAt,
      device,
    })
    .execute();
  await db.updateTable('user').set({ last_sign_in_at: at }).where('id', '=', userId).execute();
  return { token, expiresAt };
}

/** Looked up by hash: the response time reveals nothing about the token. */
async function findSession(db: Queries, token: string): Promise<SessionWithUser | undefined> {
  const [found] = await findSessionsByHash(db, { hash: hashToken(token) });
  return found;
}

const findSessionsByHash = prepareQuery((db, value: PlaceholderFor<{ hash: string }>) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select(['session.id', 'session.last_seen_at', 'session.expires_at'])
    .select(['session.user_id', 'user.email', 'user.role', 'user.disabled_at'])
    .where('session.token_hash', '=', value('hash')),
);

async function updateLastSeen(db: Queries, sessionId: number): Promise<void> {
  await db.updateTable('session').set({ last_seen_at: timestamp() }).where('id', '=', sessionId).execute();
}

/** Sessions of a user that have not ended, the newest first. @param before the id that comes after the first */
export function listSessions(
  db: Queries,
  userId: number,
  { idleTimeoutMs }: SessionLifetime,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
) {
  const active = db
    .selectFrom('session')
    .select(['id', 'device', 'created_at', 'last_seen_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', timestamp())
    .where('last_seen_at', '>', timestamp(currentTimeMs() - idleTimeoutMs));
  const query = before === undefined ? active : active.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

export async function deleteSession(db: Queries, sessionId: number): Promise<void> {
  await db.deleteFrom('session').where('id', '=', sessionId).execute();
}

/** @returns the device of the session; undefined if the user has no such session */
export async function deleteSessionOf(db: Queries, userId: number, sessionId: number) {
  const deletion = db.deleteFrom('session').where('id', '=', sessionId).where('user_id', '=', userId);
  return deletion.returning('device').executeTakeFirst();
}

/** Ends all sessions of a user except one. @returns their number */
export async function deleteOtherSessions(db: Queries, userId: number, sessionId: number): Promise<number> {
  const others = db.deleteFrom('session').where('user_id', '=', userId).where('id', '!=', sessionId);
  return (await others.returning('id').execute()).length;
}

export async function deleteUserSessions(db: Queries, userId: number): Promise<void> {
  await db.deleteFrom('session').where('user_id', '=', userId).execute();
}

export async function deleteUserDevices(db: Queries, userId: number): Promise<void> {
  await db.deleteFrom('known_device').where('user_id', '=', userId).execute();
}

/** Ends all sessions and invalidates the setup link and the links by which users choose a password. */
export async function deleteAllSessions(db: Queries): Promise<void> {
  await db.deleteFrom('session').execute();
  await db.deleteFrom('setup_token').execute();
  await db.deleteFrom('password_link').execute();
}

/** Shortest time between two updates of `last_seen_at`. */
const lastSeenIntervalMs = 60_000;
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/** Who makes a request. */
export interface AuthContext {
  readonly user: { readonly id: number; readonly email: string; readonly role: UserRole };
  readonly session: {
    readonly id: number;
    readonly expiresAt: string;
    /** Expected `X-CSRF-Token`; null for a bearer session. */
    readonly csrfToken: string | null;
  };
}

/** Authentication of dashboard routes. */
export interface RequireSession {
  /**
   * Any user.
   * @throws AppError `not_signed_in`; `csrf_failed` for a change by cookie without its token
   */
  user(request: Request): Promise<AuthContext>;
  /** @throws AppError as `user`, and `not_allowed` */
  admin(request: Request): Promise<AuthContext>;
  /**
   * A user with a role on the site. Admins may do everything; editors what viewers may.
   * @param siteParam id or slug
   * @param role the lowest sufficient role; `siteRole` is the actual one, `editor` for admins
   * @param options `isPassive`: the request does not keep the session from its idle timeout
   * @throws AppError as `user`; `not_found` for a site that doesn't exist or that the user has no role on; `not_allowed`
   */
  site(
    request: Request,
    siteParam: string,
    role: SiteRole,
    options?: { readonly isPassive?: boolean },
  ): Promise<AuthContext & { readonly site: SiteWithDomains; readonly siteRole: SiteRole }>;
}

export function createRequireSession(
  database: Database,
  findSite: (db: Queries, idOrSlug: string) => Promise<SiteWithDomains>,
  lifetime: SessionLifetime,
  log: Log,
): RequireSession {
  const saving = new Set<number>();
  const recordLastSeen = (session: SessionWithUser): void => {
    const pauseMs = Math.min(lastSeenIntervalMs, lifetime.idleTimeoutMs / 10);
    if (currentTimeMs() - Date.parse(session.last_seen_at) < pauseMs || saving.has(session.id)) return;
    saving.add(session.id);
    database
      .write('server', (db) => updateLastSeen(db, session.id), { sync: 'normal' })
      .catch((error: unknown) => log.warn({ err: error }, 'updating session last-seen time failed'))
      .finally(() => saving.delete(session.id));
  };
  const authenticate = async (request: Request, isPassive = false): Promise<AuthContext> => {
    // Routes may overwrite it.
    requestContext(request).responseHeaders['cache-control'] = 'private, no-store';
    const credentials = getSessionToken(request);
    const session = credentials === undefined ? undefined : await findSession(database.read, credentials.token);
    if (credentials === undefined || session === undefined || isExpired(session, lifetime)) {
      throw new AppError('not_signed_in');
    }
    const csrfToken = credentials.isCookie ? deriveCsrfToken(credentials.token) : null;
    if (csrfToken !== null && !safeMethods.includes(request.method)) {
      checkCsrf(request, csrfToken);
    }
    if (!isPassive) recordLastSeen(session);
    requestContext(request).hasCredentials = true;
    return {
      user: { id: session.user_id, email: session.email, role: session.role },
      session: { id: session.id, expiresAt: session.expires_at, csrfToken },
    };
  };
  return {
    user: (request) => authenticate(request),
    admin: async (request) => {
      const context = await authenticate(request);
      if (context.user.role !== 'admin') throw new AppError('not_allowed');
      return context;
    },
    site: async (request, siteParam, role, { isPassive } = {}) => {
      const context = await authenticate(request, isPassive);
      const site = await findSite(database.read, siteParam);
      const siteRole = await resolveSiteRole(database.read, context.user, site.id);
      // 404: does not reveal the sites of others.
      if (siteRole === undefined) throw notFound('Site', siteParam);
      if (role === 'editor' && siteRole === 'viewer') throw new AppError('not_allowed');
      requestContext(request).siteId = site.id;
      return { ...context, site, siteRole };
    },
  };
}

function isExpired(session: SessionWithUser, { idleTimeoutMs: idleMs }: SessionLifetime): boolean {
  const now = currentTimeMs();
  return (
    session.disabled_at !== null ||
    Date.parse(session.expires_at) <= now ||
    Date.parse(session.last_seen_at) + idleMs <= now
  );
}

function checkCsrf(request: Request, expected: string): void {
  const token = request.headers.get('x-csrf-token');
  if (token === null || !equalsInConstantTime(token, expected)) {
    throw new AppError('csrf_failed');
  }
}

async function resolveSiteRole(db: Queries, user: AuthContext['user'], siteId: number): Promise<SiteRole | undefined> {
  if (user.role === 'admin') return 'editor';
  const [membership] = await findSiteRoles(db, { userId: user.id, siteId });
  return membership?.role;
}

const findSiteRoles = prepareQuery((db, value: PlaceholderFor<{ userId: number; siteId: number }>) =>
  db
    .selectFrom('membership')
    .select('role')
    .where('user_id', '=', value('userId'))
    .where('site_id', '=', value('siteId')),
);
