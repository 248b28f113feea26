import type { UserRecord } from './schema.ts';
import type { UserWithSites } from './store.ts';

/** @returns a user as answers show one: nothing of the password */
export function userRecord(user: UserWithSites): UserRecord {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    disabled: user.disabled_at !== null,
    sites: user.sites.map(({ id, slug, name, role }) => ({ id, slug, name, role })),
    last_sign_in_at: user.last_sign_in_at,
    created_at: user.created_at,
    updated_at: user.updated_at,
  };
}
