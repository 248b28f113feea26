import { computeMedian, formatNumber } from '../figure.ts';
import { formatTable, rewritePart } from '../markdown.ts';
import type { Result } from './compare-voice.ts';
import type { Peaks } from './contenders.ts';
import type { Block } from './peers.ts';

const columns = [
  'Engine',
  'per CPU second, 1 worker',
  'per CPU second, 2 workers',
  'per second, 1 worker',
  'per second, 2 workers',
  'Peak memory of a worker',
];
const shownNames: Readonly<Record<Result['name'], string>> = {
  bare: 'bare onnxruntime-node',
  sherpa: 'sherpa-onnx-node',
  lectern: "Lectern's engine",
  'end to end': 'Lectern, from POST to ready',
};

/** Formats a Markdown table per voice, with a row per engine. */
export function formatComparison(blocks: readonly Block[]): string {
  return blocks.map(formatBlock).join('\n\n');
}

/** Writes the comparison into docs/benchmarks.md. */
export function writeComparison(blocks: readonly Block[], machine: string): void {
  const today = new Date().toISOString().slice(0, 10);
  rewritePart(
    'peers',
    () => `Machine: ${machine}. Measured on ${today} by \`bun run bench --only peers\`.\n\n${formatComparison(blocks)}`,
  );
}

function formatBlock({ voice, rounds, results }: Block): string {
  const bare = results.find(({ name }) => name === 'bare');
  const lectern = results.find(({ name }) => name === 'lectern');
  const rows = results.map(({ name, speeds, peaks }) => [
    shownNames[name],
    ...(['perCpuS', 'perWallS'] as const).flatMap((kind) =>
      speeds.map((speed, place) => formatSpeed(speed[kind], bare?.speeds[place]?.[kind] ?? [])),
    ),
    formatMemory(peaks),
  ]);
  const amount = `${formatNumber(lectern?.audioS ?? Number.NaN)} s of sound, rounds: ${rounds}`;
  return `**${voice}**: ${amount}\n\n${formatTable(columns, rows)}`;
}

/** Such as `23.1 s (1.38 ×)`: medians of the rounds, and of the ratios to the bare runtime in the same round. */
function formatSpeed(measured: readonly number[], bare: readonly number[]): string {
  const ratios = measured.map((value, round) => value / (bare[round] ?? Number.NaN));
  return `${formatNumber(computeMedian(measured))} s (${formatNumber(computeMedian(ratios))} ×)`;
}

function formatMemory({ workerMb, serverMb }: Peaks): string {
  const server = serverMb === undefined ? '' : `, server ${formatNumber(serverMb)} MB`;
  return `${formatNumber(workerMb)} MB${server}`;
}
