import { currentTimeMs, dayMs, timestamp } from '../clock.ts';
import { fromColumns } from '../database/columns.ts';
import type { Cluster, Database, Queries } from '../database/database.ts';
import type { SiteRole, User, UserRole } from '../database/schema.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { diffStates, insertAuditEntry } from './audit-log.ts';
import { UserRecord } from './schema.ts';
import { createToken, deleteUserDevices, deleteUserSessions, hashToken } from './sessions.ts';
import { undoableSince } from './undo.ts';

export function toUserRecord(user: UserWithSites): UserRecord {
  return fromColumns(UserRecord, {
    ...user,
    disabled: user.disabled_at === null ? 0 : 1,
    invited: hasPassword(user) ? 0 : 1,
  });
}

/** False: the user was invited and cannot sign in yet. */
export function hasPassword({ password_hash }: Pick<User, 'password_hash'>): boolean {
  return password_hash !== '';
}

const maxEmailLength = 254;

export function normalizeEmail(address: string): string {
  return address.trim().normalize('NFC').toLowerCase();
}

/**
 * Validates an address. Local names like `admin@localhost` are allowed: no mail is sent.
 * @throws AppError `validation_failed`
 */
function parseEmail(address: string): string {
  const email = normalizeEmail(address);
  if (/^[^\s@]+@[^\s@]+$/.test(email) && email.length <= maxEmailLength) return email;
  throw invalid('email', 'must be an e-mail address');
}

export type UserWithSites = User & Pick<UserRecord, 'sites'>;

export interface SiteRoleAssignment {
  readonly siteId: number;
  readonly role: SiteRole;
}

async function replaceSiteRoles(
  db: Queries,
  userId: number,
  memberships: readonly SiteRoleAssignment[],
): Promise<void> {
  await db
    .deleteFrom('membership')
    .where('user_id', '=', userId)
    // A deleted site gets its users back when it is restored.
    .where('site_id', 'in', (sites) => sites.selectFrom('site').select('id').where('deleted_at', 'is', null))
    .execute();
  for (const { siteId, role } of memberships) {
    await db
      .insertInto('membership')
      .values({ user_id: userId, site_id: siteId, role })
      // The last role counts if a site is listed twice.
      .onConflict((conflict) => conflict.columns(['user_id', 'site_id']).doUpdateSet({ role }))
      .execute();
  }
}

export async function findUser(db: Queries, userId: number): Promise<UserWithSites | undefined> {
  const user = await selectUsers(db).where('id', '=', userId).executeTakeFirst();
  return user === undefined ? undefined : withSites(db, user);
}

/** @param email normalized */
export function findUserByEmail(db: Queries, email: string): Promise<User | undefined> {
  return selectUsers(db).where('email', '=', email).executeTakeFirst();
}

function selectUsers(db: Queries) {
  return db.selectFrom('user').selectAll().where('deleted_at', 'is', null);
}

export async function listUsers(
  db: Queries,
  page?: { readonly limit: number; readonly after: number },
): Promise<UserWithSites[]> {
  const all = selectUsers(db).orderBy('id');
  const query = page === undefined ? all : all.where('id', '>', page.after).limit(page.limit);
  const users = await query.execute();
  return Promise.all(users.map((user) => withSites(db, user)));
}

/** Whether an active admin exists. */
async function hasAdmin(db: Queries): Promise<boolean> {
  const admin = await selectUsersWithPassword(db).where('role', '=', 'admin').limit(1).executeTakeFirst();
  return admin !== undefined;
}

/** Whether anybody can sign in. */
export async function hasUsers(db: Queries): Promise<boolean> {
  return (await selectUsersWithPassword(db).limit(1).executeTakeFirst()) !== undefined;
}

function selectUsersWithPassword(db: Queries) {
  return db.selectFrom('user').select('id').where('disabled_at', 'is', null).where('password_hash', '!=', '');
}

