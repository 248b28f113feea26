import { randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import { currentTimeMs, dayMs, timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { insertAuditEntry } from './audit-log.ts';
import type { PasswordLink } from './schema.ts';
import { createToken, hashToken } from './sessions.ts';
import {
  type ActorId,
  createUser,
  findUser,
  hasPassword,
  type NewUser,
  type UserWithSites,
  updateUser,
} from './users.ts';

/** 64 MiB and about 0.1 s of a core for each hash. */
const argon2Options = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const;
/** Limits the memory of concurrent sign-ins. */
const maxConcurrentHashes = 2;
const maxWaitingHashes = 200;

/** Hashes and checks passwords away from the event loop, few at a time. */
export interface PasswordHasher {
  /** @throws AppError `busy` when too many wait already */
  hash(password: string): Promise<string>;
  /**
   * Takes the same time without a hash, so that it does not reveal whether an address is known.
   * @throws AppError `busy` when too many wait already
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswordHasher(): PasswordHasher {
  const queue = new PQueue({ concurrency: maxConcurrentHashes });
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= maxWaitingHashes)
      throw new AppError('busy', 'Too many concurrent sign-ins. Try again in a few seconds.');
    return queue.add(work);
  };
  const hash = (password: string): Promise<string> => Bun.password.hash(normalizePassword(password), argon2Options);
  let nobodys: Promise<string> | undefined;
  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: (password, known) =>
      inTurn(async () => {
        // Created at the first sign-in of any user, which reveals nothing either.
        nobodys ??= hash(randomBytes(32).toString('base64'));
        const isRight = await Bun.password.verify(normalizePassword(password), known ?? (await nobodys));
        return isRight && known !== undefined;
      }),
  };
}

/** The same letters however a keyboard composes them. */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

const lifetimeMs = 3 * dayMs;

/**
 * Creates a user without a password, with the link by which they choose one. Run it in a transaction, as the next.
 * @param baseUrl address that clients see
 * @throws AppError `conflict` if the address is in use
 */
export async function inviteUser(
  db: Queries,
  by: ActorId,
  user: Omit<NewUser, 'passwordHash'>,
  baseUrl: string,
): Promise<PasswordLink> {
  const { id } = await createUser(db, by, { ...user, passwordHash: '' });
  return createPasswordLink(db, by, id, baseUrl);
}

/**
 * Creates the link by which a user chooses a password, and invalidates earlier ones. The URL is a secret.
 * @throws AppError `not_found`; `conflict` for a disabled user
 */
export async function createPasswordLink(
  db: Queries,
  by: ActorId,
  userId: number,
  baseUrl: string,
): Promise<PasswordLink> {
  const user = await findUser(db, userId);
  if (user === undefined) throw new AppError('not_found', `User ${userId} not found`);
  if (user.disabled_at !== null) {
    throw new AppError('conflict', 'Link not created: the user is disabled. Enable the user first.');
  }
  const token = createToken();
  const row = { hash: hashToken(token), expires_at: timestamp(currentTimeMs() + lifetimeMs) };
  await db
    .insertInto('password_link')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
  const kind = toKind(user);
  const action = kind === 'invitation' ? 'user.invited' : 'user.reset_link_created';
  await insertAuditEntry(db, { userId: by, action, subject: user.email });
  const { id, email } = user;
  // Browsers do not send the fragment, so no proxy logs it.
  return { user: { id, email }, kind, url: `${baseUrl}/#${kind}=${token}`, expires_at: row.expires_at };
}

/** @returns what a link is for; undefined if its token is wrong, used or expired */
export async function findPasswordLink(db: Queries, token: string) {
  const link = await db
    .selectFrom('password_link')
    .select(['user_id', 'expires_at'])
    .where('hash', '=', hashToken(token))
    .where('expires_at', '>', timestamp())
    .executeTakeFirst();
  const user = link && (await findUser(db, link.user_id));
  if (user === undefined || link === undefined) return undefined;
  return { userId: user.id, email: user.email, kind: toKind(user), expires_at: link.expires_at };
}

/**
 * Sets the password of the user, which uses the link up and ends all sessions. Run it in a transaction.
 * @throws AppError `password_link_invalid`
 */
export async function usePasswordLink(db: Queries, token: string, passwordHash: string): Promise<UserWithSites> {
  const link = await findPasswordLink(db, token);
  if (link === undefined) throw passwordLinkInvalidError();
  return updateUser(db, link.userId, link.userId, { passwordHash });
}

export function passwordLinkInvalidError(): AppError {
  return new AppError(
    'password_link_invalid',
    'Link invalid: it is wrong, used or expired. Ask an admin for a new one.',
  );
}

function toKind(user: UserWithSites): PasswordLink['kind'] {
  return hasPassword(user) ? 'reset' : 'invitation';
}
