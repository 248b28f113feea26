import { describeMachine } from '../bench/machine.ts';
import { formatTable } from '../bench/markdown.ts';
import type { CampaignRecord } from './record.ts';
import type { Sample } from './supervisor.ts';

/** Minimum number of samples for the growth of a process. */
const minSamples = 10;
const maxGrowth = 1.5;
const maxGrowthMb = 150;
const maxGrowthFiles = 60;

/** @returns values of the last server process that have grown too much */
export function findGrowthProblems(samples: readonly Sample[]): string[] {
  const pid = samples.at(-1)?.pid;
  // The first minute is the start-up phase.
  const all = samples.filter((sample) => sample.pid === pid);
  const steady = all.slice(Math.floor(all.length / 4));
  if (steady.length < 2 * minSamples) return [];
  const [before, after] = [steady.slice(0, minSamples), steady.slice(-minSamples)];
  const memory = [computeMedian(before.map(toMb)), computeMedian(after.map(toMb))] as const;
  const files = [computeMedian(before.map(toFiles)), computeMedian(after.map(toFiles))] as const;
  return [
    ...(memory[1] > memory[0] * maxGrowth + maxGrowthMb
      ? [`the server grew from ${memory[0].toFixed(0)} to ${memory[1].toFixed(0)} MB`]
      : []),
    ...(files[1] > files[0] + maxGrowthFiles ? [`open files grew from ${files[0]} to ${files[1]}`] : []),
  ];
}

const toMb = ({ residentMb }: Sample): number => residentMb;
const toFiles = ({ fileCount }: Sample): number => fileCount;

function computeMedian(values: readonly number[]): number {
  return computeQuantile(values, 0.5);
}

function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Formats the figures of a campaign as Markdown. */
export function describeCampaign(
  record: CampaignRecord,
  samples: readonly Sample[],
  { seed, minutes }: { readonly seed: number; readonly minutes: number },
): string {
  const durations = [...record.durationsMs].sort(([one], [other]) => (one < other ? -1 : 1));
  const counts = [...record.counts].sort(([one], [other]) => (one < other ? -1 : 1));
  const formatQuantile = (values: readonly number[], share: number): string =>
    computeQuantile(values, share).toFixed(0);
  return [
    `Seed ${seed}, ${minutes} minutes, ${new Date().toISOString().slice(0, 10)}, ${describeMachine()}`,
    formatTable(
      ['Honest request', 'Responses', 'Median', '95 %', '99 %', 'Longest (ms)'],
      durations.map(([kind, values]) => [
        ...[
          kind,
          `${values.length}`,
          formatQuantile(values, 0.5),
          formatQuantile(values, 0.95),
          formatQuantile(values, 0.99),
          formatQuantile(values, 1),
        ],
      ]),
    ),
    formatTable(
      ['What', 'Count'],
      counts.map(([name, count]) => [name, `${count}`]),
    ),
    formatTable(
      ['Server process', 'Lived', 'Memory, first and last (MB)', 'Most', 'Open files, most'],
      listProcesses(samples),
    ),
    formatTable(
      ['Second', 'Fault'],
      record.faults.map(({ atS, what }) => [atS.toFixed(1), what]),
    ),
    record.violations.length === 0
      ? 'No violation.'
      : formatTable(
          ['Second', 'Times', 'Violation'],
          record.violations.map(({ atS, what, count }) => [
            ...[atS.toFixed(1), `${count}`, what.replaceAll('\n', ' ').replaceAll('|', '\\|')],
          ]),
        ),
  ].join('\n\n');
}

function listProcesses(samples: readonly Sample[]): string[][] {
  return [...Map.groupBy(samples, ({ pid }) => pid).values()].map((ofProcess, index) => {
    const [first, last] = [ofProcess[0], ofProcess.at(-1)];
    const mb = ofProcess.map(toMb);
    return [
      `${index + 1}`,
      `${((last?.atS ?? 0) - (first?.atS ?? 0)).toFixed(0)} s`,
      `${first?.residentMb.toFixed(0)}, ${last?.residentMb.toFixed(0)}`,
      Math.max(...mb).toFixed(0),
      `${Math.max(...ofProcess.map(toFiles))}`,
    ];
  });
}
