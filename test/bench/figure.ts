/** What a run may be told. */
interface RunOptions {
  readonly rounds: number;
  /** Articles of the memory run. */
  readonly articles: number;
}

/** A figure's values, one a round, beside what they should be. */
export interface Measured {
  readonly name: string;
  readonly unit: '×' | 's' | 'ms' | 'MB' | '%' | 'dB' | 'KB' | 'KB per article';
  readonly values: readonly number[];
  /** The median may not be above it; `min`: not below. */
  readonly target?: number;
  readonly min?: number;
  /** What stands behind the values, like the two halves of a ratio. */
  readonly detail?: string;
}

/** One or more figures that come out of the same rounds. */
export interface Figure {
  /** As `--only` names it. */
  readonly name: string;
  /** Measured only when it is named: it fetches a large model, or starts PostgreSQL. */
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

/** Like `1.07 × (1.05–1.12)`. */
export function formatValues(measured: Measured): string {
  const { values, unit } = measured;
  const range = values.length < 2 ? '' : ` (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`;
  return `${formatNumber(computeMedian(values))} ${unit}${range}`;
}

export function formatTarget({ target, min, unit }: Measured): string {
  if (target !== undefined) return `≤ ${target} ${unit}`;
  return min === undefined ? '—' : `≥ ${min} ${unit}`;
}

/** Three digits that say something. */
export function formatNumber(value: number): string {
  if (value === Infinity) return '∞';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}
