import { buildLongArticle } from './article.ts';
import type { BenchServer, BenchSite } from './bench-server.ts';
import { computeMedian, formatNumber, type Measured } from './figure.ts';
import { type LoadOptions, load } from './load.ts';

/** Clients that wait for what is made, not a flood. */
const defaultConnections = 4;
const seconds = 3;
const headStartMs = 1_500;
const shortContent = 'That was all that there was to be said about it for today, and more follows.';

/** What is asked while a site's post `long` is being made. */
interface Asked extends Omit<LoadOptions, 'connections' | 'seconds'> {
  readonly path: string;
}

interface LoadTest {
  readonly name: string;
  /** What is asked for, in the plural. */
  readonly what: string;
  readonly rounds: number;
  readonly target?: number;
  readonly connections?: number;
}

/** How long the slowest answers take while every worker speaks. */
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
    const seen = await load(`${server.url}${path}`, { ...asked, connections, seconds });
    values.push(seen.p99Ms);
    perS.push(seen.requestsPerS);
    // Replaced by a short one, so that the next round needn't wait for it.
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
