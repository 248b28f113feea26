import { buildArticle } from './article.ts';
import { startBenchServer } from './bench-server.ts';
import { computeMedian, type Figure, formatNumber } from './figure.ts';

/** Wall time of an article with two workers compared with one, alternating; both servers keep running. */
export const twoCores: Figure = {
  name: 'two-cores',
  measure: async ({ rounds }) => {
    const oneWorker = await startBenchServer({ workers: 1 });
    const twoWorkers = await startBenchServer({ workers: 2 });
    try {
      const alone: number[] = [];
      const together: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const text = buildArticle(round % 10);
        for (const [server, times] of [
          [oneWorker, alone],
          [twoWorkers, together],
        ] as const) {
          const { readyS } = await server.make(await server.freshSite(), `post-${round}`, text);
          // The first article is a warm-up.
          if (round > 0) times.push(readyS);
        }
      }
      return [
        {
          name: 'Two cores: wall time of one article on 2 workers against 1',
          unit: '×',
          values: together.map((seconds, round) => seconds / (alone[round] ?? Number.NaN)),
          target: 0.55,
          detail: `${formatNumber(computeMedian(together))} s against ${formatNumber(computeMedian(alone))} s`,
        },
      ];
    } finally {
      await oneWorker.stop();
      await twoWorkers.stop();
    }
  },
};
