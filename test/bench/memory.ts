import { buildArticle } from './article.ts';
import { startBenchServer } from './bench-server.ts';
import { buildIfOutdated } from './executable.ts';
import { type Figure, formatNumber, type Measured } from './figure.ts';
import { listChildPids, readResidentMb } from './process-cost.ts';

const settleMs = 1_000;

/** Resident memory of the executable: idle, after an article, and over many articles. */
export const memory: Figure = {
  name: 'memory',
  measure: async ({ articles }) => {
    const server = await startBenchServer({ command: [await buildIfOutdated()] });
    const readWorkersMb = () => listChildPids(server.pid).map((pid) => readResidentMb(pid));
    try {
      const idleMb = readResidentMb(server.pid).now;
      const rows: { serverMb: number; workersMb: number }[] = [];
      let workerPeakMb: number[] = [];
      for (let round = 0; round < articles; round += 1) {
        await server.make(await server.freshSite(), 'post', buildArticle(round % 10));
        if (round === 0) {
          await Bun.sleep(settleMs);
          workerPeakMb = readWorkersMb().map(({ peak }) => peak);
        }
        rows.push({
          serverMb: readResidentMb(server.pid).now,
          workersMb: Math.max(...readWorkersMb().map(({ now }) => now)),
        });
      }
      await Bun.sleep(settleMs);
      return [
        { name: 'Memory: server, idle', unit: 'MB', values: [idleMb], target: 160 },
        {
          name: 'Memory: highest of a worker with the built-in voice, first article',
          unit: 'MB',
          values: workerPeakMb,
          target: 250,
        },
        ...computeSlopes(rows),
      ];
    } finally {
      await server.stop();
    }
  },
};

function computeSlopes(rows: readonly { serverMb: number; workersMb: number }[]): Measured[] {
  // The first articles fill caches and warm up the compiler.
  const later = rows.slice(Math.floor(rows.length / 5));
  return [
    computeSlope('Memory: growth of the server', later, ({ serverMb }) => serverMb),
    computeSlope('Memory: growth of the larger worker', later, ({ workersMb }) => workersMb),
  ];
}

function computeSlope<Row>(name: string, rows: readonly Row[], read: (row: Row) => number): Measured {
  const values = rows.map(read);
  const first = formatNumber(values[0] ?? Number.NaN);
  const last = formatNumber(values.at(-1) ?? Number.NaN);
  return {
    name,
    unit: 'KB per article',
    values: [fitSlope(values) * 1000],
    detail: `${first} MB, ${rows.length} articles later ${last} MB`,
  };
}

/** @returns the mean growth of a value per step */
function fitSlope(values: readonly number[]): number {
  const meanPlace = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let covariance = 0;
  let variance = 0;
  for (const [place, value] of values.entries()) {
    covariance += (place - meanPlace) * (value - mean);
    variance += (place - meanPlace) ** 2;
  }
  return covariance / variance;
}
