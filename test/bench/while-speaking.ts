import { buildLongArticle } from './article.ts';
import type { BenchServer, BenchSite } from './bench-server.ts';
import { computeMedian, formatNumber, type Measured } from './figure.ts';
import { type LoadOptions, load } from './load.ts';

/** A realistic number of waiting clients. */
const defaultConnections = 4;
const seconds = 3;
const headStartMs = 1_500;
const shortContent = 'That was all that there was to be said about it for today, and more follows.';

/** A load test during the synthesis of the post `long`. */
interface Asked extends Omit<LoadOptions, 'connections' | 'seconds'> {
  readonly path: string;
}

interface LoadTest {
  readonly name: string;
  /** The requested resources, in the plural. */
  readonly what: string;
  readonly rounds: number;
  readonly target?: number;
  readonly connections?: number;
}

/** Duration of the slowest responses during synthesis. */
export async function measureWhileSpeaking(
  { name, what, rounds, target, connections = defaultConnections }: LoadTest,
  server: BenchServer,
  request: (site: BenchSite) => Asked,
): Promise<Measured> {
  const values: number[] = [];
  const perS: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const site = await server.freshSite();
    await server.post(site, 'long', buildLongArticle());
    await Bun.sleep(headStartMs);
    const { path, ...asked } = request(site);
    const measured = await load(`${server.url}${path}`, { ...asked, connections, seconds });
    values.push(measured.p99Ms);
    perS.push(measured.requestsPerS);
    // Replaced by a short text, so that the next round does not wait for it.
    await server.make(site, 'long', { title: 'The end', content: shortContent });
  }
  return {
    name,
    unit: 'ms',
    values,
    ...(target === undefined ? {} : { target }),
    detail: `${connections} connections, ${formatNumber(computeMedian(perS))} ${what} a second`,
  };
}
