import { useState } from 'preact/hooks';
import type { DaySeries, Sums } from '../../../../analytics/schema.ts';
import { Chart, Figures } from '../../components/chart.tsx';
import {
  formatChange,
  formatDay,
  formatNumber,
  formatPercent,
  formatPoints,
  formatShortDay,
  formatShortTimeSpan,
} from '../../format.ts';
import { shownTimeZone } from '../../time-zone.ts';

type FigureName = 'Plays' | 'Listeners' | 'Time listened' | 'Heard to the end';

/** As the chart shows them. */
const figures: Readonly<Record<FigureName, { readonly of: (sums: Sums) => number; readonly unit: string }>> = {
  Plays: { of: ({ plays }) => plays, unit: '' },
  Listeners: { of: ({ listeners }) => listeners, unit: '' },
  'Time listened': { of: ({ heard_seconds }) => heard_seconds / 60, unit: ' min' },
  'Heard to the end': { of: ({ completion }) => 100 * (completion ?? 0), unit: '%' },
};

interface TrendProps {
  readonly days: DaySeries;
  /** The same number of days before. */
  readonly daysBefore: DaySeries;
  /** The last day is today. */
  readonly isUnfinished: boolean;
}

/** The totals of a period; the chart shows the chosen one by day, with the period before. */
export function Trend({ days, daysBefore, isUnfinished }: TrendProps) {
  const [totals, totalsBefore] = [sumDays(days), sumDays(daysBefore)];
  const [shown, setShown] = useState<FigureName>('Plays');
  const { of, unit } = figures[shown];
  const { completion } = totals;
  const compare = (name: FigureName) => {
    if (name === 'Listeners' && totals.listeners === 0 && totals.plays > 0) return 'only with consent';
    const { of } = figures[name];
    const text =
      name === 'Heard to the end'
        ? formatPoints(completion, totalsBefore.completion)
        : formatChange(of(totals), of(totalsBefore));
    return text?.startsWith('+') === true ? <span class="up">{text}</span> : text;
  };
  const figure = (name: FigureName, value: string) => ({ name, value, about: compare(name) });
  return (
    <section class="card" aria-label="Listening">
      <h2 class="unseen">Listening</h2>
      <Figures
        of={[
          figure('Plays', formatNumber(totals.plays)),
          figure('Listeners', formatNumber(totals.listeners)),
          figure('Time listened', formatShortTimeSpan(totals.heard_seconds)),
          figure('Heard to the end', completion === null ? '–' : formatPercent(completion)),
        ]}
        chosen={shown}
        onChoose={(name) => setShown(name as FigureName)}
      />
      <div class="body">
        <Chart
          label={shown}
          labels={days.map(({ day }) => formatShortDay(day))}
          values={days.map(of)}
          before={daysBefore.map(of)}
          kind={days.length === 1 ? 'bars' : 'line'}
          format={(value) => `${formatNumber(Math.round(value))}${unit}`}
          isUnfinished={isUnfinished}
          {...(unit === '%' && { top: 100 })}
        />
        <p class="hint">
          {[days[0], days.at(-1)].map((day) => day && formatDay(day.day)).join(' to ')}, by the days of{' '}
          {shownTimeZone()}. Dashed: the same time before.
        </p>
      </div>
    </section>
  );
}

/** @returns the totals of days; a listener counts once a day */
function sumDays(days: DaySeries): Sums {
  const sum = (name: 'loads' | 'plays' | 'completes' | 'listeners' | 'heard_seconds') =>
    days.reduce((total, day) => total + day[name], 0);
  const [plays, completes] = [sum('plays'), sum('completes')];
  return {
    ...{ loads: sum('loads'), plays, completes, completion: plays === 0 ? null : completes / plays },
    ...{ listeners: sum('listeners'), heard_seconds: sum('heard_seconds') },
  };
}
