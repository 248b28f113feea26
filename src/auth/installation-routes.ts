import { Elysia } from 'elysia';
import { fromColumns, toColumns } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { diffStates, insertAuditEntry } from './audit-log.ts';
import { InstallationChanges, InstallationSettings } from './schema.ts';

export async function getInstallationSettings(db: Queries): Promise<InstallationSettings> {
  return fromColumns(InstallationSettings, await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow());
}

/**
 * Run it in a transaction.
 * @param changes undefined members stay
 */
async function updateInstallationSettings(
  db: Queries,
  userId: number | null,
  changes: Partial<InstallationSettings>,
): Promise<InstallationSettings> {
  const before = await getInstallationSettings(db);
  const columns = toColumns(InstallationSettings, changes);
  if (Object.keys(columns).length > 0) await db.updateTable('installation').set(columns).execute();
  const after = await getInstallationSettings(db);
  const changed = diffStates(before, after);
  if (changed !== undefined) await insertAuditEntry(db, { userId, action: 'settings.updated', ...changed });
  return after;
}

const shared = { tag: 'System', access: 'session', role: 'admin' } as const;

const showSpec = endpointSpec({
  ...shared,
  summary: 'Get the settings of the installation',
  description: 'Every user finds them in `GET /v1/me`.',
  responses: reply(200, 'OK', 'The settings', InstallationSettings),
});

const updateSpec = endpointSpec({
  ...shared,
  summary: 'Update the settings of the installation',
  body: InstallationChanges,
  bodyExample: { show_plans: true },
  responses: reply(200, 'Settings updated', 'The updated settings', InstallationSettings, {
    example: { show_plans: true },
  }),
});

/** What an admin sets in the dashboard for all sites; settings of the process are in its configuration. */
export function installationSettingsRoutes({ endpoint, database }: Services) {
  return new Elysia({ name: 'settings of the installation', prefix: '/v1/settings' })
    .get('', ...endpoint(showSpec, () => getInstallationSettings(database.read)))
    .patch(
      '',
      ...endpoint(updateSpec, ({ user, body }) =>
        database.write('server', (db) => updateInstallationSettings(db, user.id, body)),
      ),
    );
}
