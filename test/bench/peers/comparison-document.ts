import { median, number } from '../figure.ts';
import { markdownTable, rewritePart } from '../markdown.ts';
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

/** In Markdown, a table a voice, a row an engine. */
export function comparisonText(blocks: readonly Block[]): string {
  return blocks.map(blockText).join('\n\n');
}

/** Puts the comparison into docs/benchmarks.md. */
export function writeComparison(blocks: readonly Block[], machine: string): void {
  const today = new Date().toISOString().slice(0, 10);
  rewritePart(
    'peers',
    () => `Machine: ${machine}. Measured on ${today} by \`bun run bench --only peers\`.\n\n${comparisonText(blocks)}`,
  );
}

function blockText({ voice, rounds, results }: Block): string {
  const bare = results.find(({ name }) => name === 'bare');
  const own = results.find(({ name }) => name === 'lectern');
  const rows = results.map(({ name, speeds, peaks }) => [
    shownNames[name],
    ...(['perCpuS', 'perWallS'] as const).flatMap((kind) =>
      speeds.map((speed, place) => shownSpeed(speed[kind], bare?.speeds[place]?.[kind] ?? [])),
    ),
    shownMemory(peaks),
  ]);
  const amount = `${number(own?.audioS ?? Number.NaN)} s of sound, rounds: ${rounds}`;
  return `**${voice}**: ${amount}\n\n${markdownTable(columns, rows)}`;
}

/** Like `23.1 s (1.38 ×)`: the medians of the rounds, and of the ratios to the bare runtime in the same round. */
function shownSpeed(own: readonly number[], bare: readonly number[]): string {
  const ratios = own.map((value, round) => value / (bare[round] ?? Number.NaN));
  return `${number(median(own))} s (${number(median(ratios))} ×)`;
}

function shownMemory({ workerMb, serverMb }: Peaks): string {
  const server = serverMb === undefined ? '' : `, server ${number(serverMb)} MB`;
  return `${number(workerMb)} MB${server}`;
}
