import type { Queries } from '../database/open.ts';
import type { AuditEntry } from '../database/user-tables.ts';

const commandLine = 'command line';

/** A change, as it is told to the audit log. */
export interface Change {
  /** Who made it; null: by command line. */
  readonly userId: number | null;
  /** What was done, like `key.rotated`. */
  readonly action: string;
  readonly siteId?: number;
  /** What was changed, as a person would name it: an e-mail address, the name of a key. */
  readonly subject?: string;
  /** The members that changed, as they were. Never a secret: no key, token, password or hash of one. */
  readonly before?: object;
  /** The same members as they are now. */
  readonly after?: object;
}

/** Writes a change down. Call it in the transaction that makes the change: both are kept, or neither. */
export async function audit(db: Queries, change: Change): Promise<void> {
  const { userId, action, siteId, subject, before, after } = change;
  await db
    .insertInto('audit_entry')
    .values({
      at: new Date().toISOString(),
      user_id: userId,
      actor: await actorOf(db, userId),
      action,
      site_id: siteId ?? null,
      subject: subject ?? null,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    })
    .execute();
}

/** Entries, newest first. @param asked `before`: the id that comes after the first */
export function listAudit(
  db: Queries,
  asked: {
    readonly siteId: number | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  },
): Promise<AuditEntry[]> {
  let query = db.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').limit(asked.limit);
  if (asked.siteId !== undefined) query = query.where('site_id', '=', asked.siteId);
  if (asked.before !== undefined) query = query.where('id', '<', asked.before);
  return query.execute();
}

/** Who does something, by name, as it is at that moment: what is written down outlives the user. @param userId null: by command line */
export async function actorOf(db: Queries, userId: number | null): Promise<string> {
  if (userId === null) return commandLine;
  const row = await db
    .selectFrom('user')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.email ?? `user ${userId}`;
}
