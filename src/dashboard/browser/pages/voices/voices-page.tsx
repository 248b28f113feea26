import { useState } from 'preact/hooks';
import { api, request } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { PageDrop } from '../../components/file-drop.tsx';
import { Card } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { Status } from '../../components/status.tsx';
import { formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { ImportVoice } from './import-voice.tsx';
import { RemoveVoice } from './remove-voice.tsx';
import { VoiceDialog } from './voice-dialog.tsx';
import { fetchSample, fetchVoices, lacksLicenseConsent, speedFactorText, type Voice, voiceText } from './voices.ts';

/** The voices of the server, for admins. */
export function VoicesPage() {
  const [dropped, setDropped] = useState<readonly File[]>();
  const [changes, setChanges] = useState(0);
  const close = () => {
    setDropped(undefined);
    setChanges(changes + 1);
  };
  return (
    <PageDrop isDisabled={dropped !== undefined} onFiles={setDropped}>
      <Collection
        as="page"
        title="Voice files"
        about="Every voice of this server. Drop the files of a Piper voice anywhere on this page to import it."
        head={() => [{ label: 'Import voice', icon: 'upload', kind: 'primary', run: async () => setDropped([]) }]}
        load={async () => ({ items: await fetchVoices() })}
        dependencies={[changes]}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Play',
            isNarrow: true,
            cell: (voice) => (
              <PlayButton label={voice.name} id={`voice ${voice.id}`} source={() => fetchSample(voice)} />
            ),
          },
          {
            title: 'Voice',
            phone: 'main',
            cell: (voice) => (
              <>
                <span class="title">{voice.name}</span>
                <span class="line">{[voiceText(voice), speedFactorText(voice)].filter(Boolean).join(', ')}</span>
              </>
            ),
          },
          { title: 'Language', phone: 'line', cell: ({ locale }) => formatLanguage(locale) },
          { title: 'License', phone: 'line', cell: (voice) => <License voice={voice} /> },
          {
            title: 'Plan',
            phone: 'hidden',
            cell: (voice) => <span class="sub">{planNames[voice.plan_required]}</span>,
          },
          { title: 'State', phone: 'line', cell: ({ enabled }) => !enabled && <Status icon="ban">Disabled</Status> },
        ]}
        actions={(voice) => [
          {
            label: 'Manage',
            icon: 'sliders-horizontal',
            dialog: (opened) => <VoiceDialog voice={voice} {...opened} />,
          },
          !voice.builtin && {
            label: 'Remove',
            icon: 'trash-2',
            isDanger: true,
            dialog: (opened) => <RemoveVoice voice={voice} {...opened} />,
          },
        ]}
        empty={{ title: 'No voices installed', children: 'Import a Piper voice to generate audio.' }}
      />
      <NotUsable changes={changes} />
      {dropped !== undefined && <ImportVoice dropped={dropped} onClose={close} />}
    </PageDrop>
  );
}

function License({ voice }: { readonly voice: Voice }) {
  const { license, builtin, license_status: status } = voice;
  if (builtin) return <span class="dim">Built-in</span>;
  if (lacksLicenseConsent(voice)) return <Status tone="warn">License not accepted</Status>;
  return (
    <>
      {license ?? 'Not specified'}
      {status !== 'free' && <span class="line">{status === 'non_commercial' ? 'Non-commercial' : 'Accepted'}</span>}
    </>
  );
}

/** Files in the voices folder that are no usable voices. */
function NotUsable({ changes }: { readonly changes: number }) {
  const files = useQuery(() => request(() => api.system.get()), [changes]).value?.voices.not_usable ?? [];
  if (files.length === 0) return null;
  return (
    <Card
      title="Invalid voice files"
      about="These files in the voices folder are no usable voices. Replace or delete them. Other voices are not affected."
      isFlush
    >
      <ul class="rows tight" aria-label="Invalid voice files">
        {files.map(({ file, problem }) => (
          <li key={file} class="column">
            <code>{file}</code>
            <p class="sub small">{problem}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
