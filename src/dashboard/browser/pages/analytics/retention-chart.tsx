import { Table } from '../../components/table.tsx';
import { formatPercent } from '../../format.ts';
import type { Analytics } from './analytics.ts';
import { Chart } from './chart.tsx';

const partPercent = 5;

/** How much of the plays is still there in each part of the audio. */
export function RetentionChart({ retention }: Pick<Analytics, 'retention'>) {
  const shares = retention.map(({ share }) => share ?? 0);
  const last = shares.at(-1) ?? 0;
  return (
    <Chart
      title="Heard by part of the audio"
      // The last part reaches to the end.
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
      summary={`The last part: ${formatPercent(last)} of the plays`}
      told={(index) => {
        const part = retention[Math.min(index, retention.length - 1)];
        return part === undefined
          ? ''
          : `${rangeText(part.percent)} of the audio: ${formatPercent(part.share ?? 0)} of the plays`;
      }}
    >
      <Table
        caption="Share of the plays by part of the audio"
        rows={retention}
        keyOf={({ percent }) => percent}
        columns={[
          { title: 'Part of the audio', cell: ({ percent }) => rangeText(percent) },
          { title: 'Of the plays', cell: ({ share }) => formatPercent(share ?? 0), isNumber: true },
        ]}
      />
    </Chart>
  );
}

function rangeText(percent: number): string {
  return `${percent}–${percent + partPercent}%`;
}
