import { useState } from 'preact/hooks';
import { DialogButton } from '../../components/dialog.tsx';
import { PageDrop } from '../../components/file-drop.tsx';
import { Page, Tabs } from '../../components/page.tsx';
import { Menu } from '../../components/popover.tsx';
import { type RowAction, type RowActions, toMenu, useRowActions } from '../../components/row-actions.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount, formatLanguage } from '../../format.ts';
import { useAddressQuery } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { NewNames } from './new-names.tsx';
import {
  buildExportUrl,
  fetchPreviewVoices,
  fetchUnknownWords,
  type PronunciationScope,
  regenerateAffected,
} from './pronunciations-api.ts';
import { WordList } from './word-list.tsx';

/** Pronunciations of a site. */
export function SitePronunciationsPage() {
  const { site, canEdit } = useSite();
  return <PronunciationPage key={site.id} of={site.slug} canEdit={canEdit} />;
}

/** Pronunciations of the server, for admins. */
export function PronunciationsPage() {
  return <PronunciationPage of={undefined} canEdit />;
}

/** The pronunciations of words, and new names to check. */
function PronunciationPage({ of, canEdit }: { readonly of: PronunciationScope; readonly canEdit: boolean }) {
  const [address, change] = useAddressQuery();
  const [isImporting, setIsImporting] = useState(false);
  const [dropped, setDropped] = useState<File>();
  const [changes, setChanges] = useState(0);
  const changed = () => setChanges((count) => count + 1);
  const tell = useToast();
  const { run, dialog } = useRowActions(changed);
  const voices = useQuery(() => fetchPreviewVoices(of), [of]).value ?? [];
  const names = useQuery(async () => (of === undefined ? [] : (await fetchUnknownWords(of)).items), [of, changes]);
  const languages = [...new Set(voices.map(({ language }) => language))].sort();
  const tab = of === undefined ? '' : (address.get('tab') ?? '');
  const importFrom = (file?: File) => {
    setDropped(file);
    setIsImporting(true);
  };
  const add = canEdit && (
    <DialogButton
      kind="primary"
      icon="plus"
      label="Add word"
      dialog={(opened) => <EntryDialog {...{ of, voices }} {...opened} />}
      onDone={changed}
    />
  );
  const actions: RowActions = [
    canEdit && { label: 'Import file', icon: 'upload', run: async () => importFrom() },
    { label: 'Export CSV', icon: 'download', href: buildExportUrl(of, 'csv', undefined) },
    ...languages.map(
      (code): RowAction => ({
        label: `Export PLS (${formatLanguage(code)})`,
        icon: 'download',
        href: buildExportUrl(of, 'pls', code),
      }),
    ),
    canEdit && {
      label: 'Regenerate affected audio',
      icon: 'refresh-cw',
      confirm: {
        title: 'Regenerate affected audio?',
        label: 'Regenerate audio',
        text: <AboutRegeneration isEverywhere={of === undefined} />,
      },
      run: async () => tell(outcomeText(await regenerateAffected(of, undefined))),
    },
  ];
  return (
    <Page
      title="Pronunciation"
      about={of === undefined ? 'For every site. A site’s own pronunciations come first.' : undefined}
      actions={
        <>
          <Menu label="Import and export" items={toMenu(actions, run)} />
          {add}
        </>
      }
    >
      <PageDrop isDisabled={!canEdit || isImporting} onFiles={([file]) => importFrom(file)}>
        {of !== undefined && (
          <Tabs
            label="Pronunciation"
            value={tab}
            onValue={(value) => change({ tab: value, q: '', language: '' })}
            options={[
              { value: '', label: 'Words' },
              { value: 'new', label: 'New names', count: names.value?.length },
            ]}
          />
        )}
        {of !== undefined && tab === 'new' ? (
          <NewNames {...{ of, canEdit, voices, changes }} onChanged={changed} />
        ) : (
          <WordList {...{ of, canEdit, voices, changes, add }} />
        )}
      </PageDrop>
      {isImporting && (
        <ImportDialog of={of} dropped={dropped} onImported={changed} onClose={() => setIsImporting(false)} />
      )}
      {dialog}
    </Page>
  );
}

function AboutRegeneration({ isEverywhere }: { readonly isEverywhere: boolean }) {
  return (
    <>
      <p>
        Speaks the sentences {isEverywhere && 'of all sites '}again whose words have got a new pronunciation. New posts
        go first; the existing audio is served until then. This uses no quota.
      </p>
      <p>Posts with deleted pronunciations are not included. Regenerate them individually.</p>
    </>
  );
}

type Regeneration = Awaited<ReturnType<typeof regenerateAffected>>;

function outcomeText({ audios, posts, voiceless, complete }: Regeneration): string {
  const queued = `${formatCount(audios, 'audio file')} of ${formatCount(posts, 'post')} queued.`;
  const skipped =
    voiceless === 0 ? '' : ` ${formatCount(voiceless, 'audio file')} skipped: the voice is not installed.`;
  const rest = complete ? '' : ' Not all audio could be queued. Try again later.';
  return (audios === 0 ? 'All audio is up to date.' : queued) + skipped + rest;
}
