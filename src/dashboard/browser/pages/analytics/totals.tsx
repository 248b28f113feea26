import { Figures } from '../../components/figures.tsx';
import { formatNumber, formatPercent, formatTimeSpan } from '../../format.ts';
import type { Analytics } from './analytics.ts';
import { dayCount, type Period } from './period.ts';

type Sums = Analytics['totals'];

interface TotalsProps {
  readonly totals: Sums;
  /** Totals of the previous period. */
  readonly before: Sums;
  readonly period: Period;
}

/** The totals of a period, compared with the previous one. */
export function Totals({ totals, before, period }: TotalsProps) {
  const days = dayCount(period);
  const earlier = days === 1 ? 'the previous day' : `the previous ${days} days`;
  const change = (figure: (sums: Sums) => number, text: (value: number) => string) =>
    changeText(figure(totals), figure(before), text, earlier);
  return (
    <Figures
      of={[
        {
          name: 'Plays',
          value: formatNumber(totals.plays),
          about: change(({ plays }) => plays, formatNumber),
        },
        {
          name: 'Listeners',
          value: formatNumber(totals.listeners),
          about:
            totals.listeners === 0 && totals.plays > 0
              ? 'Counted only with consent, see below'
              : change(({ listeners }) => listeners, formatNumber),
        },
        {
          name: 'Listening time',
          value: formatTimeSpan(totals.heard_seconds),
          about: change(({ heard_seconds }) => heard_seconds, formatTimeSpan),
        },
        {
          name: 'Completion',
          value: totals.completion === null ? '–' : formatPercent(totals.completion),
          about: completionChange(before, earlier),
        },
      ]}
    />
  );
}

function changeText(now: number, then: number, text: (value: number) => string, earlier: string): string {
  if (now === then) return `Same as in ${earlier}`;
  if (then === 0) return `None in ${earlier}`;
  const share = formatPercent(Math.abs(now - then) / then);
  return `${now > then ? '▲' : '▼'} ${share} ${now > then ? 'more' : 'less'} than in ${earlier} (${text(then)})`;
}

function completionChange(then: Sums, earlier: string): string {
  if (then.completion === null) return `No plays in ${earlier}`;
  return `${formatPercent(then.completion)} in ${earlier}`;
}
