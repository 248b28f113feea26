import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Dialog, type DialogHandlers, useToast } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FileDrop } from '../../components/file-drop.tsx';
import { ErrorNotice, Notice } from '../../components/page.tsx';
import { runInBackground, useAction, useQuery } from '../../query.ts';
import { type ImportResult, importFile } from './pronunciations-api.ts';

type Mode = 'merge' | 'replace';

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
export function ImportDialog({ site, dropped, onDone, onClose }: ImportDialogProps) {
  const tell = useToast();
  const [file, setFile] = useState(dropped);
  const [mode, setMode] = useState<Mode>('merge');
  const looked = useQuery(async () => file && importFile(site, file, { mode, isDryRun: true }), [file, mode]);
  const found = looked.problem === undefined && !looked.isLoading ? looked.value : undefined;
  const take = useAction(async (given: File) => {
    const done = await importFile(site, given, { mode, isDryRun: false });
    tell(`Imported: ${outcomeText(done)}`);
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
          isDisabled={take.isRunning}
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
        <ErrorNotice problem={looked.problem ?? take.problem} />
        {found !== undefined && (
          <Notice kind={found.deleted > 0 ? 'warning' : 'info'}>The file is valid: {outcomeText(found)}.</Notice>
        )}
      </div>
      <div class="actions">
        <Button kind="quiet" onClick={onClose} label="Cancel" />
        <Button
          kind={found !== undefined && found.deleted > 0 ? 'danger' : 'primary'}
          isBusy={(looked.isLoading && file !== undefined) || take.isRunning}
          disabled={found === undefined}
          onClick={() => file !== undefined && runInBackground(take.run(file))}
          label="Import"
        />
      </div>
    </Dialog>
  );
}

function outcomeText({ created, changed, unchanged, deleted }: ImportResult): string {
  const parts = [`${created} new`, `${changed} changed`, `${unchanged} unchanged`, `${deleted} deleted`];
  return parts.join(', ');
}
