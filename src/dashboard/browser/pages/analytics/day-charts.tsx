import { Table } from '../../components/table.tsx';
import { formatDay, formatNumber, formatShortDay, formatShortTimeSpan, formatTimeSpan } from '../../format.ts';
import type { Analytics, DayFigures } from './analytics.ts';
import { Chart } from './chart.tsx';

const heightPx = 180;
const daySteps = [1, 2, 7, 14, 28, 56, 91];
const countSteps = [1, 2, 5].flatMap((first) => Array.from({ length: 8 }, (_, zeros) => first * 10 ** zeros));
const secondSteps = [
  ...[15, 30, 60, 120, 300, 600, 900, 1_800],
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000].map((hours) => hours * 3_600),
];

/** Plays and listening time by day. */
export function DayCharts({ series }: Pick<Analytics, 'series'>) {
  const days = series.map((_, index) => index);
  const common = {
    places: days,
    shape: 'bars',
    placeRange: [-0.6, days.length - 0.4],
    placeSteps: daySteps,
    placeText: (index: number) => formatShortDay(series[index]?.day ?? ''),
    heightPx,
    together: 'days',
  } as const;
  const at = (index: number) => series[index];
  return (
    <div class="charts">
      <Chart
        {...common}
        title="Plays"
        values={series.map(({ plays }) => plays)}
        color="--accent"
        valueMax={4}
        valueSteps={countSteps.toSorted((a, b) => a - b)}
        valueText={formatNumber}
        summary={mostText(series, ({ plays }) => plays, formatNumber)}
        told={(index) => toldOf(at(index), ({ plays }) => formatNumber(plays))}
      >
        <DayTable series={series} title="Plays" cell={({ plays }) => formatNumber(plays)} />
      </Chart>
      <Chart
        {...common}
        title="Listening time"
        values={series.map(({ heard_seconds }) => heard_seconds)}
        color="--busy"
        valueMax={60}
        valueSteps={secondSteps}
        valueText={formatShortTimeSpan}
        summary={mostText(series, ({ heard_seconds }) => heard_seconds, formatTimeSpan)}
        told={(index) => toldOf(at(index), ({ heard_seconds }) => formatTimeSpan(heard_seconds))}
      >
        <DayTable series={series} title="Listening time" cell={({ heard_seconds }) => formatTimeSpan(heard_seconds)} />
      </Chart>
    </div>
  );
}

interface DayTableProps {
  readonly series: readonly DayFigures[];
  readonly title: string;
  readonly cell: (row: DayFigures) => string;
}

function DayTable({ series, title, cell }: DayTableProps) {
  return (
    <Table
      caption={`${title} by day`}
      rows={series}
      keyOf={({ day }) => day}
      columns={[
        { title: 'Day', cell: ({ day }) => formatDay(day) },
        { title, cell, isNumber: true },
      ]}
    />
  );
}

function mostText(
  series: readonly DayFigures[],
  figure: (row: DayFigures) => number,
  text: (value: number) => string,
): string {
  const [most] = series.toSorted((a, b) => figure(b) - figure(a));
  if (most === undefined || figure(most) === 0) return 'None';
  return `Peak on ${formatShortDay(most.day)}: ${text(figure(most))}`;
}

function toldOf(row: DayFigures | undefined, figure: (row: DayFigures) => string): string {
  return row === undefined ? '' : `${formatDay(row.day)}: ${figure(row)}`;
}
