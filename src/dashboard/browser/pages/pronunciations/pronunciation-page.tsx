import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { PageDrop } from '../../components/file-drop.tsx';
import { Page } from '../../components/page.tsx';
import { Menu } from '../../components/popover.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount, formatLanguage } from '../../format.ts';
import { useAddressQuery } from '../../location.ts';
import { useAction, useQuery } from '../../query.ts';
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

type Opened = { readonly is: 'add' } | { readonly is: 'import'; readonly file?: File } | { readonly is: 'regenerate' };

/** The pronunciations of words, and new names to check. */
function PronunciationPage({ of, canEdit }: { readonly of: PronunciationScope; readonly canEdit: boolean }) {
  const [address, change] = useAddressQuery();
  const [opened, setOpened] = useState<Opened>();
  const [changes, setChanges] = useState(0);
  const close = () => setOpened(undefined);
  const changed = () => setChanges((count) => count + 1);
  const voices = useQuery(() => fetchPreviewVoices(of), [of]).value ?? [];
  const names = useQuery(async () => (of === undefined ? [] : (await fetchUnknownWords(of)).items), [of, changes]);
  const languages = [...new Set(voices.map(({ language }) => language))].sort();
  const tab = of === undefined ? '' : (address.get('tab') ?? '');
  return (
    <Page
      title="Pronunciation"
      about={of === undefined ? 'For every site. A site’s own pronunciations come first.' : undefined}
      actions={
        <>
          <Menu
            label="Import and export"
            items={[
              ...(canEdit
                ? [{ label: 'Import file', icon: 'upload', run: () => setOpened({ is: 'import' }) } as const]
                : []),
              { label: 'Export CSV', icon: 'download', href: buildExportUrl(of, 'csv', undefined) },
              ...languages.map(
                (code) =>
                  ({
                    label: `Export PLS (${formatLanguage(code)})`,
                    icon: 'download',
                    href: buildExportUrl(of, 'pls', code),
                  }) as const,
              ),
              ...(canEdit
                ? [
                    {
                      label: 'Regenerate affected audio',
                      icon: 'refresh-cw',
                      run: () => setOpened({ is: 'regenerate' }),
                    } as const,
                  ]
                : []),
            ]}
          />
          {canEdit && (
            <Button kind="primary" icon="plus" onClick={() => setOpened({ is: 'add' })}>
              Add word
            </Button>
          )}
        </>
      }
    >
      <PageDrop
        isDisabled={!canEdit || opened !== undefined}
        onFiles={([file]) => setOpened({ is: 'import', ...(file && { file }) })}
      >
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
          <NewNames of={of} canEdit={canEdit} voices={voices} changes={changes} onChanged={changed} />
        ) : (
          <WordList
            of={of}
            canEdit={canEdit}
            voices={voices}
            changes={changes}
            onAdd={() => setOpened({ is: 'add' })}
          />
        )}
      </PageDrop>
      {opened?.is === 'add' && <EntryDialog of={of} onSaved={changed} onClose={close} />}
      {opened?.is === 'import' && <ImportDialog of={of} dropped={opened.file} onImported={changed} onClose={close} />}
      {opened?.is === 'regenerate' && <RegenerateDialog of={of} onClose={close} />}
    </Page>
  );
}

/** Regenerates audio that is older than its pronunciations. */
function RegenerateDialog({ of, onClose }: { readonly of: PronunciationScope; readonly onClose: () => void }) {
  const tell = useToast();
  const regenerate = useAction(async () => {
    const { audios, posts, voiceless, complete } = await regenerateAffected(of, undefined);
    const queued = `${formatCount(audios, 'audio file')} of ${formatCount(posts, 'post')} queued.`;
    const skipped =
      voiceless === 0 ? '' : ` ${formatCount(voiceless, 'audio file')} skipped: the voice is not installed.`;
    const rest = complete ? '' : ' Not all audio could be queued. Try again later.';
    tell((audios === 0 ? 'All audio is up to date.' : queued) + skipped + rest);
  });
  return (
    <ConfirmDialog
      title="Regenerate affected audio?"
      confirmLabel="Regenerate audio"
      action={regenerate}
      onClose={onClose}
    >
      <p>
        Speaks the sentences {of === undefined ? 'of all sites ' : ''}again whose words have got a new pronunciation.
        New posts go first; the existing audio is served until then. This uses no quota.
      </p>
      <p>Posts with deleted pronunciations are not included. Regenerate them individually.</p>
    </ConfirmDialog>
  );
}
