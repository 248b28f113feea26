import { useState } from 'preact/hooks';
import { addressOf, api, ask, part } from '../../api.ts';
import { inBackground } from '../../background.ts';
import { useAction, useLoaded } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { LoadedView } from '../../parts/list.tsx';
import { ProblemNotice } from '../../parts/notice.tsx';
import { Section } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { bytesText, momentText } from '../../words.ts';

const lookMs = 2_000;

type Backup = Awaited<ReturnType<typeof readBackups>>['items'][number];

/** Backups that the server makes, lists and hands out. */
export function Backups() {
  const [doomed, setDoomed] = useState<Backup>();
  const backups = useLoaded(readBackups, [], (value) =>
    value !== undefined && isRunning(value.items) ? lookMs : undefined,
  );
  const begin = useAction(async () => {
    await ask(api.system.backups.post());
    backups.reload();
  });
  const beginButton = (
    <Button
      kind="primary"
      isBusy={begin.isRunning || isRunning(backups.value?.items ?? [])}
      onClick={() => inBackground(begin.run())}
    >
      Back up now
    </Button>
  );
  const columns: readonly Column<Backup>[] = [
    {
      title: 'Begun',
      cell: ({ created_at, name }) => (
        <div>
          <time dateTime={created_at}>{momentText(created_at)}</time>
          <div class="hint">{name}</div>
        </div>
      ),
    },
    { title: 'State', cell: (backup) => <State backup={backup} /> },
    {
      title: 'Size',
      isNumber: true,
      cell: ({ byte_count: bytes }) => (bytes === null ? '–' : bytesText(bytes)),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (backup) => (
        <>
          {backup.state === 'ready' && (
            <LinkButton
              kind="quiet"
              href={addressOf(`/system/backups/${part(backup.name)}`)}
              download
            >
              Download
            </LinkButton>
          )}
          {backup.state !== 'running' && (
            <Button
              kind="quiet"
              aria-label={`Delete the backup of ${momentText(backup.created_at)}`}
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
      about="Database with every MP3, voices and settings in one file, made while the server goes on."
      actions={beginButton}
    >
      <ProblemNotice problem={begin.problem} />
      <LoadedView of={backups}>
        {({ items, kept_most }) =>
          items.length === 0 ? (
            <Empty title="No backup yet">
              <p>
                A backup is begun by the button above, and can be downloaded when it is ready. Keep
                one on another machine: those here lie on the same disk as everything else.
              </p>
              <p>
                <code class="command">lectern restore</code> makes a data folder out of it; at the
                command line <code class="command">lectern backup</code> makes one, by a timer say.
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Backups" rows={items} keyOf={({ name }) => name} columns={columns} />
              <p class="hint backup-note">
                The newest {kept_most} stay. They hold texts, users and secrets: keep downloads as
                safe as the server.
              </p>
            </>
          )
        }
      </LoadedView>
      {doomed !== undefined && (
        <DeleteBackupDialog
          backup={doomed}
          onClose={() => setDoomed(undefined)}
          onDone={backups.reload}
        />
      )}
    </Section>
  );
}

function readBackups() {
  return ask(api.system.backups.get());
}

function isRunning(items: readonly Pick<Backup, 'state'>[]): boolean {
  return items.some(({ state }) => state === 'running');
}

function State({ backup }: { readonly backup: Backup }) {
  if (backup.state === 'ready') return <Badge kind="good">Ready</Badge>;
  if (backup.state === 'running') return <Badge kind="busy">Being made</Badge>;
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
    await ask(api.system.backups({ name: part(backup.name) }).delete());
    tell('Backup deleted');
    onDone();
  });
  return (
    <ConfirmDialog
      title={`Delete the backup of ${momentText(backup.created_at)}?`}
      deed="Delete backup"
      action={remove}
      onClose={onClose}
    >
      <p>It can’t be brought back. Copies that were downloaded stay.</p>
    </ConfirmDialog>
  );
}
