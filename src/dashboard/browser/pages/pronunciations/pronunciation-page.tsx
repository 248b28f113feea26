import { useState } from 'preact/hooks';
import { type DataOf, request, siteRoutes } from '../../api.ts';
import { ActionButton, ActionMenu, type PageAction, useActions } from '../../components/actions.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, type DialogHandlers, toast } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FileDrop, PageDrop } from '../../components/file-drop.tsx';
import { ErrorNotice, Notice, Page, QueryView, Tabs } from '../../components/page.tsx';
import { formatCount, listLanguages } from '../../format.ts';
import { useAddressQuery } from '../../location.ts';
import { useAction, useQuery } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { NewNames } from './new-names.tsx';
import {
  buildExportUrl,
  entriesOf,
  fetchPreviewVoices,
  type ImportResult,
  importFile,
  type Pronunciations,
} from './pronunciations-api.ts';
import { DeletedWords, entryDialog, WordList } from './word-list.tsx';

/** Pronunciations of a site. */
export function SitePronunciationsPage() {
  const { site, canEdit } = useSite();
  return <PronunciationPage key={site.id} site={site.slug} canEdit={canEdit} />;
}

/** Pronunciations of the server, for admins. */
export function PronunciationsPage() {
  return <PronunciationPage site={undefined} canEdit />;
}

interface PageProps {
  readonly site: string | undefined;
  readonly canEdit: boolean;
}

/** Dialogs keep the voices with which they open, so the page waits for these. */
function PronunciationPage({ site, canEdit }: PageProps) {
  const voices = useQuery(() => fetchPreviewVoices(site), [site]);
  return <QueryView of={voices}>{(voices) => <WordsAndNames {...{ site, canEdit, voices }} />}</QueryView>;
}

