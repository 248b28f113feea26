import { Table } from '../../components/table.tsx';
import { formatPercent } from '../../format.ts';
import type { Analytics } from './analytics.ts';
import { Chart } from './chart.tsx';

const partPercent = 5;

/** Share of plays that heard each part of the audio. */
export function RetentionChart({ retention }: Pick<Analytics, 'retention'>) {
  const shares = retention.map(({ share }) => share ?? 0);
  const last = shares.at(-1) ?? 0;
  return (
    <Chart
      title="Retention"
      // The last part ends at 100 %.
      places={[...retention.map(({ percent }) => percent), 100]}
      values={[...shares, last]}
      color="--accent"
      shape="steps"
      placeRange={[0, 100]}
      placeSteps={[5, 10, 25, 50]}
      placeText={(percent) => `${percent}%`}
      valueMax={1}
      valueSteps={[0.1, 0.25, 0.5, 1, 2, 5, 10]}
      valueText={formatPercent}
      heightPx={220}
      summary={`Last part: ${formatPercent(last)} of plays`}
      told={(index) => {
        const part = retention[Math.min(index, retention.length - 1)];
        return part === undefined
          ? ''
          : `${rangeText(part.percent)} of the audio: ${formatPercent(part.share ?? 0)} of plays`;
      }}
    >
      <Table
        caption="Share of plays by part of the audio"
        rows={retention}
        keyOf={({ percent }) => percent}
        columns={[
          { title: 'Part of the audio', cell: ({ percent }) => rangeText(percent) },
          { title: 'Share of plays', cell: ({ share }) => formatPercent(share ?? 0), isNumber: true },
        ]}
      />
    </Chart>
  );
}

function rangeText(percent: number): string {
  return `${percent}–${percent + partPercent}%`;
}
