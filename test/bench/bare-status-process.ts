import BetterSqlite from 'better-sqlite3';
import { hashKey } from '../../src/auth/api-keys.ts';

/**
 * The minimal cost of a status poll: Bun's server, a check of the key header, one prepared query of the same row, and
 * its JSON.
 * Arguments: database file, hash of the key, id of the site.
 */
const [path = '', keyHash = '', siteId = ''] = process.argv.slice(2);
const database = new BetterSqlite(path, { readonly: true });
const read = database.prepare(
  `select audio.id, audio.language, audio.voice_id, audio.status, audio.progress_percent, audio.error,
    audio.created_at, audio.updated_at, post.external_id, version.media_key, version.duration_ms
    from audio join post on post.id = audio.post_id left join version on version.id = audio.version_id
    where post.site_id = ? and post.external_id = ? and audio.language = 'en'`,
);
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request) => {
    if (hashKey(request.headers.get('x-api-key') ?? '') !== keyHash) {
      return new Response('', { status: 401 });
    }
    const postId = request.url.split('/').at(-2) ?? '';
    const row = read.get(Number(siteId), decodeURIComponent(postId));
    if (row === undefined) return new Response('', { status: 404 });
    return Response.json({ success: true, message: 'OK', data: row });
  },
});
process.stdout.write(`${server.url.origin}\n`);
