import { buildArticle, buildCorrectedArticle } from './article.ts';
import { startBenchServer } from './bench-server.ts';
import { computeMedian, type Figure, formatNumber } from './figure.ts';
import { readCpuSeconds } from './process-cost.ts';

/** One sentence of sixty is changed, and the article posted again. */
export const correction: Figure = {
  name: 'correction',
  measure: async ({ rounds }) => {
    const server = await startBenchServer();
    try {
      const firstCpuS: number[] = [];
      const againCpuS: number[] = [];
      const againS: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const site = await server.freshSite();
        const variant = round % 10;
        const startS = readCpuSeconds(server.pid);
        await server.make(site, `post-${round}`, buildArticle(variant));
        const endS = readCpuSeconds(server.pid);
        const again = await server.make(site, `post-${round}`, buildCorrectedArticle(variant));
        const corrected = readCpuSeconds(server.pid);
        if (again.spoken !== 1) throw new Error(`${again.spoken} sentences were spoken again`);
        // The first article warms the server up.
        if (round === 0) continue;
        firstCpuS.push(endS - startS);
        againCpuS.push(corrected - endS);
        againS.push(again.readyS);
      }
      return [
        {
          name: 'Correction: CPU for one changed sentence in 60 against the first generation',
          unit: '%',
          values: againCpuS.map((cpuS, round) => (100 * cpuS) / (firstCpuS[round] ?? Number.NaN)),
          target: 5,
          detail: `${formatNumber(computeMedian(againCpuS))} s against ${formatNumber(computeMedian(firstCpuS))} s`,
        },
        {
          name: 'Correction: from POST to ready',
          unit: 's',
          values: againS,
          target: 2,
        },
      ];
    } finally {
      await server.stop();
    }
  },
};
