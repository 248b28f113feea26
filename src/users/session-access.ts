import type { Database, Queries } from '../database/open.ts';
import { prepared, type Value } from '../database/prepared.ts';
import type { SiteRole, UserRole } from '../database/user-tables.ts';
import { AppError } from '../errors.ts';
import { factsOf } from '../http/request-facts.ts';
import { isSameSecret } from '../http/same-secret.ts';
import type { Log } from '../log.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import { type FoundSession, findSession, noteSeen, type SessionLifetime } from './session-store.ts';
import { csrfTokenOf, tokenOf } from './session-token.ts';

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
