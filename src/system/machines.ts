import { hostname } from 'node:os';
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { listGenerating } from '../audio/counters.ts';
import type { AudioQueue } from '../audio/queue.ts';
import { currentTimeMs, timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { version } from '../version.ts';
import { loadQueueItems } from './queue-store.ts';
import { exampleQueueItem, QueueItem } from './schema.ts';

/** Of a machine; a server may have started many. */
const maxItems = 5;

const example = {
  id: 3,
  name: 'speak-1:4711',
  role: 'speak',
  version: '0.1.0',
  workers: 4,
  generates: true,
  draining: false,
  started_at: '2026-11-21T08:00:00.000Z',
  seen_at: '2026-11-21T09:00:05.000Z',
  generating_count: 1,
  generating: [exampleQueueItem],
} as const;

const Machine = Type.Object(
  {
    id: Type.Integer({ description: '0 with SQLite, which has one machine' }),
    name: Type.String({ description: 'Host and process id' }),
    role: literalUnion(['serve', 'speak'], { description: 'The command that it runs' }),
    version: nullable(Type.String(), { description: 'Null, like `workers` and `generates`: an earlier Lectern' }),
    workers: nullable(Type.Integer()),
    generates: nullable(Type.Boolean(), { description: 'Whether it generates posts; `LECTERN_SYNTHESIS`' }),
    draining: Type.Boolean({ description: 'Whether it ends: it finishes its sentences and takes no others' }),
    started_at: Type.String({ description: 'Or when its connection to the database came back' }),
    seen_at: Type.String({ description: 'Last heartbeat, one a second, by the clock of the database' }),
    generating_count: Type.Integer({ description: 'Posts that it has started and not finished' }),
    generating: Type.Array(QueueItem, { maxItems, description: 'The first of them' }),
  },
  { title: 'Machine', examples: [example] },
);
type Machine = Static<typeof Machine>;
type MachineFacts = Omit<Machine, 'generating' | 'generating_count'>;

const listSpec = endpointSpec({
  summary: 'List machines',
  description:
    'Requires the admin role. The processes that work on the database, servers first. One that was silent for 10 s is not listed.',
  tag: 'System',
  access: 'session',
  role: 'admin',
  responses: reply(200, 'OK', 'The machines', Type.Object({ items: Type.Array(Machine) }), {
    example: { items: [example] },
  }),
});

/** The processes of the installation. */
export function machineRoutes(services: Services) {
  const { endpoint, database, queue } = services;
  return new Elysia({ name: 'machines' }).get(
    '/v1/system/machines',
    ...endpoint(listSpec, async () => {
      const { cluster } = database;
      const facts = cluster === undefined ? [describeOnlyMachine(services)] : await listMachines(database.read);
      return { items: await addGenerating(database, queue, facts) };
    }),
  );
}

/** On SQLite this process is the one machine. */
function describeOnlyMachine({ config, jobs }: Services): MachineFacts {
  return {
    id: 0,
    name: `${hostname()}:${process.pid}`,
    role: 'serve',
    ...{ version, workers: config.workers, generates: config.synthesis, draining: jobs.isStopping },
    started_at: timestamp(currentTimeMs() - process.uptime() * 1000),
    seen_at: timestamp(),
  };
}

async function listMachines(db: Queries): Promise<MachineFacts[]> {
  const rows = await db.selectFrom('machine').selectAll().orderBy('role').orderBy('name').orderBy('id').execute();
  return rows.map(({ worker_count, generates, is_draining, ...row }) => ({
    ...row,
    workers: worker_count,
    generates: generates === null ? null : generates === 1,
    draining: is_draining === 1,
  }));
}

async function addGenerating(
  { read, cluster }: Pick<Database, 'read' | 'cluster'>,
  queue: AudioQueue,
  machines: readonly MachineFacts[],
): Promise<Machine[]> {
  const claims = await listGenerating(read);
  const idsOf = (machineId: number): number[] =>
    claims.filter(({ claimed_by }) => cluster === undefined || claimed_by === machineId).map(({ id }) => id);
  return Promise.all(
    machines.map(async (machine) => {
      const ids = idsOf(machine.id);
      const generating = await loadQueueItems(read, queue, ids.slice(0, maxItems));
      return { ...machine, generating_count: ids.length, generating };
    }),
  );
}
