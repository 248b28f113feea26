import { join } from 'node:path';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { compareWithBare, onServerCore, startBare } from './against-bare.ts';
import { buildArticle } from './article.ts';
import { type BenchServer, type BenchSite, startBenchServer } from './bench-server.ts';
import type { Figure } from './figure.ts';
import { measureWhileSpeaking } from './while-speaking.ts';

const main = join(import.meta.dir, '../../src/main.ts');
const connections = 32;
/** A range of about four seconds in the middle, as a player requests after a seek. */
const range = { Range: 'bytes=1000000-1032767' };

/** MP3s, compared with the minimal cost of sending a file, and during synthesis. */
export const media: Figure = {
  name: 'media',
  measure: async ({ rounds }) => {
    const server = await startBenchServer({ command: [...onServerCore, process.execPath, main] });
    const busy = await startBenchServer();
    const mp3 = await generateMp3(server, await server.freshSite());
    const busyMp3 = await generateMp3(busy, await busy.freshSite());
    const file = join(createTemporaryFolder(), 'article.mp3');
    await Bun.write(file, mp3.bytes);
    const bare = await startBare('bare-media-process.ts', [file, mp3.etag]);
    const compare = (what: string, headers: Record<string, string>) =>
      compareWithBare({ name: `HTTP: ${what} a second against bare Bun.serve`, rounds }, server, bare, (url) => ({
        url: `${url}${mp3.path}`,
        headers,
        connections,
      }));
    try {
      return [
        await compare('whole MP3s', {}),
        await compare('ranges of an MP3 (206)', range),
        await compare('MP3s that the client has already (304)', { 'If-None-Match': mp3.etag }),
        await measureWhileSpeaking(
          { name: 'HTTP: p99 of the ranges while every worker is busy', what: 'ranges', rounds },
          busy,
          () => ({ path: busyMp3.path, headers: range }),
        ),
      ];
    } finally {
      bare.end();
      await server.stop();
      await busy.stop();
    }
  },
};

async function generateMp3(server: BenchServer, site: BenchSite) {
  await server.make(site, 'post', buildArticle(0));
  const { media_key } = await server.database.read
    .selectFrom('version')
    .innerJoin('audio', 'audio.version_id', 'version.id')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('version.media_key')
    .where('post.site_id', '=', site.id)
    .executeTakeFirstOrThrow();
  const path = `/v1/media/${media_key}.mp3`;
  const response = await fetch(`${server.url}${path}`);
  return { path, etag: response.headers.get('etag') ?? '', bytes: await response.bytes() };
}
