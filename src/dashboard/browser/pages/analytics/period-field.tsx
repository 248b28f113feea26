import { useState } from 'preact/hooks';
import { Choice } from '../../parts/choice.tsx';
import { TextField } from '../../parts/field.tsx';
import { lastDays, type Period, periodProblem, usualDays } from './period.ts';

/** How a period was chosen: so many days until today, or its first and last day. */
export type ChosenPeriod = number | Period;

export function periodOf(chosen: ChosenPeriod): Period {
  return typeof chosen === 'number' ? lastDays(chosen) : chosen;
}

interface PeriodFieldProps {
  readonly value: ChosenPeriod;
  readonly onValue: (value: ChosenPeriod) => void;
}

/** The usual periods at one press; other days by hand. */
export function PeriodField({ value, onValue }: PeriodFieldProps) {
  const [days, setDays] = useState<Period>(periodOf(value));
  const isOwn = typeof value !== 'number';
  const problem = isOwn ? periodProblem(days) : undefined;
  const change = (changes: Partial<Period>) => {
    const changed = { ...days, ...changes };
    setDays(changed);
    if (periodProblem(changed) === undefined) onValue(changed);
  };
  return (
    <div class="period">
      <Choice
        label="Period"
        value={isOwn ? 'own' : String(value)}
        options={[
          ...usualDays.map((count) => ({ value: String(count), label: `${count} days` })),
          { value: 'own', label: 'Other days' },
        ]}
        onValue={(chosen) => {
          if (chosen !== 'own') return onValue(Number(chosen));
          const shown = periodOf(value);
          setDays(shown);
          return onValue(shown);
        }}
      />
      {isOwn && (
        <div class="days">
          <TextField
            label="First day"
            type="date"
            value={days.from}
            max={days.to}
            onValue={(from) => change({ from })}
          />
          <TextField
            label="Last day"
            type="date"
            value={days.to}
            min={days.from}
            onValue={(to) => change({ to })}
          />
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
