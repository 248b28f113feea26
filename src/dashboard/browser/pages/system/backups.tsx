import { useState } from 'preact/hooks';
import { api, buildApiUrl, encodeSegment, unwrap } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatBytes, formatCount, formatDateTime } from '../../format.ts';
import { useAction, useQuery } from '../../query.ts';

const lookMs = 2_000;

type BackupList = Awaited<ReturnType<typeof readBackups>>;
type Backup = BackupList['items'][number];

/** The backups of the server. */
export function Backups() {
  const [doomed, setDoomed] = useState<Backup>();
  const backups = useQuery(readBackups, [], (value) =>
    value !== undefined && isRunning(value.items) ? lookMs : undefined,
  );
  const begin = useAction(async () => {
    await unwrap(api.system.backups.post());
    backups.reload();
  });
  const beginButton = (
    <Button
      kind="primary"
      isBusy={begin.isRunning || isRunning(backups.value?.items ?? [])}
      onClick={() => runInBackground(begin.run())}
    >
      Back up now
    </Button>
  );
  const columns: readonly Column<Backup>[] = [
    {
      title: 'Started',
      cell: ({ created_at, name }) => (
        <div>
          <time dateTime={created_at}>{formatDateTime(created_at)}</time>
          <div class="hint">{name}</div>
        </div>
      ),
    },
    { title: 'Status', cell: (backup) => <State backup={backup} /> },
    {
      title: 'Size',
      isNumber: true,
      cell: ({ byte_count: bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (backup) => (
        <>
          {backup.state === 'ready' && (
            <LinkButton kind="quiet" href={buildApiUrl(`/system/backups/${encodeSegment(backup.name)}`)} download>
              Download
            </LinkButton>
          )}
          {backup.state !== 'running' && (
            <Button
              kind="quiet"
              aria-label={`Delete the backup of ${formatDateTime(backup.created_at)}`}
              onClick={() => setDoomed(backup)}
            >
              Delete
            </Button>
          )}
        </>
      ),
    },
  ];
  return (
    <Section
      title="Backups"
      about="Database with all MP3s, voices and settings in one file. The server keeps running during a backup."
      actions={beginButton}
    >
      <ErrorNotice problem={begin.problem} />
      {backups.value !== undefined && <Schedule of={backups.value} />}
      <QueryView of={backups}>
        {({ items, kept_most }) =>
          items.length === 0 ? (
            <EmptyState title="No backups yet">
              <p>
                Select “Back up now” to create a backup, and download it when it is ready. Keep a copy on another
                machine: these backups are on the same disk as the data.
              </p>
              <p>
                <code class="command">lectern restore</code> restores a backup into a data folder.{' '}
                <code class="command">lectern backup</code> creates one from the command line, for example by a timer.
              </p>
            </EmptyState>
          ) : (
            <>
              <Table caption="Backups" rows={items} keyOf={({ name }) => name} columns={columns} />
              <p class="hint backup-note">
                The newest {kept_most} are kept. Backups contain texts, users and secrets: protect downloads as well as
                the server.
              </p>
            </>
          )
        }
      </QueryView>
      {doomed !== undefined && (
        <DeleteBackupDialog backup={doomed} onClose={() => setDoomed(undefined)} onDone={backups.reload} />
      )}
    </Section>
  );
}

/** A newest backup of twice the interval is a problem. */
function Schedule({ of }: { readonly of: BackupList }) {
  const { interval_hours: hours, last_success_at: lastAt, next_at: nextAt } = of;
  if (nextAt === null) {
    return (
      <p class="hint">
        No backups are scheduled. <code>LECTERN_BACKUP_INTERVAL_HOURS</code> schedules them.
      </p>
    );
  }
  const isLate = lastAt !== null && Date.now() - Date.parse(lastAt) > 2 * hours * 3_600_000;
  return (
    <>
      <p class="hint">
        {lastAt === null ? (
          'No backup is ready yet.'
        ) : (
          <>
            Last backup: <RelativeTime at={lastAt} />.
          </>
        )}{' '}
        Every {formatCount(hours, 'hour')}; next: {formatDateTime(nextAt)}.
      </p>
      {isLate && (
        <Notice kind="warning">
          <p>The newest backup is older than twice the interval.</p>
        </Notice>
      )}
    </>
  );
}

function readBackups() {
  return unwrap(api.system.backups.get());
}

function isRunning(items: readonly Pick<Backup, 'state'>[]): boolean {
  return items.some(({ state }) => state === 'running');
}

function State({ backup }: { readonly backup: Backup }) {
  if (backup.state === 'ready') return <Badge kind="good">Ready</Badge>;
  if (backup.state === 'running') return <Badge kind="busy">Running</Badge>;
  return (
    <div>
      <Badge kind="bad">Failed</Badge>
      <div class="hint">{backup.error}</div>
    </div>
  );
}

interface DeleteBackupDialogProps {
  readonly backup: Backup;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DeleteBackupDialog({ backup, onClose, onDone }: DeleteBackupDialogProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await unwrap(api.system.backups({ name: encodeSegment(backup.name) }).delete());
    tell('Backup deleted');
    onDone();
  });
  return (
    <ConfirmDialog
      title={`Delete the backup of ${formatDateTime(backup.created_at)}?`}
      confirmLabel="Delete backup"
      action={remove}
      onClose={onClose}
    >
      <p>This cannot be undone. Downloaded copies are not affected.</p>
    </ConfirmDialog>
  );
}
