import { article } from './article.ts';
import { startBareWork } from './bare-work.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { type Figure, median, number } from './figure.ts';
import { cpuSeconds } from './process-cost.ts';

const workers = 2;

/**
 * CPU time from POST to ready, of the server and its workers, against that of the bare inference of the same ids and
 * the encoding of the same samples, article by article in turns. As many bare processes as workers share an article, as
 * two busy cores slow each other down.
 */
export const wholePath: Figure = {
  name: 'whole-path',
  measure: async ({ rounds }) => {
    const bare = await Promise.all(Array.from({ length: workers }, () => startBareWork()));
    const server = await startBenchServer({ workers });
    try {
      const whole: { cpuS: number; wallS: number }[] = [];
      const bareCpuS: number[] = [];
      const shares: string[] = [];
      // One round more than asked for: the first article meets cold code on both sides and is shown apart.
      for (let round = 0; round <= rounds; round += 1) {
        whole.push(await wholeCost(server, round));
        const costs = await Promise.all(
          bare.map(({ costOf }, part) => costOf({ article: article(round % 10), part, parts: workers })),
        );
        const inferenceS = costs.reduce((sum, cost) => sum + cost.inferenceCpuS, 0);
        const encodingS = costs.reduce((sum, cost) => sum + cost.encodingCpuS, 0);
        bareCpuS.push(inferenceS + encodingS);
        shares.push(`${number(inferenceS)} + ${number(encodingS)}`);
      }
      const ratios = whole.map(({ cpuS }, round) => cpuS / (bareCpuS[round] ?? Number.NaN));
      const warm = whole.slice(1);
      return [
        {
          name: 'Whole path: CPU of a 1,000-word article against bare inference + encoding',
          unit: '×',
          values: ratios.slice(1),
          target: 1.1,
          detail: `${number(median(warm.map(({ cpuS }) => cpuS)))} s against ${number(median(bareCpuS.slice(1)))} s (inference + encoding: ${shares.at(-1)} s)`,
        },
        {
          name: 'Whole path: the same for the first article after the start',
          unit: '×',
          values: ratios.slice(0, 1),
          detail: `${number(whole[0]?.cpuS ?? Number.NaN)} s against ${number(bareCpuS[0] ?? Number.NaN)} s`,
        },
        {
          name: 'Whole path: from POST to ready, 2 workers',
          unit: 's',
          values: warm.map(({ wallS }) => wallS),
          target: 8,
        },
      ];
    } finally {
      for (const one of bare) one.end();
      await server.stop();
    }
  },
};

async function wholeCost(server: BenchServer, round: number): Promise<{ cpuS: number; wallS: number }> {
  const site = await server.freshSite();
  const before = cpuSeconds(server.pid);
  const { readyS } = await server.make(site, `post-${round}`, article(round % 10));
  return { cpuS: cpuSeconds(server.pid) - before, wallS: readyS };
}
