import { api, buildApiUrl, type DataOf, request } from '../../api.ts';
import { deletion } from '../../components/actions.tsx';
import { Collection } from '../../components/collection.tsx';
import { Notice, RelativeTime, Status } from '../../components/page.tsx';
import { formatBytes, formatCount, formatDateTime } from '../../format.ts';

const pollMs = 2_000;

type BackupList = DataOf<typeof api.system.backups.get>;
type Backup = BackupList['items'][number];

/** The backups of the server. */
export function BackupsPage() {
  return (
    <Collection
      as="page"
      title="Backups"
      about="Database with all audio, voices and settings in one file. The server keeps running."
      head={(_, page) => [
        page?.unavailable === null && {
          ...({ label: 'Back up now', icon: 'archive', kind: 'primary' } as const),
          run: () => request(() => api.system.backups.post()),
        },
      ]}
      load={() => request(() => api.system.backups.get())}
      everyMs={(items) => (items.some(({ state }) => state === 'running') ? pollMs : undefined)}
      keyOf={({ name }) => name}
      columns={[
        {
          title: 'Started',
          phone: 'main',
          cell: ({ created_at }) => <time dateTime={created_at}>{formatDateTime(created_at)}</time>,
          line: ({ name }) => name,
        },
        { title: 'State', phone: 'line', cell: (backup) => <State backup={backup} /> },
        { title: 'Size', align: 'end', cell: ({ byte_count: bytes }) => (bytes === null ? '–' : formatBytes(bytes)) },
      ]}
      actions={({ name, state }) => [
        state === 'ready' && {
          label: 'Download',
          icon: 'download',
          href: buildApiUrl(`/system/backups/${encodeURIComponent(name)}`),
        },
        state !== 'running' && {
          ...deletion('Backup', api.system.backups({ name: encodeURIComponent(name) })),
          ...(state === 'failed' && { undo: undefined }),
        },
      ]}
      empty={(page) => ({
        title: 'No backups yet',
        children: page?.unavailable ?? (
          <p>
            Back up now, and download the file when it is ready: these backups are on the same disk as the data.{' '}
            <code>lectern restore</code> restores one, <code>lectern backup</code> makes one from the command line.
          </p>
        ),
      })}
      foot={(list) => <Schedule of={list} />}
    />
  );
}

function State({ backup: { state, error } }: { readonly backup: Backup }) {
  if (state === 'ready') return null;
  if (state === 'running') return <Status tone="info">Running</Status>;
  return (
    <>
      <Status tone="bad">Failed</Status>
      <span class="line">{error}</span>
    </>
  );
}

/** A newest backup of twice the interval is a problem. */
function Schedule({ of }: { readonly of: BackupList }) {
  const { interval_hours: hours, last_success_at: lastAt, next_at: nextAt, kept_most } = of;
  const isLate = nextAt !== null && lastAt !== null && Date.now() - Date.parse(lastAt) > 2 * hours * 3_600_000;
  return (
    <div class="hint stack tight">
      {isLate && <Notice kind="warning">The newest backup is older than twice the interval.</Notice>}
      {nextAt === null ? (
        <p>
          No backups are scheduled. <code>LECTERN_BACKUP_INTERVAL_HOURS</code> schedules them.
        </p>
      ) : (
        <p>
          Last backup: {lastAt === null ? 'none yet' : <RelativeTime at={lastAt} />}. Every {formatCount(hours, 'hour')}
          ; next: {formatDateTime(nextAt)}.
        </p>
      )}
      <p>
        The newest {kept_most} are kept. Backups contain texts, users and secrets: protect downloads as well as the
        server.
      </p>
    </div>
  );
}
