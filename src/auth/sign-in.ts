import { randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import { currentTimeMs, dayMs, timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Queries } from '../database/database.ts';
import { AppError, notFound } from '../errors.ts';
import { type CreateWindowCounter, clientNetwork, consumeAttempt, type WindowCounter } from '../http/rate-limit.ts';
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
  if (user === undefined) throw notFound('User', userId);
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

/** Browsers keep no cookie longer. */
const deviceLifetimeDays = 400;
export const deviceCookieMaxAgeS = deviceLifetimeDays * 86_400;
/** A program that signs in without cookies is a new device each time. */
const maxDevicesPerUser = 20;

/** Limits failed sign-ins, for the longer the more there are, also if they come slowly. */
export class SignInLimits {
  readonly #addresses: WindowCounter;
  readonly #accounts: WindowCounter;
  readonly #devices: WindowCounter;

  constructor(
    {
      maxFailuresPerMinute,
      maxAccountFailuresPerMinute,
    }: Pick<Config, 'maxFailuresPerMinute' | 'maxAccountFailuresPerMinute'>,
    createCounter: CreateWindowCounter,
  ) {
    const isGrowing = true;
    this.#addresses = createCounter('sign-ins by address', maxFailuresPerMinute, { isGrowing });
    this.#accounts = createCounter('sign-ins by account', maxAccountFailuresPerMinute, { isGrowing });
    this.#devices = createCounter('sign-ins by device', maxAccountFailuresPerMinute, { isGrowing });
  }

  get size(): number {
    return this.#addresses.size + this.#accounts.size + this.#devices.size;
  }

  /**
   * Counts an attempt until it succeeds, so that parallel attempts count.
   * @param account of the attempt; undefined: only the address is limited
   * @param deviceId of a device that has signed in to the account: limited by itself, whatever others guess
   * @throws AppError `rate_limited`
   */
  async attempt(
    request: Request,
    { account, deviceId }: { readonly account?: string; readonly deviceId?: number | undefined },
    check: () => Promise<boolean>,
  ): Promise<boolean> {
    const counted: [WindowCounter, string | number][] = [];
    const refund = async (): Promise<void> => {
      for (const [counter, caller] of counted) await counter.refund(caller);
    };
    const count = async (counter: WindowCounter, caller: string | number): Promise<void> => {
      await consumeAttempt(request, counter, caller);
      counted.push([counter, caller]);
    };
    try {
      if (deviceId === undefined) {
        await count(this.#addresses, clientNetwork(request));
        if (account !== undefined) await count(this.#accounts, account);
      } else {
        await count(this.#devices, deviceId);
      }
      const isCorrect = await check();
      if (isCorrect) await refund();
      return isCorrect;
    } catch (error) {
      // A refused attempt, or a check that fails, is no wrong guess.
      await refund();
      throw error;
    }
  }
}

/** @returns the device and its user; undefined if it is unknown */
export function findDevices(db: Queries, token: string) {
  return db
    .selectFrom('known_device')
    .select(['id', 'user_id'])
    .where('token_hash', '=', hashToken(token))
    .where('last_sign_in_at', '>', timestamp(currentTimeMs() - deviceCookieMaxAgeS * 1000))
    .execute();
}

/**
 * Remembers that a user signed in on a device, and forgets the oldest devices. Run it in a transaction.
 * @param previousToken of its cookie; it loses its validity
 * @returns the new token
 */
export async function rememberDevice(db: Queries, userId: number, previousToken: string | undefined): Promise<string> {
  const token = createToken();
  const at = timestamp();
  if (previousToken !== undefined) {
    const renewed = { token_hash: hashToken(token) };
    await db.updateTable('known_device').set(renewed).where('token_hash', '=', hashToken(previousToken)).execute();
  }
  await db
    .insertInto('known_device')
    .values({ user_id: userId, token_hash: hashToken(token), created_at: at, last_sign_in_at: at })
    .onConflict((conflict) => conflict.columns(['token_hash', 'user_id']).doUpdateSet({ last_sign_in_at: at }))
    .execute();
  const newest = db
    .selectFrom('known_device')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_sign_in_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxDevicesPerUser);
  await db.deleteFrom('known_device').where('user_id', '=', userId).where('id', 'not in', newest).execute();
  return token;
}
