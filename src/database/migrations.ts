import { AppError } from '../errors.ts';
import { mainJob } from './migrations/0001-main-job.ts';
import { variantsAndQuota } from './migrations/0002-variants-and-quota.ts';
import { quotaDelivered } from './migrations/0003-quota-delivered.ts';
import { events } from './migrations/0004-events.ts';
import { users } from './migrations/0005-users.ts';
import { webhooks } from './migrations/0006-webhooks.ts';
import { pages } from './migrations/0007-pages.ts';
import { dashboard } from './migrations/0008-dashboard.ts';
import { audioByPost } from './migrations/0009-audio-by-post.ts';
import { queueDepth } from './migrations/0010-queue-depth.ts';
import { lexicon } from './migrations/0011-lexicon.ts';
import { reading } from './migrations/0012-reading.ts';
import { proof } from './migrations/0013-proof.ts';
import { lexiconLevels } from './migrations/0014-lexicon-levels.ts';
import { voiceLicenses } from './migrations/0015-voice-licenses.ts';
import { passageVoices } from './migrations/0016-passage-voices.ts';
import { queuePause } from './migrations/0017-queue-pause.ts';
import { feed } from './migrations/0018-feed.ts';
import { feedSources } from './migrations/0019-feed-sources.ts';
import { searchByAddress } from './migrations/0020-search-by-address.ts';
import { feedItemContent } from './migrations/0021-feed-item-content.ts';
import { planKey } from './migrations/0022-plan-key.ts';

/** Each migration is a list of statements. Frozen once shipped; new ones go to the end. */
const migrations: readonly (readonly string[])[] = [
  mainJob,
  variantsAndQuota,
  quotaDelivered,
  events,
  users,
  webhooks,
  pages,
  dashboard,
  audioByPost,
  queueDepth,
  lexicon,
  reading,
  proof,
  lexiconLevels,
  voiceLicenses,
  passageVoices,
  queuePause,
  feed,
  feedSources,
  searchByAddress,
  feedItemContent,
  planKey,
];

/** The few calls of the driver that a migration needs. */
interface MigrationConnection {
  exec(sql: string): unknown;
  pragma(source: string, options: { simple: true }): unknown;
}

/**
 * Brings the schema up to this program's version, each migration in a transaction of its own.
 * @throws AppError `operation_failed` when a newer program wrote the database
 */
export function migrate(connection: MigrationConnection): void {
  if (schemaVersion(connection) === migrations.length) return;
  // A table that is made anew is dropped in between: rows that name its rows must not go with it.
  connection.pragma('foreign_keys = false', { simple: true });
  try {
    migrateStepwise(connection);
  } finally {
    connection.pragma('foreign_keys = true', { simple: true });
  }
}

function migrateStepwise(connection: MigrationConnection): void {
  // Ends: each turn raises the version by one, and a version above the last one throws.
  while (true) {
    if (schemaVersion(connection) === migrations.length) return;
    connection.exec('begin immediate');
    try {
      // Read again inside the transaction: another process may have migrated meanwhile.
      const version = schemaVersion(connection);
      for (const statement of migrations[version] ?? []) connection.exec(statement);
      connection.exec(`pragma user_version = ${Math.min(version + 1, migrations.length)}`);
      connection.exec('commit');
    } catch (error) {
      connection.exec('rollback');
      throw error;
    }
  }
}

function schemaVersion(connection: MigrationConnection): number {
  const version = Number(connection.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new AppError(
      'operation_failed',
      `The database was written by a newer Lectern (schema ${version}; this program knows ${migrations.length}): run the newer program, or restore a backup`,
    );
  }
  return version;
}
