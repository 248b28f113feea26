import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Database, Queries } from '../database/open.ts';
import { prepared, type Value } from '../database/query-cache.ts';
import type { SiteRole, UserRole } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { bearerOf, factsOf, isSameSecret } from '../http/request-context.ts';
import type { Log } from '../log.ts';
import type { SiteWithDomains } from '../sites/store.ts';

const tokenByteCount = 32;
const cookieName = 'lectern_session';
const tokenShape = /^[\w-]{43}$/;

/** @returns a secret of 256 bits, base64url */
export function createToken(): string {
  return randomBytes(tokenByteCount).toString('base64url');
}

/** @returns SHA-256 of a token, hex: the only form in which it is stored */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Derived, so that nothing more needs storing; tells nothing about the session's own token. */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('lectern csrf').digest('base64url');
}

/** The token that a request was sent with, by header or by cookie; the header counts where both are there. */
function tokenOf(request: Request): { token: string; isCookie: boolean } | undefined {
  const bearer = bearerOf(request);
  if (bearer !== undefined) return shaped(bearer, false);
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((one) => one.trim());
  const cookie = cookies.find((one) => one.startsWith(`${cookieName}=`));
  return cookie === undefined ? undefined : shaped(cookie.slice(cookieName.length + 1), true);
}

/**
 * @param baseUrl what clients see: the cookie goes there only, and only encrypted where that is https
 * @param token empty: the browser forgets the cookie
 */
export function sessionCookie(baseUrl: string, token: string, maxAgeS: number): string {
  const { protocol, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '') || '/';
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${cookieName}=${token}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}

function shaped(token: string, isCookie: boolean) {
  return tokenShape.test(token) ? { token, isCookie } : undefined;
}

/** How long sessions live. */
export interface SessionLifetime {
  /** Without a request. */
  readonly idleMs: number;
  /** In any case. */
  readonly absoluteMs: number;
}

/** A session with its user, whether or not it is still in force. */
interface FoundSession {
  readonly id: number;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly user_id: number;
  readonly email: string;
  readonly role: UserRole;
  readonly disabled_at: string | null;
}

/** Begins a session, and sweeps out those that are over; run it in a transaction. */
export async function insertSession(
  db: Queries,
  userId: number,
  lifetime: SessionLifetime,
): Promise<{ token: string; expiresAt: string }> {
  const now = Date.now();
  const at = new Date(now).toISOString();
  const idleSince = new Date(now - lifetime.idleMs).toISOString();
  await db
    .deleteFrom('session')
    .where((is) => is.or([is('expires_at', '<=', at), is('last_seen_at', '<=', idleSince)]))
    .execute();
  const token = createToken();
  const expiresAt = new Date(now + lifetime.absoluteMs).toISOString();
  await db
    .insertInto('session')
    .values({
      user_id: userId,
      token_hash: hashOfToken(token),
      created_at: at,
      last_seen_at: at,
      expires_at: expiresAt,
    })
    .execute();
  await db.updateTable('user').set({ last_sign_in_at: at }).where('id', '=', userId).execute();
  return { token, expiresAt };
}

/** Looked up by its hash: how long that takes tells nothing about the token. */
async function findSession(db: Queries, token: string): Promise<FoundSession | undefined> {
  const [found] = await sessionsByHash(db, { hash: hashOfToken(token) });
  return found;
}

const sessionsByHash = prepared((db, value: Value<{ hash: string }>) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select(['session.id', 'session.last_seen_at', 'session.expires_at'])
    .select(['session.user_id', 'user.email', 'user.role', 'user.disabled_at'])
    .where('session.token_hash', '=', value('hash')),
);

async function noteSeen(db: Queries, sessionId: number): Promise<void> {
  await db
    .updateTable('session')
    .set({ last_seen_at: new Date().toISOString() })
    .where('id', '=', sessionId)
    .execute();
}

export async function endSession(db: Queries, sessionId: number): Promise<void> {
  await db.deleteFrom('session').where('id', '=', sessionId).execute();
}

export async function endSessionsOf(db: Queries, userId: number): Promise<void> {
  await db.deleteFrom('session').where('user_id', '=', userId).execute();
}

/** Signs everybody out, and makes a setup link worthless. */
export async function endAllSessions(db: Queries): Promise<void> {
  await db.deleteFrom('session').execute();
  await db.deleteFrom('setup_token').execute();
}

