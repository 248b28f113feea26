import { formatTarget, formatValues, isMet, type Measured } from './figure.ts';
import { formatTable, rewritePart } from './markdown.ts';

const columns = ['Figure', 'Measured', 'Target', 'Met', 'Behind it', '`bun run bench --only`', 'Date'];

/** A measured figure with the command that repeats it. */
export interface Row {
  readonly measured: Measured;
  /** Name of the figure for `--only`. */
  readonly command: string;
}

/** A Markdown table of figures. */
export function formatFigures(rows: readonly Row[]): string {
  return formatTable(columns, rows.map(formatCells));
}

/** Writes figures into docs/benchmarks.md; other rows remain. */
export function writeFigures(rows: readonly Row[], machine: string): void {
  rewritePart('figures', (old) => {
    const kept = parseTable(old);
    const fresh = rows.map(formatCells);
    const known = new Set(kept.map(([name]) => name));
    const merged = [
      ...kept.map((cells) => fresh.find(([name]) => name === cells[0]) ?? cells),
      ...fresh.filter(([name]) => !known.has(name)),
    ];
    return `Machine: ${machine}.\n\n${formatTable(columns, merged)}`;
  });
}

function formatCells({ measured, command }: Row): string[] {
  const met = isMet(measured);
  return [
    measured.name,
    formatValues(measured),
    formatTarget(measured),
    met === undefined ? '—' : met ? 'yes' : '**no**',
    measured.detail ?? '—',
    command,
    new Date().toISOString().slice(0, 10),
  ];
}

function parseTable(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
}
