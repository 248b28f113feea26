import { useState } from 'preact/hooks';
import { Choice, TextField } from '../../components/field.tsx';
import { defaultPeriods, lastDays, type Period, validatePeriod } from './period.ts';

/** A number of days until today, or a first and last day. */
export type ChosenPeriod = number | Period;

export function toPeriod(chosen: ChosenPeriod): Period {
  return typeof chosen === 'number' ? lastDays(chosen) : chosen;
}

interface PeriodFieldProps {
  readonly value: ChosenPeriod;
  readonly onValue: (value: ChosenPeriod) => void;
}

/** Default periods, or custom dates. */
export function PeriodField({ value, onValue }: PeriodFieldProps) {
  const [days, setDays] = useState<Period>(toPeriod(value));
  const isOwn = typeof value !== 'number';
  const problem = isOwn ? validatePeriod(days) : undefined;
  const change = (changes: Partial<Period>) => {
    const changed = { ...days, ...changes };
    setDays(changed);
    if (validatePeriod(changed) === undefined) onValue(changed);
  };
  return (
    <div class="period">
      <Choice
        label="Period"
        value={isOwn ? 'own' : String(value)}
        options={[
          ...defaultPeriods.map((count) => ({ value: String(count), label: `${count} days` })),
          { value: 'own', label: 'Custom' },
        ]}
        onValue={(chosen) => {
          if (chosen !== 'own') return onValue(Number(chosen));
          const shown = toPeriod(value);
          setDays(shown);
          return onValue(shown);
        }}
      />
      {isOwn && (
        <div class="days">
          <TextField
            label="Start date"
            type="date"
            value={days.from}
            max={days.to}
            onValue={(from) => change({ from })}
          />
          <TextField label="End date" type="date" value={days.to} min={days.from} onValue={(to) => change({ to })} />
          {problem !== undefined && (
            <p class="wrong" role="alert">
              {problem}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
