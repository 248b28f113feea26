/** Options of a run. */
interface RunOptions {
  readonly rounds: number;
  /** Articles of the memory run. */
  readonly articles: number;
}

/** Values of a figure, one per round, with its target. */
export interface Measured {
  readonly name: string;
  readonly unit: '×' | 's' | 'ms' | 'MB' | '%' | 'dB' | 'KB' | 'KB per article';
  readonly values: readonly number[];
  /** Upper limit of the median; `min` is the lower one. */
  readonly target?: number;
  readonly min?: number;
  /** Details of the values, such as the two parts of a ratio. */
  readonly detail?: string;
}

/** One or more figures measured in the same rounds. */
export interface Figure {
  /** Name for `--only`. */
  readonly name: string;
  /** Measured only on request, as it downloads a large model or starts PostgreSQL. */
  readonly isOnRequest?: true;
  measure(options: RunOptions): Promise<Measured[]>;
}

export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function isMet({ values, target, min }: Measured): boolean | undefined {
  if (target === undefined && min === undefined) return undefined;
  const value = computeMedian(values);
  return value <= (target ?? Infinity) && value >= (min ?? -Infinity);
}

/** Such as `1.07 × (1.05–1.12)`. */
export function formatValues(measured: Measured): string {
  const { values, unit } = measured;
  const range = values.length < 2 ? '' : ` (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`;
  return `${formatNumber(computeMedian(values))} ${unit}${range}`;
}

export function formatTarget({ target, min, unit }: Measured): string {
  if (target !== undefined) return `≤ ${target} ${unit}`;
  return min === undefined ? '—' : `≥ ${min} ${unit}`;
}

/** Three significant digits. */
export function formatNumber(value: number): string {
  if (value === Infinity) return '∞';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}
