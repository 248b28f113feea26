import type { ComponentChildren } from 'preact';
import { formatNumber } from '../format.ts';

interface BarListProps {
  readonly items: readonly { readonly label: ComponentChildren; readonly value: number; readonly text?: string }[];
}

/** Words with bars behind them, the longest first. @param items `text`: how the value is written */
export function BarList({ items }: BarListProps) {
  const most = Math.max(...items.map(({ value }) => value), 1);
  return (
    <ol class="bar-list">
      {items.map(({ label, value, text }, index) => (
        <li key={index}>
          <i style={{ width: `${(100 * value) / most}%` }} />
          <span class="cut">{label}</span>
          <b>{text ?? formatNumber(value)}</b>
        </li>
      ))}
    </ol>
  );
}