async function withSites(db: Queries, user: User): Promise<UserWithSites> {
  const sites = await db
    .selectFrom('membership')
    .innerJoin('site', 'site.id', 'membership.site_id')
    .select(['site.id', 'site.slug', 'site.name', 'membership.role'])
    .where('membership.user_id', '=', user.id)
    .where('site.deleted_at', 'is', null)
    .orderBy('site.id')
    .execute();
  return { ...user, sites };
}

/** Null: the command line. */
export type ActorId = number | null;

export interface NewUser {
  readonly email: string;
  readonly passwordHash: string;
  readonly role: UserRole;
  readonly siteRoles: readonly SiteRoleAssignment[];
}

export interface UserChanges {
  readonly email?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly disabled?: boolean | undefined;
  readonly siteRoles?: readonly SiteRoleAssignment[] | undefined;
}

/**
 * Run it in a transaction, as all of these.
 * @param by `self`: the user itself, by the setup link
 * @throws AppError `conflict` if the address is in use
 */
export async function createUser(db: Queries, by: ActorId | 'self', user: NewUser): Promise<UserWithSites> {
  const email = parseEmail(user.email);
  await requireUnusedEmail(db, email);
  const now = timestamp();
  const { id } = await db
    .insertInto('user')
    .values({
      ...{ email, password_hash: user.passwordHash, role: user.role },
      ...{ disabled_at: null, last_sign_in_at: null, created_at: now, updated_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await replaceSiteRoles(db, id, user.siteRoles);
  const created = await requireUser(db, id);
  await insertAuditEntry(db, {
    userId: by === 'self' ? id : by,
    action: 'user.created',
    subject: email,
    after: toAuditState(created),
  });
  return created;
}

/** @throws AppError `not_found`; `conflict`: the address is in use, or no admin would be left */
export async function updateUser(
  db: Queries,
  by: ActorId,
  userId: number,
  changes: UserChanges,
): Promise<UserWithSites> {
  const before = await requireUser(db, userId);
  const email = changes.email === undefined ? before.email : parseEmail(changes.email);
  if (email !== before.email) await requireUnusedEmail(db, email);
  const hadAdmin = await hasAdmin(db);
  const now = timestamp();
  const { role, disabled, passwordHash } = changes;
  await db
    .updateTable('user')
    .set({
      ...{ email, role, password_hash: passwordHash, updated_at: now },
      ...(disabled !== undefined && { disabled_at: disabled ? (before.disabled_at ?? now) : null }),
    })
    .where('id', '=', userId)
    .execute();
  if (changes.siteRoles !== undefined) await replaceSiteRoles(db, userId, changes.siteRoles);
  if (hadAdmin) await requireRemainingAdmin(db);
  if (disabled === true || passwordHash !== undefined || email !== before.email) {
    await db.deleteFrom('password_link').where('user_id', '=', userId).execute();
  }
  if (disabled === true || passwordHash !== undefined) {
    await deleteUserSessions(db, userId);
    await deleteUserDevices(db, userId);
  }
  const after = await requireUser(db, userId);
  const changed = diffStates(toAuditState(before), toAuditState(after));
  if (changed !== undefined) {
    await insertAuditEntry(db, { userId: by, action: 'user.changed', subject: before.email, ...changed });
  }
  if (passwordHash !== undefined) {
    await insertAuditEntry(db, { userId: by, action: 'user.password_changed', subject: after.email });
  }
  return after;
}

/** Ends all sessions; can be undone for a minute. @throws AppError `not_found`; `conflict` when no admin would be left */
export async function deleteUser(db: Queries, by: ActorId, userId: number): Promise<void> {
  const before = await requireUser(db, userId);
  const hadAdmin = await hasAdmin(db);
  await insertAuditEntry(db, {
    userId: by,
    action: 'user.removed',
    subject: before.email,
    before: toAuditState(before),
  });
  const deleted_at = timestamp();
  // Also disabled, so that the checks at sign-in need not know of deletions.
  const disabled_at = before.disabled_at ?? deleted_at;
  await db.updateTable('user').set({ deleted_at, disabled_at }).where('id', '=', userId).execute();
  await deleteUserSessions(db, userId);
  if (hadAdmin) await requireRemainingAdmin(db);
}

/** Undoes a deletion; its sessions stay ended. @throws AppError `not_found`, also when it was more than a minute ago */
export async function restoreUser(db: Queries, by: ActorId, userId: number): Promise<UserWithSites> {
  const restored = await db
    .updateTable('user')
    .set((row) => ({ deleted_at: null, disabled_at: row.fn<string | null>('nullif', ['disabled_at', 'deleted_at']) }))
    .where('id', '=', userId)
    .where('deleted_at', '>', undoableSince())
    .returning('email')
    .executeTakeFirst();
  if (restored === undefined) {
    throw new AppError('not_found', `User ${userId} not found among those deleted in the last minute`);
  }
  await insertAuditEntry(db, { userId: by, action: 'user.restored', subject: restored.email });
  return requireUser(db, userId);
}

async function requireUser(db: Queries, userId: number): Promise<UserWithSites> {
  const user = await findUser(db, userId);
  if (user === undefined) throw notFound('User', userId);
  return user;
}

async function requireUnusedEmail(db: Queries, email: string): Promise<void> {
  // A deletion cannot be undone once another user gets the address.
  await db.deleteFrom('user').where('email', '=', email).where('deleted_at', 'is not', null).execute();
  if ((await findUserByEmail(db, email)) === undefined) return;
  throw new AppError('conflict', 'E-mail address already registered', { email: [`${email} belongs to another user`] });
}

async function requireRemainingAdmin(db: Queries): Promise<void> {
  if (await hasAdmin(db)) return;
  throw new AppError('conflict', 'At least one enabled admin is required');
}

function toAuditState({ email, role, disabled_at, sites }: UserWithSites) {
  return {
    email,
    role,
    disabled: disabled_at !== null,
    sites: sites.map((site) => ({ site: site.slug, role: site.role })),
  };
}

const setupLinkLifetimeMs = dayMs;

/**
 * Creates the setup link of the first admin and invalidates earlier ones, unless another server runs: it has printed one, too.
 * @returns undefined if there is an admin. A secret: print it on the terminal, never log it
 */
export async function createSetupLink(database: Database, baseUrl: string): Promise<string | undefined> {
  if (await hasAdmin(database.read)) return undefined;
  const token = createToken();
  await database.write('server', async (db) => {
    if (!(await isAnotherServerRunning(db, database.cluster))) await db.deleteFrom('setup_token').execute();
    await db
      .insertInto('setup_token')
      .values({
        hash: hashToken(token),
        expires_at: timestamp(currentTimeMs() + setupLinkLifetimeMs),
      })
      .execute();
  });
  // Browsers do not send the fragment, so no proxy logs it.
  return `${baseUrl}/#setup=${token}`;
}

async function isAnotherServerRunning(db: Queries, cluster: Cluster | undefined): Promise<boolean> {
  if (cluster === undefined) return false;
  const servers = db
    .selectFrom('machine')
    .select('id')
    .where('role', '=', 'serve')
    .where('id', '!=', cluster.machineId);
  return (await servers.limit(1).executeTakeFirst()) !== undefined;
}

/** @returns false for a wrong, used or expired token, and once there is an admin */
export async function isValidSetupToken(db: Queries, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('setup_token')
    .select('hash')
    .where('hash', '=', hashToken(token))
    .where('expires_at', '>', timestamp())
    .executeTakeFirst();
  return row !== undefined && !(await hasAdmin(db));
}

/** Uses up a token. Run it in the transaction that creates the user. */
export async function consumeSetupToken(db: Queries, token: string): Promise<boolean> {
  const isValid = await isValidSetupToken(db, token);
  if (isValid) await db.deleteFrom('setup_token').execute();
  return isValid;
}
