import { buildArticle } from './article.ts';
import { startBareWork } from './bare-work.ts';
import { startBenchServer } from './bench-server.ts';
import { computeMedian, type Figure, formatNumber } from './figure.ts';

const pauseMs = 500;

/** From POST to the row of the first segment on an idle server, minus inference and encoding of that segment. */
export const firstSound: Figure = {
  name: 'first-sound',
  measure: async ({ rounds }) => {
    const bare = await startBareWork();
    const server = await startBenchServer();
    try {
      const afterPostMs: number[] = [];
      const segmentMs: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const text = buildArticle(round % 10);
        const site = await server.freshSite();
        await Bun.sleep(pauseMs);
        const { firstSegmentMs } = await server.make(site, `post-${round}`, text);
        const { segments } = await bare.costOf({ article: text, part: 0, parts: 1 });
        // The first article is a warm-up.
        if (round === 0) continue;
        afterPostMs.push(firstSegmentMs);
        segmentMs.push(segments[0]?.ms ?? Number.NaN);
      }
      return [
        {
          name: 'First sound: from POST to the first segment, beyond its inference + encoding',
          unit: 'ms',
          values: afterPostMs.map((ms, round) => ms - (segmentMs[round] ?? Number.NaN)),
          target: 200,
          detail: `${formatNumber(computeMedian(afterPostMs))} ms less ${formatNumber(computeMedian(segmentMs))} ms`,
        },
      ];
    } finally {
      bare.end();
      await server.stop();
    }
  },
};
