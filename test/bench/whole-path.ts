import { buildArticle } from './article.ts';
import { startBareWork } from './bare-work.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { computeMedian, type Figure, formatNumber } from './figure.ts';
import { readCpuSeconds } from './process-cost.ts';

const workers = 2;

/**
 * CPU time of the server and its workers from POST to ready, compared with that of inference and encoding of the same
 * segments, alternating per article. The bare work uses as many processes as there are workers, as two busy cores slow each
 * other down.
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
      // One extra round: the first article runs cold code on both sides and is reported separately.
      for (let round = 0; round <= rounds; round += 1) {
        whole.push(await measurePost(server, round));
        const costs = await Promise.all(
          bare.map(({ costOf }, part) => costOf({ article: buildArticle(round % 10), part, parts: workers })),
        );
        const inferenceS = costs.reduce((sum, cost) => sum + cost.inferenceCpuS, 0);
        const encodingS = costs.reduce((sum, cost) => sum + cost.encodingCpuS, 0);
        bareCpuS.push(inferenceS + encodingS);
        shares.push(`${formatNumber(inferenceS)} + ${formatNumber(encodingS)}`);
      }
      const ratios = whole.map(({ cpuS }, round) => cpuS / (bareCpuS[round] ?? Number.NaN));
      const warm = whole.slice(1);
      return [
        {
          name: 'Whole path: CPU of a 1,000-word article against bare inference + encoding',
          unit: '×',
          values: ratios.slice(1),
          target: 1.1,
          detail: `${formatNumber(computeMedian(warm.map(({ cpuS }) => cpuS)))} s against ${formatNumber(computeMedian(bareCpuS.slice(1)))} s (inference + encoding: ${shares.at(-1)} s)`,
        },
        {
          name: 'Whole path: the same for the first article after the start',
          unit: '×',
          values: ratios.slice(0, 1),
          detail: `${formatNumber(whole[0]?.cpuS ?? Number.NaN)} s against ${formatNumber(bareCpuS[0] ?? Number.NaN)} s`,
        },
        {
          name: 'Whole path: from POST to ready, 2 workers',
          unit: 's',
          values: warm.map(({ wallS }) => wallS),
          target: 8,
        },
      ];
    } finally {
      for (const bareProcess of bare) bareProcess.end();
      await server.stop();
    }
  },
};

async function measurePost(server: BenchServer, round: number): Promise<{ cpuS: number; wallS: number }> {
  const site = await server.freshSite();
  const before = readCpuSeconds(server.pid);
  const { readyS } = await server.make(site, `post-${round}`, buildArticle(round % 10));
  return { cpuS: readCpuSeconds(server.pid) - before, wallS: readyS };
}
