import { useState } from 'preact/hooks';
import { api, ask } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { ImportVoice } from './import-voice.tsx';
import { RemoveVoice } from './remove-voice.tsx';
import { SampleButton } from './sample-button.tsx';
import { VoiceDialog } from './voice-dialog.tsx';
import { fetchVoices, lacksLicenseConsent, speedFactorText, type Voice, voiceText } from './voices.ts';
import './voices.css';

type Opened =
  | { readonly is: 'import'; readonly dropped: readonly File[] }
  | { readonly is: 'voice' | 'removal'; readonly voice: Voice };

/** The voices of the installation. */
export function VoicesPage() {
  const { isAdmin } = useSession();
  const loaded = useQuery(fetchVoices, []);
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const close = () => setOpened(undefined);
  const closeAndReload = () => {
    close();
    loaded.reload();
  };
  const importVoice = () => setOpened({ is: 'import', dropped: [] });
  return (
    <Page
      title="Voices"
      about={
        isAdmin
          ? 'All voices of this installation. To import a voice, drop its files on this page.'
          : 'All voices of this installation. Admins can import and edit voices.'
      }
      actions={
        isAdmin ? (
          <Button kind="primary" onClick={importVoice}>
            Import voice
          </Button>
        ) : undefined
      }
    >
      <div
        class="voices"
        {...(isAdmin && {
          onDragOver: (event: DragEvent) => event.preventDefault(),
          onDrop: (event: DragEvent) => {
            event.preventDefault();
            const dropped = [...(event.dataTransfer?.files ?? [])];
            if (dropped.length > 0 && opened === undefined) setOpened({ is: 'import', dropped });
          },
        })}
      >
        <QueryView of={loaded}>
          {(voices) => (
            <VoiceTable voices={voices} isAdmin={isAdmin} onOpen={(voice) => setOpened({ is: 'voice', voice })} />
          )}
        </QueryView>
        {isAdmin && <NotUsable voices={loaded.value} />}
      </div>
      {opened?.is === 'import' && <ImportVoice dropped={opened.dropped} onClose={closeAndReload} />}
      {opened?.is === 'voice' && (
        <VoiceDialog
          voice={opened.voice}
          onClose={close}
          onChanged={(voice) => {
            setOpened({ is: 'voice', voice });
            loaded.reload();
          }}
          onRemove={() => setOpened({ is: 'removal', voice: opened.voice })}
        />
      )}
      {opened?.is === 'removal' && <RemoveVoice voice={opened.voice} onClose={close} onRemoved={loaded.reload} />}
    </Page>
  );
}

interface VoiceTableProps {
  readonly voices: readonly Voice[];
  readonly isAdmin: boolean;
  readonly onOpen: (voice: Voice) => void;
}

function VoiceTable({ voices, isAdmin, onOpen }: VoiceTableProps) {
  if (voices.length === 0) {
    return (
      <EmptyState title="No voices installed">
        <p>Import a Piper voice to generate audio.</p>
      </EmptyState>
    );
  }
  const columns: Column<Voice>[] = [
    {
      title: 'Voice',
      cell: (voice) => (
        <div class="voice-name">
          <strong>{voice.name}</strong>
          <span class="hint">{[voiceText(voice), speedFactorText(voice)].filter(Boolean).join(', ')}</span>
        </div>
      ),
    },
    { title: 'Language', cell: ({ locale }) => formatLanguage(locale) },
    { title: 'License', cell: (voice) => <License voice={voice} /> },
    {
      title: 'Plan',
      cell: ({ plan_required }) => <span class="unbroken">{planNames[plan_required]}</span>,
    },
    {
      title: 'Status',
      cell: ({ enabled }) => (enabled ? <Badge kind="good">Enabled</Badge> : <Badge>Disabled</Badge>),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (voice) => (
        <>
          <SampleButton voice={voice} />
          <Button kind="quiet" onClick={() => onOpen(voice)} aria-label={`${openText(isAdmin)} ${voice.name}`}>
            {openText(isAdmin)}
          </Button>
        </>
      ),
    },
  ];
  return (
    <div class="voice-table">
      <Table caption="Voices" rows={voices} keyOf={({ id }) => id} columns={columns} />
    </div>
  );
}

function openText(isAdmin: boolean): string {
  return isAdmin ? 'Manage' : 'Details';
}

function License({ voice }: { readonly voice: Voice }) {
  const { license, builtin, license_status: status } = voice;
  if (builtin) return <span class="hint">Built-in</span>;
  return (
    <div class="voice-name">
      <span>{license ?? 'Not specified'}</span>
      {lacksLicenseConsent(voice) && <Badge kind="warning">License not accepted</Badge>}
      {!lacksLicenseConsent(voice) && status !== 'free' && (
        <Badge kind="warning">{status === 'non_commercial' ? 'Non-commercial' : 'Accepted'}</Badge>
      )}
    </div>
  );
}

interface NotUsableProps {
  /** The list of files is reloaded with them. */
  readonly voices: readonly Voice[] | undefined;
}

/** Files in the voices folder that are not usable voices. */
function NotUsable({ voices }: NotUsableProps) {
  const loaded = useQuery(() => ask(() => api.system.get()), [voices]);
  const files = loaded.value?.voices.not_usable ?? [];
  if (files.length === 0) return null;
  return (
    <Card
      title="Invalid voice files"
      about="These files in the voices folder are not usable voices. Replace or delete them. Other voices are not affected."
    >
      <Table
        caption="Invalid voice files"
        rows={files}
        keyOf={({ file }) => file}
        columns={[
          { title: 'File', cell: ({ file }) => <code>{file}</code> },
          { title: 'Problem', cell: ({ problem }) => problem },
        ]}
      />
    </Card>
  );
}
