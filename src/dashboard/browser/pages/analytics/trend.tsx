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
  /** Default: those of the days. */
  readonly totals?: Sums;
  readonly totalsBefore?: Sums;
  /** The last day is today. */
  readonly isUnfinished: boolean;
}

/** The totals of a period; the chart shows the chosen one by day, with the period before. */
export function Trend({ days, daysBefore, isUnfinished, ...given }: TrendProps) {
  const { totals = sumDays(days), totalsBefore = sumDays(daysBefore) } = given;
  const [shown, setShown] = useState<FigureName>('Plays');
  const { of, unit } = figures[shown];
  const change = (name: FigureName) => toChange(formatChange(figures[name].of(totals), figures[name].of(totalsBefore)));
  const { completion } = totals;
  const isWithoutConsent = totals.listeners === 0 && totals.plays > 0;
  return (
    <section class="card" aria-label="Listening">
      <h2 class="unseen">Listening</h2>
      <Figures
        of={[
          { name: 'Plays', value: formatNumber(totals.plays), about: change('Plays') },
          {
            name: 'Listeners',
            value: formatNumber(totals.listeners),
            about: isWithoutConsent ? 'only with consent' : change('Listeners'),
          },
          {
            name: 'Time listened',
            value: formatShortTimeSpan(totals.heard_seconds),
            about: change('Time listened'),
          },
          {
            name: 'Heard to the end',
            value: completion === null ? '–' : formatPercent(completion),
            about:
              completion === null || totalsBefore.completion === null
                ? undefined
                : toChange(formatPoints(completion - totalsBefore.completion)),
          },
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

function toChange(text: string | undefined) {
  return text?.startsWith('+') === true ? <span class="up">{text}</span> : text;
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
