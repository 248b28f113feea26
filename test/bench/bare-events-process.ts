import BetterSqlite from 'better-sqlite3';
import { hashKey } from '../../src/auth/api-keys.ts';

/**
 * The least that storing events can cost: Bun's server, a look at the key's header, and for each request one transaction
 * with one prepared insert of each event, into a table without an index. No checks, no quota, no repeated event left out,
 * no figures.
 * Arguments: database file, the key's hash.
 */
interface ReportedEvents {
  type: string;
  post_id: string;
  session_id: string;
  event_id: string;
  position_seconds: number;
  heard_seconds: number;
}

const [path = '', keyHash = ''] = process.argv.slice(2);
const database = new BetterSqlite(path);
database.pragma('journal_mode = wal');
database.pragma('synchronous = normal');
database.exec(
  'create table event (type text, post text, session_id text, event_id text, position_s real, heard_s real, received_at text)',
);
const insert = database.prepare('insert into event values (?, ?, ?, ?, ?, ?, ?)');
const store = database.transaction((events: readonly ReportedEvents[]) => {
  const now = new Date().toISOString();
  for (const { type, post_id, session_id, event_id, position_seconds, heard_seconds } of events) {
    insert.run(type, post_id, session_id, event_id, position_seconds, heard_seconds, now);
  }
});
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    if (hashKey(request.headers.get('x-api-key') ?? '') !== keyHash) {
      return new Response('', { status: 401 });
    }
    const { events } = (await request.json()) as { events: ReportedEvents[] };
    store(events);
    const data = { accepted: events.length, duplicates: 0 };
    return Response.json({ success: true, message: 'Events accepted', data }, { status: 202 });
  },
});
process.stdout.write(`${server.url.origin}\n`);
