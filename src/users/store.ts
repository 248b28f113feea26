import type { Queries } from '../database/open.ts';
import type { SiteRole, User, UserRole } from '../database/user-tables.ts';

/** A user with the sites of theirs. */
export type UserWithSites = User & { readonly sites: SiteOfUser[] };

interface SiteOfUser {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly role: SiteRole;
}

/** The part that a member gets in a site. */
export interface Membership {
  readonly siteId: number;
  readonly role: SiteRole;
}

export async function insertUser(
  db: Queries,
  user: { readonly email: string; readonly passwordHash: string; readonly role: UserRole },
): Promise<number> {
  const now = new Date().toISOString();
  const { id } = await db
    .insertInto('user')
    .values({
      email: user.email,
      password_hash: user.passwordHash,
      role: user.role,
      disabled_at: null,
      last_sign_in_at: null,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateUser(
  db: Queries,
  userId: number,
  changes: Partial<Pick<User, 'email' | 'password_hash' | 'role' | 'disabled_at'>>,
): Promise<void> {
  await db
    .updateTable('user')
    .set({ ...changes, updated_at: new Date().toISOString() })
    .where('id', '=', userId)
    .execute();
}

export async function deleteUser(db: Queries, userId: number): Promise<void> {
  await db.deleteFrom('user').where('id', '=', userId).execute();
}

/** Leaves a user exactly these parts. */
export async function replaceMemberships(
  db: Queries,
  userId: number,
  memberships: readonly Membership[],
): Promise<void> {
  await db.deleteFrom('membership').where('user_id', '=', userId).execute();
  for (const { siteId, role } of memberships) {
    await db
      .insertInto('membership')
      .values({ user_id: userId, site_id: siteId, role })
      // A site that is named twice has the role that stands last.
      .onConflict((conflict) => conflict.columns(['user_id', 'site_id']).doUpdateSet({ role }))
      .execute();
  }
}

export async function findUser(db: Queries, userId: number): Promise<UserWithSites | undefined> {
  const user = await db.selectFrom('user').selectAll().where('id', '=', userId).executeTakeFirst();
  return user === undefined ? undefined : withSites(db, user);
}

/** @param email normalized */
export function findUserByEmail(db: Queries, email: string): Promise<User | undefined> {
  return db.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst();
}

/** Users by id; all of them, or a page. */
export async function listUsers(
  db: Queries,
  page?: { readonly limit: number; readonly after: number },
): Promise<UserWithSites[]> {
  const all = db.selectFrom('user').selectAll().orderBy('id');
  const asked = page === undefined ? all : all.where('id', '>', page.after).limit(page.limit);
  const users = await asked.execute();
  return Promise.all(users.map((user) => withSites(db, user)));
}

/** @returns whether anybody can manage the installation */
export async function hasAdmin(db: Queries): Promise<boolean> {
  const admin = await db
    .selectFrom('user')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
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
