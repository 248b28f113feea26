import { useState } from 'preact/hooks';
import { LinkButton } from '../../components/button.tsx';
import { Choice } from '../../components/field.tsx';
import { Card } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatDay, formatLanguage, formatNumber, formatPercent, formatTimeSpan } from '../../format.ts';
import { links } from '../../links.ts';
import { useQuery } from '../../query.ts';
import {
  type Analytics,
  type AnalyticsQuery,
  buildCsvUrl,
  type Dimension,
  dimensions,
  fetchAnalytics,
  type Group,
  maxShownGroups,
} from './analytics.ts';

const titles: Readonly<Record<Dimension, string>> = {
  post: 'Posts',
  day: 'Days',
  language: 'Languages',
  voice: 'Voices',
  device: 'Devices',
  source: 'Sources',
};

const columnTitles: Readonly<Record<Dimension, string>> = {
  post: 'Post',
  day: 'Day',
  language: 'Language',
  voice: 'Voice',
  device: 'Device',
  source: 'Source',
};

const valueTexts: Readonly<Record<string, string>> = {
  phone: 'Phone',
  tablet: 'Tablet',
  desktop: 'Computer',
  other: 'Other',
  public: 'Players on pages',
  key: 'Servers, with an API key',
};

interface BreakdownProps {
  readonly question: AnalyticsQuery;
  /** Polling interval in milliseconds; undefined: no polling. */
  readonly everyMs: number | undefined;
}

/** Analytics grouped by a dimension. */
export function Breakdown({ question, everyMs }: BreakdownProps) {
  const { site, postId, from, to } = question;
  const offered = dimensions.filter((one) => postId === undefined || one !== 'post');
  const [dimension, setDimension] = useState<Dimension>(offered[0] ?? 'day');
  const loaded = useQuery(
    async () => ({ dimension, ...(await fetchAnalytics(question, dimension)) }),
    [site, postId, from, to, dimension],
    () => everyMs,
  );
  return (
    <Card
      title="Breakdown"
      actions={
        <LinkButton href={buildCsvUrl(question, dimension)} download>
          Download CSV
        </LinkButton>
      }
    >
      <p class="dimensions">
        <Choice
          label="Group by"
          value={dimension}
          options={offered.map((one) => ({ value: one, label: titles[one] }))}
          onValue={(chosen) => setDimension(offered.find((one) => one === chosen) ?? 'day')}
        />
      </p>
      <QueryView of={loaded}>
        {(found) => <Groups found={found} dimension={found.dimension} question={question} />}
      </QueryView>
    </Card>
  );
}

interface GroupsProps {
  readonly found: Analytics;
  readonly dimension: Dimension;
  readonly question: AnalyticsQuery;
}

function Groups({ found, dimension, question: { site } }: GroupsProps) {
  const rows = dimension === 'day' ? daysOf(found) : found.groups;
  if (rows.length === 0) return <p class="waiting">No data for this period.</p>;
  const most = Math.max(1, ...rows.map(({ plays }) => plays));
  const nameOf = ({ value, name }: Group) => {
    if (value === null) return <span class="no-value">{unknownText(dimension)}</span>;
    switch (dimension) {
      case 'post':
        return <a href={`#${links.postAnalytics(site, value)}`}>{name ?? value}</a>;
      case 'day':
        return formatDay(value);
      case 'language':
        return formatLanguage(value);
      case 'voice':
        return name ?? `Voice ${value}`;
      default:
        return valueTexts[value] ?? value;
    }
  };
  const columns: Column<Group>[] = [
    { title: columnTitles[dimension], cell: nameOf },
    {
      title: 'Plays',
      cell: ({ plays }) => <Bar value={plays} most={most} all={found.totals.plays} />,
    },
    { title: 'Listeners', cell: ({ listeners }) => formatNumber(listeners), isNumber: true },
    { title: 'Listening time', cell: (row) => formatTimeSpan(row.heard_seconds), isNumber: true },
    {
      title: 'Completion',
      cell: ({ completion }) => (completion === null ? '–' : formatPercent(completion)),
      isNumber: true,
    },
  ];
  return (
    <>
      <Table
        caption={`Analytics by ${columnTitles[dimension].toLowerCase()}`}
        rows={rows}
        keyOf={({ value }) => value ?? ''}
        columns={columns}
      />
      {rows.length === maxShownGroups && dimension !== 'day' && (
        <p class="hint">The table shows the first {formatNumber(maxShownGroups)} rows. The CSV file contains all.</p>
      )}
    </>
  );
}

interface BarProps {
  readonly value: number;
  /** The value whose bar fills the cell. */
  readonly most: number;
  readonly all: number;
}

/** A value, its share of the total, and a bar. */
function Bar({ value, most, all }: BarProps) {
  return (
    <span class="bar">
      <span class="bar-figure">{formatNumber(value)}</span>{' '}
      <span class="bar-track" aria-hidden="true">
        <span style={{ width: `${(value / most) * 100}%` }} />
      </span>
      <span class="bar-share">{all === 0 ? '–' : formatPercent(value / all)}</span>
    </span>
  );
}

/** Days, newest first. */
function daysOf({ series }: Analytics): Group[] {
  return series.map(({ day, ...sums }) => ({ value: day, name: null, ...sums })).toReversed();
}

function unknownText(dimension: Dimension): string {
  return dimension === 'post' ? 'Unknown posts' : 'Unknown';
}