/** The pronunciations of words, and new names to check. */
function WordsAndNames({ site, canEdit, voices }: PageProps & Pick<Pronunciations, 'voices'>) {
  const [address, change] = useAddressQuery();
  const tab = address.get('tab') ?? '';
  const [changes, setChanges] = useState(0);
  const onChanged = () => setChanges((count) => count + 1);
  const start = useActions();
  const names = useQuery(
    async () =>
      site === undefined ? [] : (await request(() => siteRoutes(site)['unknown-words'].get({ query: {} }))).items,
    [site, changes],
  );
  const of = { site, canEdit, voices, changes, onChanged };
  const importFrom = (file?: File): PageAction => ({
    label: 'Import file',
    icon: 'upload',
    dialog: (handlers) => <ImportDialog site={site} dropped={file} {...handlers} />,
  });
  const exportPls = ([code, name]: readonly [string, string]): PageAction => ({
    label: `Export PLS (${name})`,
    icon: 'download',
    href: buildExportUrl(site, 'pls', code),
  });
  return (
    <Page
      title={site === undefined ? 'Pronunciations' : 'Pronunciation'}
      about={site === undefined ? 'For every site. A site’s own pronunciations come first.' : undefined}
      actions={
        <>
          <ActionMenu
            label="Import and export"
            onDone={onChanged}
            of={[
              canEdit && importFrom(),
              { label: 'Export CSV', icon: 'download', href: buildExportUrl(site, 'csv') },
              ...Object.entries(listLanguages(voices)).map(exportPls),
              canEdit && {
                label: 'Regenerate affected audio',
                icon: 'refresh-cw',
                confirm: {
                  title: 'Regenerate affected audio?',
                  label: 'Regenerate audio',
                  text: <AboutRegeneration isEverywhere={site === undefined} />,
                },
                run: async () => toast(outcomeText(await request(() => entriesOf(site).remake.post()))),
              },
            ]}
          />
          {canEdit && (
            <ActionButton label="Add word" icon="plus" kind="primary" dialog={entryDialog(of)} onDone={onChanged} />
          )}
        </>
      }
    >
      <PageDrop isDisabled={!canEdit} onFiles={([file]) => start(importFrom(file), onChanged)}>
        <Tabs
          label="Pronunciation"
          value={tab}
          onValue={(value) => change({ tab: value, q: '', language: '' })}
          options={[
            { value: '', label: 'Words' },
            ...(site === undefined ? [] : [{ value: 'new', label: 'New names', count: names.value?.length }]),
            ...(canEdit ? [{ value: 'deleted', label: 'Deleted' }] : []),
          ]}
        />
        {tab === 'new' && site !== undefined && <NewNames of={{ ...of, site }} />}
        {tab === 'deleted' && <DeletedWords of={of} />}
        {tab === '' && <WordList of={of} />}
      </PageDrop>
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

function outcomeText({ audios, posts, voiceless, complete }: DataOf<SiteRoutes['pronunciations']['remake']['post']>) {
  const queued = `${formatCount(audios, 'audio file')} of ${formatCount(posts, 'post')} queued.`;
  const skipped =
    voiceless === 0 ? '' : ` ${formatCount(voiceless, 'audio file')} skipped: the voice is not installed.`;
  const rest = complete ? '' : ' Not all audio could be queued. Try again later.';
  return (audios === 0 ? 'All audio is up to date.' : queued) + skipped + rest;
}

const modes = {
  merge: 'Keep pronunciations that are not in the file',
  replace: 'Delete pronunciations that are not in the file',
};

interface ImportDialogProps extends DialogHandlers {
  readonly site: string | undefined;
  /** A file that was dropped on the page. */
  readonly dropped: File | undefined;
}

/** Imports a file after a dry run, completely or not at all. */
function ImportDialog({ site, dropped, onDone, onClose }: ImportDialogProps) {
  const [file, setFile] = useState(dropped);
  const [mode, setMode] = useState<keyof typeof modes>('merge');
  const dryRun = useQuery(async () => file && importFile(site, file, { mode, isDryRun: true }), [file, mode]);
  const found = dryRun.problem === undefined && !dryRun.isLoading ? dryRun.value : undefined;
  const running = useAction(async () => {
    if (file === undefined) return;
    toast(`Imported: ${importText(await importFile(site, file, { mode, isDryRun: false }))}`);
    onDone();
  });
  return (
    <Dialog title="Import pronunciations" onClose={onClose}>
      <div class="stack tight">
        <p class="hint">
          CSV with the header <code>word,alias,language,match_case</code> (the last two columns are optional), or W3C
          PLS 1.0. At most 5,000 pronunciations.
        </p>
        <FileDrop
          label={file === undefined ? 'Choose file' : 'Choose another file'}
          accept=".csv,.pls,.xml,text/csv,application/pls+xml"
          isDisabled={running.isRunning}
          onFiles={([first]) => first !== undefined && setFile(first)}
        >
          <p>{file === undefined ? 'Drop a file here, or' : <strong>{file.name}</strong>}</p>
        </FileDrop>
        <Field
          label="Existing pronunciations"
          value={mode}
          options={modes}
          onValue={(value) => setMode(value === 'replace' ? 'replace' : 'merge')}
        />
        <ErrorNotice problem={dryRun.problem ?? running.problem} />
        {found !== undefined && (
          <Notice kind={found.deleted > 0 ? 'warning' : 'info'}>The file is valid: {importText(found)}.</Notice>
        )}
      </div>
      <div class="actions">
        <Button kind="quiet" onClick={onClose} label="Cancel" />
        <Button
          kind={found !== undefined && found.deleted > 0 ? 'danger' : 'primary'}
          isBusy={(dryRun.isLoading && file !== undefined) || running.isRunning}
          disabled={found === undefined}
          onClick={running.run}
          label="Import"
        />
      </div>
    </Dialog>
  );
}

function importText({ created, changed, unchanged, deleted }: ImportResult): string {
  return `${created} new, ${changed} changed, ${unchanged} unchanged, ${deleted} deleted`;
}
