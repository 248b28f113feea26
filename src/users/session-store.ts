import type { Queries } from '../database/open.ts';
import { prepared, type Value } from '../database/prepared.ts';
import type { UserRole } from '../database/user-tables.ts';
import { createToken, hashOfToken } from './session-token.ts';

/** How long sessions live. */
export interface SessionLifetime {
  /** Without a request. */
  readonly idleMs: number;
  /** In any case. */
  readonly absoluteMs: number;
}

/** A session with its user, whether or not it is still in force. */
export interface FoundSession {
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
export async function findSession(db: Queries, token: string): Promise<FoundSession | undefined> {
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

export async function noteSeen(db: Queries, sessionId: number): Promise<void> {
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
