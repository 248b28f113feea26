import { article } from './article.ts';
import { startBenchServer } from './bench-server.ts';
import { upToDateExecutable } from './executable.ts';
import { type Figure, type Measured, number } from './figure.ts';
import { childPids, residentMb } from './process-cost.ts';

const settleMs = 1_000;

/** Resident memory of the executable: at rest, after an article, and over many of them. */
export const memory: Figure = {
  name: 'memory',
  measure: async ({ articles }) => {
    const server = await startBenchServer({ command: [await upToDateExecutable()] });
    const workers = () => childPids(server.pid).map((pid) => residentMb(pid));
    try {
      const idleMb = residentMb(server.pid).now;
      const rows: { serverMb: number; workersMb: number }[] = [];
      let workerPeakMb: number[] = [];
      for (let round = 0; round < articles; round += 1) {
        await server.make(await server.freshSite(), 'post', article(round % 10));
        if (round === 0) {
          await Bun.sleep(settleMs);
          workerPeakMb = workers().map(({ peak }) => peak);
        }
        rows.push({
          serverMb: residentMb(server.pid).now,
          workersMb: Math.max(...workers().map(({ now }) => now)),
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
        ...slopes(rows),
      ];
    } finally {
      await server.stop();
    }
  },
};

function slopes(rows: readonly { serverMb: number; workersMb: number }[]): Measured[] {
  // The first articles fill caches and warm the compiler up.
  const later = rows.slice(Math.floor(rows.length / 5));
  return [
    slope('Memory: growth of the server', later, ({ serverMb }) => serverMb),
    slope('Memory: growth of the larger worker', later, ({ workersMb }) => workersMb),
  ];
}

function slope<Row>(name: string, rows: readonly Row[], read: (row: Row) => number): Measured {
  const values = rows.map(read);
  const first = number(values[0] ?? Number.NaN);
  const last = number(values.at(-1) ?? Number.NaN);
  return {
    name,
    unit: 'KB per article',
    values: [leastSquaresSlope(values) * 1000],
    detail: `${first} MB, ${rows.length} articles later ${last} MB`,
  };
}

/** @returns by how much a value grows from one to the next */
function leastSquaresSlope(values: readonly number[]): number {
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
