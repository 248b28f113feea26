import { formatNumber } from '../format.ts';

export interface TabOption {
  readonly value: string;
  readonly label: string;
  readonly count?: number | undefined;
  /** Shown in red while the count is not 0. */
  readonly isBad?: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly options: readonly TabOption[];
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Parts of a page or a list, with counts. */
export function Tabs({ label, options, value, onValue }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-current={option.value === value ? 'page' : undefined}
          class={option.isBad === true && (option.count ?? 0) > 0 ? 'bad' : ''}
          onClick={() => onValue(option.value)}
        >
          {option.label} {option.count !== undefined && <span>{formatNumber(option.count)}</span>}
        </button>
      ))}
    </nav>
  );
}
