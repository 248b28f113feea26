import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMet, type Measured, shown, shownTarget } from './figure.ts';

const path = join(import.meta.dir, '../../docs/benchmarks.md');
const columns = [
  'Figure',
  'Measured',
  'Target',
  'Met',
  'Behind it',
  '`bun run bench --only`',
  'Date',
];

/** A measured figure with what must be known to repeat it. */
export interface Row {
  readonly measured: Measured;
  /** Of the figure, as `--only` takes it. */
  readonly command: string;
}

/** A Markdown table of figures. */
export function figureTable(rows: readonly Row[]): string {
  return table(rows.map(cellsOf));
}

/** Puts figures into docs/benchmarks.md; those not measured now stay. */
export function writeFigures(rows: readonly Row[], machine: string): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [before, old, after] = /^([\s\S]*<!-- figures -->\n)([\s\S]*)(<!-- end -->[\s\S]*)$/
    .exec(text)
    ?.slice(1) ?? ['', '', ''];
  if (before === '') throw new Error(`${path} has no place for the figures`);
  const kept = parseTable(old ?? '');
  const fresh = rows.map(cellsOf);
  const known = new Set(kept.map(([name]) => name));
  const merged = [
    ...kept.map((cells) => fresh.find(([name]) => name === cells[0]) ?? cells),
    ...fresh.filter(([name]) => !known.has(name)),
  ];
  writeFileSync(path, `${before}\nMachine: ${machine}.\n\n${table(merged)}\n\n${after}`);
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

function table(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

function parseTable(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
}
