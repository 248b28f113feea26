import { Link } from 'wouter-preact';
import { api, base, buildApiUrl, unwrap } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatBytes, formatCount, formatNumber, formatPercent, formatTimeSpan } from '../../format.ts';
import { links } from '../../links.ts';
import { useQuery } from '../../query.ts';
import { Backups } from './backups.tsx';
import './system.css';

const lookMs = 5_000;
/** A smaller share of free disk space gets a warning. */
const littleShare = 0.1;

type System = Awaited<ReturnType<typeof readSystem>>;
type Worker = System['workers'][number];

/** State of the installation, and backups. */
export function SystemPage() {
  const system = useQuery(readSystem, [], () => lookMs);
  return (
    <Page
      title="System"
      about="Version, storage, voices, workers and backups of this installation."
      actions={<LinkButton href={`${base}/docs`}>API reference</LinkButton>}
    >
      <QueryView of={system}>
        {(value) => (
          <>
            <DomainRequests requests={value.domain_requests} />
            <Facts system={value} />
            <Voices voices={value.voices} />
            <Section
              title="Workers"
              about="Processes that synthesize speech. Each keeps the voices it has used in memory."
            >
              <Table caption="Workers" rows={value.workers} keyOf={({ pid }) => pid} columns={workerColumns} />
            </Section>
          </>
        )}
      </QueryView>
      <Backups />
      <Section
        title="Licenses"
        about="Lectern is free software (GPL 3.0 or later). All its components have free licenses."
      >
        <LinkButton href={buildApiUrl('/system/licenses')}>Show third-party licenses</LinkButton>
      </Section>
    </Page>
  );
}

function readSystem() {
  return unwrap(api.system.get());
}

function Facts({ system }: { readonly system: System }) {
  const { disk_free_bytes: free, disk_total_bytes: total, disk_reserve_bytes: reserve } = system;
  const usedShare = total === 0 ? 0 : 1 - free / total;
  return (
    <dl class="facts card">
      <dt>Version</dt>
      <dd>Lectern {system.version}</dd>
      <dt>Uptime</dt>
      <dd>{uptimeText(system.uptime_seconds)}</dd>
      <dt>Data folder</dt>
      <dd>
        <code>{system.data_folder}</code>
      </dd>
      <dt>Database</dt>
      <dd>{formatBytes(system.database_bytes)}</dd>
      <dt>Stored audio</dt>
      <dd>
        <StoredAudio of={system.stored_audio} />
      </dd>
      <dt>Disk</dt>
      <dd>
        <span class="disk">
          <meter aria-label="Disk usage" min={0} max={1} high={1 - littleShare} optimum={0} value={usedShare} />
          <span>
            {formatBytes(free)} free of {formatBytes(total)}
          </span>
          {free < reserve ? (
            <Badge kind="bad">Posts refused: free disk space</Badge>
          ) : (
            (free < 2 * reserve || usedShare > 1 - littleShare) && <Badge kind="warning">Low disk space</Badge>
          )}
        </span>
        <span class="hint">
          {formatPercent(usedShare)} used by all data on the disk. Listener events are refused below{' '}
          {formatBytes(2 * reserve)} of free space, posts and uploads below {formatBytes(reserve)}.
        </span>
      </dd>
    </dl>
  );
}

/** Domains that editors have requested, to be approved on the page of their site. */
function DomainRequests({ requests }: { readonly requests: System['domain_requests'] }) {
  if (requests.length === 0) return null;
  const total = requests.reduce((sum, { count }) => sum + count, 0);
  return (
    <Notice kind="warning">
      <p>{formatCount(total, 'requested domain')} waiting for approval:</p>
      <ul>
        {requests.map(({ site, count }) => (
          <li key={site}>
            <Link href={links.ofSite(site, '/configuration/general')}>{site}</Link>: {count}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** What the background verification found. */
function StoredAudio({ of }: { readonly of: System['stored_audio'] }) {
  const { verified_at: at, segments, damaged } = of;
  if (at === null) return <span>Not verified completely yet</span>;
  return (
    <span>
      Verified <RelativeTime at={at} />{' '}
      {damaged > 0 && (
        <Badge kind="bad">
          {formatCount(damaged, 'damaged sentence')} of {formatNumber(segments)}
        </Badge>
      )}
    </span>
  );
}

function Voices({ voices }: { readonly voices: System['voices'] }) {
  return (
    <Section title="Voices">
      <p>
        {formatCount(voices.installed, 'voice')} installed, see <Link href="/voices">Voices</Link>.
      </p>
      {voices.not_usable.length > 0 && (
        <div class="not-usable">
          <Notice kind="warning">
            <p>
              {voices.not_usable.length === 1
                ? 'This file in the voices folder is not a usable voice:'
                : 'These files in the voices folder are not usable voices:'}
            </p>
            <ul>
              {voices.not_usable.map(({ file, problem }) => (
                <li key={file}>
                  <code>{file}</code>: {problem}
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
    </Section>
  );
}

const workerColumns: readonly Column<Worker>[] = [
  { title: 'Process', cell: ({ pid }) => `Process ${pid}` },
  {
    title: 'Memory',
    isNumber: true,
    cell: ({ memory_bytes: bytes }) => (bytes === 0 ? 'not used yet' : formatBytes(bytes)),
  },
  { title: 'Tasks done', isNumber: true, cell: ({ tasks }) => formatNumber(tasks) },
];

function uptimeText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days === 0 ? formatTimeSpan(seconds) : `${formatCount(days, 'day')} ${formatTimeSpan(seconds % 86_400)}`;
}
