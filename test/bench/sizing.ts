import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setPostgres } from '../fixtures/database.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { buildExcerpt } from './article.ts';
import type { Figure, Measured } from './figure.ts';
import { readCpuSeconds } from './process-cost.ts';

/** Posts of both measurements; the difference excludes empty pages of small tables. */
const postCounts = [4, 14] as const;
const acceptsPerRound = 60;
const pollsPerRound = 500;
const connections = 8;

/** Cost of a post and a request on PostgreSQL, in bytes and CPU time, for the sizing table of docs/scaling.md. */
export const sizing: Figure = {
  name: 'sizing',
  isOnRequest: true,
  measure: async ({ rounds }) => {
    const postgres = new PostgresServer();
    setPostgres({ query, execute });
    const data = createTemporaryFolder();
    const address = createDatabase(postgres.address);
    writeFileSync(join(data, 'lectern.toml'), `database = "${address}"\n`, { mode: 0o600 });
    // As the built-in voices: 24 kHz, with durations for word timings.
    await installVoice(data, 'en_US-tones-low', createToneVoice({ sampleRateHz: 24_000, givesDurations: true }), 0);
    try {
      const sizes = await measureSizes(data, address);
      return [...sizes, ...(await measureRequests(data, postgres.pid, rounds))];
    } finally {
      postgres.remove();
    }
  },
};

/** @param place distinguishes the sentences of one post from those of every other */
function postOf(place: number): { title: string; content: string } {
  const { title, content } = buildExcerpt(place % 10, [0, 1, 2, 3, 4]);
  return { title, content: content.replaceAll(/\. /g, ` by report ${place}. `) };
}

async function measureSizes(data: string, address: string): Promise<Measured[]> {
  const readBytes = () =>
    query<{ bytes: number }>(
      address,
      `select sum(pg_total_relation_size(oid)) - (select pg_total_relation_size(reltoastrelid) from pg_class
          where relname = 'segment') as bytes
        from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )[0]?.bytes ?? 0;
  const server = await startTestServer({ data, isPreloading: true });
  try {
    const sizes: number[] = [];
    let place = 0;
    for (const count of postCounts) {
      for (; place < count; place += 1) {
        await server.generate({ post_id: `sized-${place}`, ...postOf(place) });
        await server.waitUntilFinished(`sized-${place}`, 600_000);
      }
      execute(address, 'vacuum full');
      sizes.push(readBytes());
    }
    const [few = 0, many = 0] = sizes;
    const [{ ms, bytes } = { ms: 1, bytes: 0 }] = query<{ ms: number; bytes: number }>(
      address,
      'select sum(duration_ms) as ms, sum(byte_count) as bytes from version where header is not null',
    );
    return [
      {
        name: 'PostgreSQL: rows of a post of 500 words, indexes included, frames not',
        unit: 'KB per article',
        values: [(many - few) / (postCounts[1] - postCounts[0]) / 1_000],
        detail: `${postCounts[1]} posts against ${postCounts[0]}, after \`vacuum full\``,
      },
      { name: 'MP3 of a minute', unit: 'KB', values: [bytes / (ms / 60_000) / 1_000] },
    ];
  } finally {
    await server.stop('SIGKILL');
  }
}

async function measureRequests(data: string, postgresPid: number, rounds: number): Promise<Measured[]> {
  const server = await startTestServer({ data, isPreloading: true, env: { LECTERN_SYNTHESIS: 'off' } });
  try {
    let place: number = postCounts[1];
    const accept = async () => {
      place += 1;
      const { status } = await server.generate({ post_id: `sized-${place}`, ...postOf(place) });
      if (status !== 202) throw new Error(`status ${status}`);
    };
    const poll = async () => {
      await (await server.request('/v1/audio/sized-1/status')).arrayBuffer();
    };
    return [
      await measureCost('PostgreSQL: CPU of an accepted post', server, postgresPid, rounds, acceptsPerRound, accept),
      await measureCost('PostgreSQL: CPU of a status poll', server, postgresPid, rounds, pollsPerRound, poll),
    ];
  } finally {
    await server.stop('SIGKILL');
  }
}

/** CPU time depends less on other programs than a rate does. */
async function measureCost(
  name: string,
  { process: { pid } }: TestServer,
  postgresPid: number,
  rounds: number,
  count: number,
  request: () => Promise<void>,
): Promise<Measured> {
  const shares: { readonly server: number; readonly database: number; readonly perS: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [server, database, started] = [readCpuSeconds(pid), readCpuSeconds(postgresPid), performance.now()];
    let remaining = count;
    const sendRequests = async (): Promise<void> => {
      while (remaining > 0) {
        remaining -= 1;
        await request();
      }
    };
    await Promise.all(Array.from({ length: connections }, sendRequests));
    const seconds = (performance.now() - started) / 1_000;
    const toMs = (cpu: number) => (cpu / count) * 1_000;
    // The first round is a warm-up.
    if (round === 0) continue;
    shares.push({
      ...{ server: toMs(readCpuSeconds(pid) - server), database: toMs(readCpuSeconds(postgresPid) - database) },
      perS: count / seconds,
    });
  }
  const computeMean = (part: keyof (typeof shares)[number]) =>
    shares.reduce((sum, share) => sum + share[part], 0) / shares.length;
  return {
    ...{ name, unit: 'ms', values: shares.map((share) => share.server + share.database) },
    detail: `server ${computeMean('server').toFixed(2)} ms, database ${computeMean('database').toFixed(2)} ms; ${computeMean('perS').toFixed(0)} a second, ${connections} connections`,
  };
}
