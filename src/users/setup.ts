import type { Database, Queries } from '../database/open.ts';
import { createToken, hashOfToken } from './session-token.ts';
import { hasAdmin } from './store.ts';

const validMs = 24 * 3_600_000;

/**
 * Makes the one link that lets a person make the first admin; an earlier one is worth nothing then.
 * @param baseUrl what clients see
 * @returns undefined when there is an admin. It is a secret: for the person at the terminal, never for a log
 */
export async function createSetupLink(
  database: Database,
  baseUrl: string,
): Promise<string | undefined> {
  if (await hasAdmin(database.read)) return undefined;
  const token = createToken();
  await database.write(async (db) => {
    await db.deleteFrom('setup_token').execute();
    await db
      .insertInto('setup_token')
      .values({
        hash: hashOfToken(token),
        expires_at: new Date(Date.now() + validMs).toISOString(),
      })
      .execute();
  });
  // What stands behind # is sent to no server, so no proxy logs it.
  return `${baseUrl}/#setup=${token}`;
}

/** @returns false for a token that is wrong, used or expired, and for every one once there is an admin */
export async function checkSetupToken(db: Queries, token: string): Promise<boolean> {
  const known = await db
    .selectFrom('setup_token')
    .select('hash')
    .where('hash', '=', hashOfToken(token))
    .where('expires_at', '>', new Date().toISOString())
    .executeTakeFirst();
  return known !== undefined && !(await hasAdmin(db));
}

/** Checks a token and makes it worthless; run it in the transaction that makes the user. */
export async function spendSetupToken(db: Queries, token: string): Promise<boolean> {
  const isRight = await checkSetupToken(db, token);
  if (isRight) await db.deleteFrom('setup_token').execute();
  return isRight;
}
