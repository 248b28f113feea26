import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { Progress } from '../../components/progress.tsx';
import { Table } from '../../components/table.tsx';
import { formatCount, formatMonth, formatNumber } from '../../format.ts';
import type { Analytics } from './analytics.ts';

const requestsFirstShown = 10;

const eventTexts: Readonly<Record<string, string>> = {
  load: 'The player was shown',
  play: 'First sound on a page view',
  pause: 'Paused',
  seek: 'Went to another place',
  progress: 'Told what was heard so far',
  complete: 'Came to the last seconds by playing',
  speed: 'Other speed',
  voice: 'Other voice or language',
  download: 'Downloaded',
  click: 'Clicked a sentence to hear it',
  share: 'Shared',
  error: 'Could not be played',
};

/** How many events of each type came. */
export function EventCounts({ events }: Pick<Analytics, 'events'>) {
  const counted = Object.entries(events).filter(([, count]) => count > 0);
  if (counted.length === 0) return null;
  return (
    <Section title="Events">
      <Table
        caption="Events by type"
        rows={counted}
        keyOf={([type]) => type}
        columns={[
          { title: 'Event', cell: ([type]) => <code>{type}</code> },
          { title: 'Meaning', cell: ([type]) => eventTexts[type] ?? '' },
          { title: 'Count', cell: ([, count]) => formatNumber(count), isNumber: true },
        ]}
      />
    </Section>
  );
}

/** What programs asked with the keys of the site. */
export function KeyRequests({ requests }: Pick<Analytics, 'requests'>) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? requests.items : requests.items.slice(0, requestsFirstShown);
  return (
    <Section title="Requests with API keys" about={`${formatCount(requests.total, 'request')} in these days.`}>
      {requests.items.length === 0 ? (
        <p class="waiting">No program has used a key of this site in these days.</p>
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
    </Section>
  );
}

/** How much of the month's events is used up. */
export function QuotaUse({ quota }: Pick<Analytics, 'quota'>) {
  return (
    <Section
      title={`Events in ${formatMonth(quota.month)}`}
      about="Beyond the limit of the plan events are refused, and missing in the figures; what is there stays."
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
    </Section>
  );
}

interface UseProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
}

function Use({ label, used, limit }: UseProps) {
  if (limit === null) return <>{formatNumber(used)}, without limit</>;
  return (
    <span class="use">
      {formatNumber(used)} of {formatNumber(limit)}{' '}
      <Progress label={label} percent={Math.floor((used / Math.max(1, limit)) * 100)} />
    </span>
  );
}
