import type { Command } from 'commander';
import { type CreatedKey, findSiteOfActiveKey, listKeys } from '../auth/api-keys.ts';
import { AppError } from '../errors.ts';
import { createKey, revokeKey, rotateKeys } from '../sites/site-changes.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, createCommand, createGroup, withDatabase } from './commands.ts';
import { formatTable, getIo, printResult } from './output.ts';

interface SiteOptions extends CommonOptions {
  readonly site: string;
}

interface NamedOptions extends SiteOptions {
  readonly name: string;
}

/** `lectern key create|list|revoke|rotate` */
export function keyCommand(): Command {
  const key = createGroup('key', 'manage the API keys of a site');
  const ofSite = (name: string, description: string) =>
    createCommand(name, description).requiredOption('--site <site>', 'id or slug');
  key.addCommand(
    ofSite('create', 'create a key; it is shown only once')
      .option('--name <name>', 'what the key is for', 'production')
      .action(create),
  );
  key.addCommand(ofSite('list', 'list the keys of a site (without values)').action(list));
  key.addCommand(createCommand('revoke', 'revoke a key').argument('<id>', 'id of the key').action(revoke));
  key.addCommand(
    ofSite('rotate', 'revoke every key of a site and create a new one')
      .option('--name <name>', 'what the key is for', 'production')
      .action(rotate),
  );
  return key;
}

async function create(options: NamedOptions): Promise<void> {
  const key = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, options.site);
      return createKey(db, null, id, options.name);
    }),
  );
  printKey(options, key);
}

async function list(options: SiteOptions): Promise<void> {
  const keys = await withDatabase(options, async ({ read }) => {
    const { id } = await findSite(read, options.site);
    return (await listKeys(read, id)).reverse();
  });
  printResult(options.json, keys, () =>
    formatTable(
      keys.map((key) => ({
        id: key.id,
        name: key.name,
        key: `${key.prefix}…`,
        created: key.created_at,
        'last used': key.last_used_at,
        revoked: key.revoked_at,
      })),
      'No keys. Create one: lectern key create --site SITE',
    ),
  );
}

async function revoke(id: string, options: CommonOptions): Promise<void> {
  if (!/^\d+$/.test(id)) throw new AppError('bad_usage', `expected a key id, got ${id}`);
  await withDatabase(options, (database) =>
    database.write(async (db) => {
      const siteId = await findSiteOfActiveKey(db, Number(id));
      await revokeKey(db, null, siteId, Number(id));
    }),
  );
  printResult(options.json, { id: Number(id), revoked: true }, () => `Key ${id} revoked`);
}

async function rotate(options: NamedOptions): Promise<void> {
  const key = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, options.site);
      return rotateKeys(db, null, id, options.name);
    }),
  );
  printKey(options, key);
}

/** The key alone on standard output, so that a script can take it. */
function printKey(options: CommonOptions, { id, key, prefix }: CreatedKey): void {
  printResult(options.json, { id, key, prefix }, () => key);
  if (options.json !== true) {
    getIo().stderr.write(`Key ${id}. Save it now: it is not shown again.\n`);
  }
}
