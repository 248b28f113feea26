import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type { AuditEntry } from '../database/schema.ts';

export interface StateDiff {
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** @returns undefined when nothing differs */
export function diffStates<State extends object>(before: State, after: State): StateDiff | undefined {
  const now = new Map(Object.entries(after));
  const changed = Object.entries(before).filter(([name, value]) => !isEqualJson(value, now.get(name)));
  if (changed.length === 0) return undefined;
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([name]) => [name, now.get(name)])),
  };
}

function isEqualJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const commandLine = 'command line';

export interface NewAuditEntry {
  /** Null: the command line. */
  readonly userId: number | null;
  /** For example `key.rotated`. */
  readonly action: string;
  readonly siteId?: number;
  /** Name of the changed object: an e-mail address, the name of a key. */
  readonly subject?: string;
  /** Previous values of the changed members. Never a secret or its hash. */
  readonly before?: object;
  /** The same members after the change. */
  readonly after?: object;
}

/** Call it in the transaction of the change. */
export async function insertAuditEntry(db: Queries, change: NewAuditEntry): Promise<void> {
  const { userId, action, siteId, subject, before, after } = change;
  await db
    .insertInto('audit_entry')
    .values({
      at: timestamp(),
      user_id: userId,
      actor: await resolveActor(db, userId),
      action,
      site_id: siteId ?? null,
      subject: subject ?? null,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    })
    .execute();
}

export interface AuditFilter {
  readonly siteId: number | undefined;
  /** E-mail address at that time, or `command line`. */
  readonly actor: string | undefined;
  /** An action such as `key.rotated`, or a resource such as `key`. */
  readonly action: string | undefined;
  readonly from: string | undefined;
  /** Exclusive. */
  readonly to: string | undefined;
  /** The id that comes after the first. */
  readonly before: number | undefined;
  readonly limit: number;
}

export function listAuditEntries(db: Queries, filter: AuditFilter): Promise<AuditEntry[]> {
  let query = db.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').limit(filter.limit);
  if (filter.siteId !== undefined) query = query.where('site_id', '=', filter.siteId);
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor.toLowerCase());
  const { action } = filter;
  if (action?.includes('.')) query = query.where('action', '=', action);
  else if (action !== undefined) {
    // `posts.remade` belongs to `post`.
    query = query.where((row) =>
      row.or(
        [action, `${action}s`].map((kind) =>
          // A slash sorts after the dot.
          row.and([row('action', '>=', `${kind}.`), row('action', '<', `${kind}/`)]),
        ),
      ),
    );
  }
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('at', '<', filter.to);
  if (filter.before !== undefined) query = query.where('id', '<', filter.before);
  return query.execute();
}

/** The current name of a user: entries outlive users. @param userId null: the command line */
export async function resolveActor(db: Queries, userId: number | null): Promise<string> {
  if (userId === null) return commandLine;
  const row = await db.selectFrom('user').select('email').where('id', '=', userId).executeTakeFirst();
  return row?.email ?? `user ${userId}`;
}
