import type { Command } from 'commander';
import { type CreatedKey, listKeys, siteOfKeyInForce } from '../auth/api-keys.ts';
import { AppError } from '../errors.ts';
import { addKey, endKey, replaceKeys } from '../sites/site-changes.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, command, group, withDatabase } from './commands.ts';
import { print, table } from './output.ts';

interface SiteOptions extends CommonOptions {
  readonly site: string;
}

interface NamedOptions extends SiteOptions {
  readonly name: string;
}

/** `lectern key create|list|revoke|rotate` */
export function keyCommand(): Command {
  const key = group('key', 'API keys of a site');
  const ofSite = (name: string, description: string) =>
    command(name, description).requiredOption('--site <site>', 'id or slug');
  key.addCommand(
    ofSite('create', 'make a key; it is shown this once')
      .option('--name <name>', 'what the key is for', 'production')
      .action(create),
  );
  key.addCommand(ofSite('list', 'keys of a site, without their values').action(list));
  key.addCommand(
    command('revoke', 'make a key invalid at once')
      .argument('<id>', 'id of the key')
      .action(revoke),
  );
  key.addCommand(
    ofSite('rotate', 'make every key of a site invalid at once, and a new one')
      .option('--name <name>', 'what the key is for', 'production')
      .action(rotate),
  );
  return key;
}

async function create(options: NamedOptions): Promise<void> {
  const key = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, options.site);
      return addKey(db, null, id, options.name);
    }),
  );
  printKey(options, key);
}

async function list(options: SiteOptions): Promise<void> {
  const keys = await withDatabase(options, async ({ read }) => {
    const { id } = await findSite(read, options.site);
    return (await listKeys(read, id)).reverse();
  });
  print(options.json, keys, () =>
    table(
      keys.map((key) => ({
        id: key.id,
        name: key.name,
        key: `${key.prefix}…`,
        created: key.created_at,
        'last used': key.last_used_at,
        revoked: key.revoked_at,
      })),
      'no key yet: lectern key create --site SITE',
    ),
  );
}

async function revoke(id: string, options: CommonOptions): Promise<void> {
  if (!/^\d+$/.test(id)) throw new AppError('bad_usage', `expected the id of a key, got ${id}`);
  await withDatabase(options, (database) =>
    database.write(async (db) => {
      const siteId = await siteOfKeyInForce(db, Number(id));
      await endKey(db, null, siteId, Number(id));
    }),
  );
  print(options.json, { id: Number(id), revoked: true }, () => `key ${id} is revoked`);
}

async function rotate(options: NamedOptions): Promise<void> {
  const key = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const { id } = await findSite(db, options.site);
      return replaceKeys(db, null, id, options.name);
    }),
  );
  printKey(options, key);
}

/** The key alone on standard output, so that a script can take it. */
function printKey(options: CommonOptions, { id, key, prefix }: CreatedKey): void {
  print(options.json, { id, key, prefix }, () => key);
  if (options.json !== true) {
    process.stderr.write(`Key ${id}. Keep it now: it is not shown again.\n`);
  }
}
