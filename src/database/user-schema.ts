import type { Generated } from 'kysely';

/** ISO 8601 UTC, millisecond precision: sorts as text. */
type Timestamp = string;

interface UserTable {
  id: Generated<number>;
  /** In lower case. */
  email: string;
  /** Argon2id with its own parameters and salt. Empty: the user was invited and has no password yet. */
  password_hash: string;
  role: 'admin' | 'member';
  disabled_at: Timestamp | null;
  last_sign_in_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Soft deletion of a user, who is also disabled; the row is deleted after a minute. */
  deleted_at: Generated<Timestamp | null>;
}

/** The role of a member on a site; admins need none. */
interface MembershipTable {
  user_id: number;
  site_id: number;
  role: 'editor' | 'viewer';
}

interface SessionTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  created_at: Timestamp;
  /** Not updated at each request. */
  last_seen_at: Timestamp;
  expires_at: Timestamp;
  /** Browser and system at the sign-in, such as `Firefox on Windows`. */
  device: string | null;
}

/** A device that a user has signed in on. */
interface KnownDeviceTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token in its cookie, hex. */
  token_hash: string;
  created_at: Timestamp;
  last_sign_in_at: Timestamp;
}

/** The setup link, which creates the first admin. */
interface SetupTokenTable {
  /** SHA-256 of the token, hex. */
  hash: string;
  expires_at: Timestamp;
}

/** A link by which a user chooses a password: an invitation while the user has none, else a reset. One per user. */
interface PasswordLinkTable {
  user_id: number;
  /** SHA-256 of the token, hex. */
  hash: string;
  expires_at: Timestamp;
}

/** What a user has typed and not submitted. */
interface DraftTable {
  user_id: number;
  site_id: number;
  /** `new`, or the `post_id` of the post that is edited. */
  key: string;
  /** JSON as the dashboard sent it. */
  fields: string;
  updated_at: Timestamp;
}

interface AuditEntryTable {
  id: Generated<number>;
  at: Timestamp;
  /** Null: command line. */
  user_id: number | null;
  /** The user's e-mail address at that time, or `command line`. */
  actor: string;
  /** Like `key.rotated`. */
  action: string;
  site_id: number | null;
  /** Name of the changed object. */
  subject: string | null;
  /** JSON of the changed members. */
  before: string | null;
  after: string | null;
}

export interface UserTables {
  user: UserTable;
  membership: MembershipTable;
  session: SessionTable;
  known_device: KnownDeviceTable;
  setup_token: SetupTokenTable;
  password_link: PasswordLinkTable;
  draft: DraftTable;
  audit_entry: AuditEntryTable;
}
