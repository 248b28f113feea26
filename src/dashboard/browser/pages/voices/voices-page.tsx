import { useState } from 'preact/hooks';
import { api, ask } from '../../api.ts';
import { useLoaded } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { LoadedView } from '../../parts/list.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { planNames } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { languageText } from '../../words.ts';
import { ImportVoice } from './import-voice.tsx';
import { RemoveVoice } from './remove-voice.tsx';
import { SampleButton } from './sample-button.tsx';
import { VoiceDialog } from './voice-dialog.tsx';
import { lacksAcceptance, readVoices, speedFactorText, type Voice, voiceText } from './voices.ts';
import './voices.css';

type Opened =
  | { readonly is: 'import'; readonly dropped: readonly File[] }
  | { readonly is: 'voice' | 'removal'; readonly voice: Voice };

/** The voices of the installation. */
export function VoicesPage() {
  const { isAdmin } = useSession();
  const loaded = useLoaded(readVoices, []);
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
          ? 'Every voice of this installation. Drop the files of another one anywhere on this page.'
          : 'Every voice of this installation. Admins import and change them.'
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
        <LoadedView of={loaded}>
          {(voices) => (
            <VoiceTable
              voices={voices}
              isAdmin={isAdmin}
              onOpen={(voice) => setOpened({ is: 'voice', voice })}
            />
          )}
        </LoadedView>
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
      {opened?.is === 'removal' && (
        <RemoveVoice voice={opened.voice} onClose={close} onRemoved={loaded.reload} />
      )}
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
      <Empty title="No voice is installed">
        <p>Import a Piper voice: without one nothing can be spoken.</p>
      </Empty>
    );
  }
  const columns: Column<Voice>[] = [
    {
      title: 'Voice',
      cell: (voice) => (
        <div class="voice-name">
          <strong>{voice.name}</strong>
          <span class="hint">
            {[voiceText(voice), speedFactorText(voice)].filter(Boolean).join(', ')}
          </span>
        </div>
      ),
    },
    { title: 'Language', cell: ({ locale }) => languageText(locale) },
    { title: 'Licence', cell: (voice) => <License voice={voice} /> },
    {
      title: 'Plan',
      cell: ({ plan_required }) => <span class="unbroken">{planNames[plan_required]}</span>,
    },
    {
      title: 'State',
      cell: ({ enabled }) =>
        enabled ? <Badge kind="good">Enabled</Badge> : <Badge>Disabled</Badge>,
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (voice) => (
        <>
          <SampleButton voice={voice} />
          <Button
            kind="quiet"
            onClick={() => onOpen(voice)}
            aria-label={`${openText(isAdmin)} ${voice.name}`}
          >
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
  if (builtin) return <span class="hint">Part of Lectern, free</span>;
  return (
    <div class="voice-name">
      <span>{license ?? 'None named'}</span>
      {lacksAcceptance(voice) && <Badge kind="warning">Nobody accepted it</Badge>}
      {!lacksAcceptance(voice) && status !== 'free' && (
        <Badge kind="warning">{status === 'non_commercial' ? 'Non-commercial' : 'Accepted'}</Badge>
      )}
    </div>
  );
}

interface NotUsableProps {
  /** Read anew with them. */
  readonly voices: readonly Voice[] | undefined;
}

/** Files that somebody put into the folder and that are no voices. */
function NotUsable({ voices }: NotUsableProps) {
  const loaded = useLoaded(() => ask(api.system.get()), [voices]);
  const files = loaded.value?.voices.not_usable ?? [];
  if (files.length === 0) return null;
  return (
    <Section
      title="Files that are no voices"
      about="They lie in the folder of voices and cannot speak. Mend or delete them there; nothing else is harmed."
    >
      <Table
        caption="Files that are no voices"
        rows={files}
        keyOf={({ file }) => file}
        columns={[
          { title: 'File', cell: ({ file }) => <code>{file}</code> },
          { title: 'Problem', cell: ({ problem }) => problem },
        ]}
      />
    </Section>
  );
}
