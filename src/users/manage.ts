import type { Queries } from '../database/open.ts';
import type { UserRole } from '../database/user-tables.ts';
import { AppError } from '../errors.ts';
import { audit } from './audit.ts';
import { difference } from './difference.ts';
import { readEmail } from './email.ts';
import { endSessionsOf } from './session-store.ts';
import {
  deleteUser,
  findUser,
  findUserByEmail,
  hasAdmin,
  insertUser,
  type Membership,
  replaceMemberships,
  type UserWithSites,
  updateUser,
} from './store.ts';

/** Who makes a change; null: by command line. */
type By = number | null;

export interface NewUser {
  readonly email: string;
  readonly passwordHash: string;
  readonly role: UserRole;
  readonly memberships: readonly Membership[];
}

/** What is undefined stays. */
export interface UserChanges {
  readonly email?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly disabled?: boolean | undefined;
  readonly memberships?: readonly Membership[] | undefined;
}

/**
 * Run it in a transaction, as all of these.
 * @param by `self`: the user that is made, out of the setup link
 * @throws AppError `conflict` when the address is taken
 */
export async function createUser(
  db: Queries,
  by: By | 'self',
  user: NewUser,
): Promise<UserWithSites> {
  const email = readEmail(user.email);
  await checkFree(db, email);
  const id = await insertUser(db, { ...user, email });
  await replaceMemberships(db, id, user.memberships);
  const made = await existing(db, id);
  await audit(db, {
    userId: by === 'self' ? id : by,
    action: 'user.created',
    subject: email,
    after: shownInAudit(made),
  });
  return made;
}

/** @throws AppError `not_found`; `conflict`: the address is taken, or no admin would be left */
export async function changeUser(
  db: Queries,
  by: By,
  userId: number,
  changes: UserChanges,
): Promise<UserWithSites> {
  const before = await existing(db, userId);
  const email = changes.email === undefined ? before.email : readEmail(changes.email);
  if (email !== before.email) await checkFree(db, email);
  const hadAdmin = await hasAdmin(db);
  await updateUser(db, userId, {
    email,
    ...(changes.role !== undefined && { role: changes.role }),
    ...(changes.disabled !== undefined && {
      disabled_at: changes.disabled ? (before.disabled_at ?? new Date().toISOString()) : null,
    }),
    ...(changes.passwordHash !== undefined && { password_hash: changes.passwordHash }),
  });
  if (changes.memberships !== undefined) await replaceMemberships(db, userId, changes.memberships);
  if (hadAdmin) await checkAdminLeft(db);
  if (changes.disabled === true || changes.passwordHash !== undefined) {
    await endSessionsOf(db, userId);
  }
  const after = await existing(db, userId);
  const changed = difference(shownInAudit(before), shownInAudit(after));
  if (changed !== undefined) {
    await audit(db, { userId: by, action: 'user.changed', subject: before.email, ...changed });
  }
  if (changes.passwordHash !== undefined) {
    await audit(db, { userId: by, action: 'user.password_changed', subject: after.email });
  }
  return after;
}

/** @throws AppError `not_found`; `conflict` when no admin would be left */
export async function removeUser(db: Queries, by: By, userId: number): Promise<void> {
  const before = await existing(db, userId);
  const hadAdmin = await hasAdmin(db);
  await audit(db, {
    userId: by,
    action: 'user.removed',
    subject: before.email,
    before: shownInAudit(before),
  });
  await deleteUser(db, userId);
  if (hadAdmin) await checkAdminLeft(db);
}

async function existing(db: Queries, userId: number): Promise<UserWithSites> {
  const user = await findUser(db, userId);
  if (user === undefined) throw new AppError('not_found', `There is no user ${userId}`);
  return user;
}

async function checkFree(db: Queries, email: string): Promise<void> {
  if ((await findUserByEmail(db, email)) === undefined) return;
  throw new AppError('conflict', 'E-mail address already registered', {
    email: [`${email} belongs to another user`],
  });
}

async function checkAdminLeft(db: Queries): Promise<void> {
  if (await hasAdmin(db)) return;
  throw new AppError('conflict', 'The last admin must stay one');
}

function shownInAudit({ email, role, disabled_at, sites }: UserWithSites) {
  return {
    email,
    role,
    disabled: disabled_at !== null,
    sites: sites.map((site) => ({ site: site.slug, role: site.role })),
  };
}
