import { currentTimeMs, timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Queries } from '../database/database.ts';
import type { CreateWindowCounter, WindowCounter } from '../http/rate-limit.ts';
import { clientNetwork, consumeAttempt } from '../http/rate-limit.ts';
import { createToken, hashToken } from './sessions.ts';

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
