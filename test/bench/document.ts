import { isMet, type Measured, shown, shownTarget } from './figure.ts';
import { markdownTable, rewritePart } from './markdown.ts';

const columns = ['Figure', 'Measured', 'Target', 'Met', 'Behind it', '`bun run bench --only`', 'Date'];

/** A measured figure with what must be known to repeat it. */
export interface Row {
  readonly measured: Measured;
  /** Of the figure, as `--only` takes it. */
  readonly command: string;
}

/** A Markdown table of figures. */
export function figureTable(rows: readonly Row[]): string {
  return markdownTable(columns, rows.map(cellsOf));
}

/** Puts figures into docs/benchmarks.md; those not measured now stay. */
export function writeFigures(rows: readonly Row[], machine: string): void {
  rewritePart('figures', (old) => {
    const kept = parseTable(old);
    const fresh = rows.map(cellsOf);
    const known = new Set(kept.map(([name]) => name));
    const merged = [
      ...kept.map((cells) => fresh.find(([name]) => name === cells[0]) ?? cells),
      ...fresh.filter(([name]) => !known.has(name)),
    ];
    return `Machine: ${machine}.\n\n${markdownTable(columns, merged)}`;
  });
}

function cellsOf({ measured, command }: Row): string[] {
  const met = isMet(measured);
  return [
    measured.name,
    shown(measured),
    shownTarget(measured),
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
