import type { Generated } from 'kysely';
import type { InstallationSettings } from '../auth/schema.ts';
import type { Column } from './columns.ts';

/** ISO 8601 UTC. */
type Timestamp = string;

/** What a process does on a database that several share: all, or only synthesis. */
export type MachineRole = 'serve' | 'speak';

/** One row while the queue is paused, else none. */
interface QueuePauseTable {
  id: number;
  since: Timestamp;
  /** An e-mail address or `command line`. */
  paused_by: string;
}

/** One row: the settings of the installation that an admin changes in the dashboard. */
type InstallationTable = { [Name in keyof InstallationSettings]: Generated<Column<InstallationSettings[Name]>> } & {
  id: number;
  /** Key of the object by which the bucket is recognized; null: no server has used a bucket yet. */
  bucket_marker: Generated<string | null>;
};

/** The program that migrated the database to a schema. */
interface SchemaVersionTable {
  version: number;
  lectern: string;
  migrated_at: Timestamp;
  /** With PostgreSQL the lowest schema whose programs also run on this one; null: only its own. */
  oldest_compatible: Generated<number | null>;
}

/** One row: the verification of all segments, pass after pass. */
interface AudioScrubTable {
  id: number;
  /** Hash of the last verified segment of the running pass. */
  position: Generated<string>;
  /** Of the running pass; null between two passes. */
  started_at: Timestamp | null;
  /** Of the last complete pass; null: there was none. */
  finished_at: Timestamp | null;
  /** Of the running pass, else of the last one. */
  segment_count: Generated<number>;
  /** Segments that could not be repaired. */
  damaged_count: Generated<number>;
}

/** A process that shares a PostgreSQL database with others; its row is deleted when it ends, or 10 s after its last sign of life. */
interface MachineTable {
  id: Generated<number>;
  /** Host and process id. */
  name: string;
  role: MachineRole;
  started_at: Timestamp;
  /** By the clock of the database. */
  seen_at: Timestamp;
  /** Of Lectern; like the next two null for a machine of an earlier version. */
  version: string | null;
  worker_count: number | null;
  /** 1: generates posts; 0: only serves them. */
  generates: number | null;
  /** 1: finishes its last sentences and ends. */
  is_draining: Generated<number>;
}

/** What a process tells the others about itself. */
export interface MachineDescription {
  readonly role: MachineRole;
  readonly workerCount: number;
  /** Whether it generates posts. */
  readonly generates: boolean;
}

/** Requests of a caller in a window, for all servers on PostgreSQL; the times are in milliseconds by the clock of the database. */
interface RateWindowTable {
  counter: string;
  caller: string;
  used: number;
  /** In the windows before, as far as they lengthen this one. */
  used_before: number;
  ends_at: number;
  /** Until the next window depends on this one no longer. */
  kept_until: number;
}

/** One row, written by the health check. */
interface ProbeTable {
  id: number;
  at: Timestamp;
}

export interface InstallationTables {
  probe: ProbeTable;
  machine: MachineTable;
  queue_pause: QueuePauseTable;
  installation: InstallationTable;
  audio_scrub: AudioScrubTable;
  schema_version: SchemaVersionTable;
  rate_window: RateWindowTable;
}

/** ISO 8601 UTC, millisecond precision: sorts as text. */

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