/** When a session was last used is written down no more often than this. */
const seenPauseMs = 60_000;
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/** Who makes a request. */
export interface SignedIn {
  readonly user: { readonly id: number; readonly email: string; readonly role: UserRole };
  readonly session: {
    readonly id: number;
    readonly expiresAt: string;
    /** What `X-CSRF-Token` must carry; null for a bearer, which needs none. */
    readonly csrfToken: string | null;
  };
}

/** What dashboard routes ask first. */
export interface SessionAccess {
  /**
   * Any user.
   * @throws AppError `not_signed_in`; `csrf_failed` for a change by cookie without its token
   */
  user(request: Request): Promise<SignedIn>;
  /** @throws AppError as `user`, and `not_allowed` */
  admin(request: Request): Promise<SignedIn>;
  /**
   * A user with a part in the site. Admins may do everything; editors what viewers may.
   * @param siteParam id or slug, as it stands in the path
   * @param role what the part must be at least; `part` is what it is
   * @throws AppError as `user`; `not_found` for a site that doesn't exist or that one has no part in; `not_allowed`
   */
  site(
    request: Request,
    siteParam: string,
    role: SiteRole,
  ): Promise<SignedIn & { readonly site: SiteWithDomains; readonly part: SiteRole }>;
}

export interface SessionDeps {
  readonly database: Database;
  readonly findSite: (db: Queries, idOrSlug: string) => Promise<SiteWithDomains>;
  readonly lifetime: SessionLifetime;
  readonly log: Log;
}

export function createSessionAccess({
  database,
  findSite,
  lifetime,
  log,
}: SessionDeps): SessionAccess {
  const saving = new Set<number>();
  const seen = (session: FoundSession): void => {
    const pauseMs = Math.min(seenPauseMs, lifetime.idleMs / 10);
    if (Date.now() - Date.parse(session.last_seen_at) < pauseMs || saving.has(session.id)) return;
    saving.add(session.id);
    database
      .writeLazily((db) => noteSeen(db, session.id))
      .catch((error: unknown) => log.warn({ err: error }, 'session use'))
      .finally(() => saving.delete(session.id));
  };
  const user = async (request: Request): Promise<SignedIn> => {
    // What a user sees is nobody else's business; a route that knows better says so afterwards.
    factsOf(request).answerHeaders['cache-control'] = 'private, no-store';
    const given = tokenOf(request);
    const session = given === undefined ? undefined : await findSession(database.read, given.token);
    if (given === undefined || session === undefined || isOver(session, lifetime)) {
      throw new AppError('not_signed_in', 'Not signed in');
    }
    const csrfToken = given.isCookie ? csrfTokenOf(given.token) : null;
    if (csrfToken !== null && !safeMethods.includes(request.method)) {
      checkCsrf(request, csrfToken);
    }
    seen(session);
    return {
      user: { id: session.user_id, email: session.email, role: session.role },
      session: { id: session.id, expiresAt: session.expires_at, csrfToken },
    };
  };
  return {
    user,
    admin: async (request) => {
      const signedIn = await user(request);
      if (signedIn.user.role !== 'admin') throw new AppError('not_allowed', 'Not allowed');
      return signedIn;
    },
    site: async (request, siteParam, role) => {
      const signedIn = await user(request);
      const site = await findSite(database.read, siteParam);
      const own = await siteRoleOf(database.read, signedIn.user, site.id);
      // As if it did not exist: whose sites are here is nobody else's business.
      if (own === undefined) throw new AppError('not_found', `There is no site ${siteParam}`);
      if (role === 'editor' && own === 'viewer') throw new AppError('not_allowed', 'Not allowed');
      factsOf(request).siteId = site.id;
      return { ...signedIn, site, part: own };
    },
  };
}

function isOver(session: FoundSession, { idleMs }: SessionLifetime): boolean {
  const now = Date.now();
  return (
    session.disabled_at !== null ||
    Date.parse(session.expires_at) <= now ||
    Date.parse(session.last_seen_at) + idleMs <= now
  );
}

function checkCsrf(request: Request, expected: string): void {
  const given = request.headers.get('x-csrf-token');
  if (given === null || !isSameSecret(given, expected)) {
    throw new AppError('csrf_failed', 'CSRF token missing or wrong');
  }
}

async function siteRoleOf(
  db: Queries,
  user: SignedIn['user'],
  siteId: number,
): Promise<SiteRole | undefined> {
  if (user.role === 'admin') return 'editor';
  const [membership] = await memberships(db, { userId: user.id, siteId });
  return membership?.role;
}

const memberships = prepared((db, value: Value<{ userId: number; siteId: number }>) =>
  db
    .selectFrom('membership')
    .select('role')
    .where('user_id', '=', value('userId'))
    .where('site_id', '=', value('siteId')),
);
