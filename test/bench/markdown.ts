import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dir, '../../docs/benchmarks.md');

/**
 * Rewrites a part of docs/benchmarks.md.
 * @param name of the part, as in its markers `<!-- name -->` and `<!-- /name -->`
 * @param rewrite receives the current text
 */
export function rewritePart(name: string, rewrite: (old: string) => string): void {
  const text = readFileSync(path, 'utf8');
  const [head, tail] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(head) + head.length, text.indexOf(tail)];
  if (start < head.length || end < start) throw new Error(`${path} has no place for ${name}`);
  writeFileSync(path, `${text.slice(0, start)}\n${rewrite(text.slice(start, end))}\n\n${text.slice(end)}`);
}

export function formatTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const formatLine = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [formatLine(columns), formatLine(columns.map(() => '---')), ...rows.map(formatLine)].join('\n');
}
