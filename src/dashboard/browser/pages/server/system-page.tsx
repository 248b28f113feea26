import { api, buildApiUrl, type DataOf, request } from '../../api.ts';
import { LinkButton, PageLink } from '../../components/button.tsx';
import { Card, Facts, Notice, Page, QueryView, RelativeTime, Status } from '../../components/page.tsx';
import { formatBytes, formatCount, formatNumber, formatPercent, formatTimeSpan } from '../../format.ts';
import { links } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { InvalidFiles } from '../voices/voices-page.tsx';

const pollMs = 5_000;
/** A smaller share of free disk space gets a warning. */
const littleShare = 0.1;

type System = DataOf<typeof api.system.get>;

/** State of the server. */
export function SystemPage() {
  const system = useQuery(
    () => request(() => api.system.get()),
    [],
    () => pollMs,
  );
  return (
    <Page title="System" actions={<LinkButton href={buildApiUrl('/system/licenses')} label="Third-party licenses" />}>
      <QueryView of={system}>
        {(value) => (
          <div class="stack">
            <DomainRequests requests={value.domain_requests} />
            <InvalidFiles of={value.voices.not_usable} />
            <Card>
              <Facts
                of={[
                  ['Version', `Lectern ${value.version}`],
                  ['Running for', uptimeText(value.uptime_seconds)],
                  ['Data folder', <code key="folder">{value.data_folder}</code>],
                  ['Database', formatBytes(value.database_bytes)],
                  ['Stored audio', <StoredAudio key="audio" of={value.stored_audio} />],
                  [
                    'Voices',
                    <PageLink key="voices" to="/server/voices" text={formatCount(value.voices.installed, 'voice')} />,
                  ],
                  ['Disk', <Disk key="disk" system={value} />],
                ]}
              />
            </Card>
            <Card title="Workers" about="Each keeps the voices it has used in memory." isFlush>
              <ul role="list" class="rows tight">
                {value.workers.map(({ pid, memory_bytes, tasks }) => (
                  <li key={pid}>
                    <span class="grow">Process {pid}</span>
                    <span class="sub">{memory_bytes === 0 ? 'idle' : formatBytes(memory_bytes)}</span>
                    <span class="sub number">{formatCount(tasks, 'task')}</span>
                  </li>
                ))}
              </ul>
            </Card>
          </div>
        )}
      </QueryView>
    </Page>
  );
}

function Disk({ system }: { readonly system: System }) {
  const { disk_free_bytes: free, disk_total_bytes: total, disk_reserve_bytes: reserve } = system;
  const usedShare = total === 0 ? 0 : 1 - free / total;
  return (
    <>
      <div class="row wrap">
        {formatBytes(free)} free of {formatBytes(total)}
        {free < reserve ? (
          <Status tone="bad">Posts refused: free disk space</Status>
        ) : (
          (free < 2 * reserve || usedShare > 1 - littleShare) && <Status tone="warn">Low disk space</Status>
        )}
      </div>
      <progress aria-label="Disk usage" max={1} value={usedShare} />
      <p class="hint">
        {formatPercent(usedShare)} used by all data on the disk. Listener events are refused below{' '}
        {formatBytes(2 * reserve)} of free space, posts and uploads below {formatBytes(reserve)}.
      </p>
    </>
  );
}

/** What the background verification found. */
function StoredAudio({ of: { verified_at: at, segments, damaged } }: { readonly of: System['stored_audio'] }) {
  if (at === null) return <>Not verified completely yet</>;
  return (
    <span class="row wrap">
      <span>
        Verified <RelativeTime at={at} />
      </span>
      {damaged > 0 && (
        <Status tone="bad">
          {formatCount(damaged, 'damaged sentence')} of {formatNumber(segments)}
        </Status>
      )}
    </span>
  );
}

/** Domains that editors have requested, to be approved on the page of their site. */
function DomainRequests({ requests }: { readonly requests: System['domain_requests'] }) {
  if (requests.length === 0) return null;
  const total = requests.reduce((sum, { count }) => sum + count, 0);
  return (
    <Notice kind="warning">
      <p>{formatCount(total, 'requested domain')} waiting for approval:</p>
      <ul role="list">
        {requests.map(({ site, count }) => (
          <li key={site}>
            <PageLink to={links.ofSite(site, '/settings')} text={site} />: {count}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function uptimeText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days === 0 ? formatTimeSpan(seconds) : `${formatCount(days, 'day')} ${formatTimeSpan(seconds % 86_400)}`;
}
