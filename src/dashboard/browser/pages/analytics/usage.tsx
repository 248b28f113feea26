import { useState } from 'preact/hooks';
import type { EventType } from '../../../../analytics/schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/page.tsx';
import { Progress } from '../../components/progress.tsx';
import { Table } from '../../components/table.tsx';
import { formatCount, formatMonth, formatNumber } from '../../format.ts';
import type { Analytics } from './analytics.ts';

const requestsFirstShown = 10;

const eventTexts: Readonly<Record<EventType, string>> = {
  load: 'Player shown',
  play: 'First sound on a page view',
  pause: 'Paused',
  seek: 'Jumped to another position',
  progress: 'Listening progress',
  complete: 'Reached the end without skipping to it',
  speed: 'Speed changed',
  voice: 'Voice or language changed',
  download: 'MP3 downloaded',
  click: 'Sentence clicked',
  share: 'Shared',
  error: 'Playback failed',
};

/** Number of events by type. */
export function EventCounts({ events }: Pick<Analytics, 'events'>) {
  const counted = Object.entries(events).filter(([, count]) => count > 0);
  if (counted.length === 0) return null;
  return (
    <Card title="Events">
      <Table
        caption="Events by type"
        rows={counted}
        keyOf={([type]) => type}
        columns={[
          { title: 'Event', cell: ([type]) => <code>{type}</code> },
          { title: 'Meaning', cell: ([type]) => eventTexts[type as EventType] ?? '' },
          { title: 'Count', cell: ([, count]) => formatNumber(count), isNumber: true },
        ]}
      />
    </Card>
  );
}

/** Requests with the API keys of the site. */
export function KeyRequests({ requests }: Pick<Analytics, 'requests'>) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? requests.items : requests.items.slice(0, requestsFirstShown);
  return (
    <Card title="Requests with API keys" about={`${formatCount(requests.total, 'request')} in this period.`}>
      {requests.items.length === 0 ? (
        <p class="waiting">No requests with API keys of this site in this period.</p>
      ) : (
        <Table
          caption="Requests by key, route and status"
          rows={shown}
          keyOf={({ key_id, route, status }) => `${key_id} ${route} ${status}`}
          columns={[
            { title: 'Key', cell: ({ key_id, key_name }) => key_name ?? `Key ${key_id}` },
            { title: 'Route', cell: ({ route }) => <code>{route}</code> },
            {
              title: 'Status',
              cell: ({ status }) => <Badge kind={status < 400 ? 'good' : 'bad'}>{status}</Badge>,
            },
            { title: 'Count', cell: ({ count }) => formatNumber(count), isNumber: true },
          ]}
        />
      )}
      {shown.length < requests.items.length && (
        <p class="more">
          <Button onClick={() => setIsWhole(true)}>Show all {formatNumber(requests.items.length)}</Button>
        </p>
      )}
    </Card>
  );
}

/** Use of the monthly event quota. */
export function QuotaUse({ quota }: Pick<Analytics, 'quota'>) {
  return (
    <Card
      title={`Events in ${formatMonth(quota.month)}`}
      about="Events beyond the limit of the plan are rejected and missing from the analytics. Existing data is kept."
    >
      <dl class="facts">
        <dt>From players on pages</dt>
        <dd>
          <Use {...quota.public} label="Events from players on pages" />
        </dd>
        <dt>From servers, with an API key</dt>
        <dd>
          <Use {...quota.key} label="Events from servers" />
        </dd>
      </dl>
    </Card>
  );
}

interface UseProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
}

function Use({ label, used, limit }: UseProps) {
  if (limit === null) return <>{formatNumber(used)}, no limit</>;
  return (
    <span class="use">
      {formatNumber(used)} of {formatNumber(limit)}{' '}
      <Progress label={label} percent={Math.floor((used / Math.max(1, limit)) * 100)} />
    </span>
  );
}
