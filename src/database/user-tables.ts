import type { Generated, Selectable } from 'kysely';

type Timestamp = string;

export type UserRole = 'admin' | 'member';
export type SiteRole = 'editor' | 'viewer';

interface UserTable {
  id: Generated<number>;
  /** In lower case. */
  email: string;
  /** Argon2id with its own parameters and salt. */
  password_hash: string;
  role: UserRole;
  disabled_at: Timestamp | null;
  last_sign_in_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The part that a member has in a site; admins need none. */
interface MembershipTable {
  user_id: number;
  site_id: number;
  role: SiteRole;
}

interface SessionTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  created_at: Timestamp;
  /** Written now and then, not at each request. */
  last_seen_at: Timestamp;
  expires_at: Timestamp;
}

/** Lets whoever holds the setup link make the first admin. */
interface SetupTokenTable {
  /** SHA-256 of the token, hex. */
  hash: string;
  expires_at: Timestamp;
}

interface AuditEntryTable {
  id: Generated<number>;
  at: Timestamp;
  /** Null for what was done by command line. */
  user_id: number | null;
  /** The user's e-mail address at that time, or `command line`. */
  actor: string;
  /** Like `key.rotated`. */
  action: string;
  site_id: number | null;
  /** What was changed, as a person would name it. */
  subject: string | null;
  /** JSON of the members that changed. */
  before: string | null;
  after: string | null;
}

export interface UserTables {
  user: UserTable;
  membership: MembershipTable;
  session: SessionTable;
  setup_token: SetupTokenTable;
  audit_entry: AuditEntryTable;
}

export type User = Selectable<UserTable>;
export type AuditEntry = Selectable<AuditEntryTable>;
