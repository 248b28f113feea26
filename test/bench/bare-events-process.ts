import BetterSqlite from 'better-sqlite3';
import { hashKey } from '../../src/auth/api-keys.ts';

/**
 * The minimal cost of storing events: Bun's server, a check of the key header, and for each request one transaction
 * with a prepared insert per event into a table without an index. No validation, quota, deduplication or totals.
 * Arguments: database file, hash of the key.
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
