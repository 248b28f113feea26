import { useState } from 'preact/hooks';
import { inBackground } from '../../background.ts';
import { useAction, useLoaded } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DropZone } from '../../parts/drop-zone.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Notice, ProblemNotice } from '../../parts/notice.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { counted } from '../../words.ts';
import { type Imported, importFile, type LexiconOf } from './lexicon-api.ts';

type Mode = 'merge' | 'replace';

const modes = [
  { value: 'merge', label: 'Keep entries that the file does not name' },
  { value: 'replace', label: 'Delete entries that the file does not name' },
] as const;

interface ImportDialogProps {
  readonly of: LexiconOf;
  readonly onImported: () => void;
  readonly onClose: () => void;
}

/** A file into the lexicon: first what would come of it, then all of it or nothing. */
export function ImportDialog({ of, onImported, onClose }: ImportDialogProps) {
  const tell = useToast();
  const [file, setFile] = useState<File>();
  const [mode, setMode] = useState<Mode>('merge');
  const looked = useLoaded(
    async () => file && importFile(of, file, { mode, isDryRun: true }),
    [file, mode],
  );
  const found = looked.problem === undefined && !looked.isLoading ? looked.value : undefined;
  const take = useAction(async (given: File) => {
    const done = await importFile(of, given, { mode, isDryRun: false });
    tell(`Imported: ${outcomeText(done)}`);
    onImported();
    onClose();
  });
  return (
    <Dialog title="Import a file" onClose={onClose}>
      <div class="lexicon-import">
        <p class="hint">
          CSV with the head <code>word,alias,language,match_case</code> (the last two may be
          missing), or W3C PLS 1.0. At most 5,000 entries.
        </p>
        <DropZone
          label={file === undefined ? 'Choose a file' : 'Choose another'}
          accept=".csv,.pls,.xml,text/csv,application/pls+xml"
          isDisabled={take.isRunning}
          onFiles={([first]) => first !== undefined && setFile(first)}
        >
          <p>{file === undefined ? 'Drop a file here, or' : <strong>{file.name}</strong>}</p>
        </DropZone>
        <SelectField
          label="What is there already"
          value={mode}
          options={modes}
          onValue={(value) => setMode(value === 'replace' ? 'replace' : 'merge')}
        />
        <ProblemNotice problem={looked.problem ?? take.problem} />
        {found !== undefined && (
          <Notice kind={found.deleted > 0 ? 'warning' : 'info'}>
            <p>The file is in order. It brings {outcomeText(found)}.</p>
          </Notice>
        )}
      </div>
      <div class="actions">
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          kind={found !== undefined && found.deleted > 0 ? 'danger' : 'primary'}
          isBusy={(looked.isLoading && file !== undefined) || take.isRunning}
          disabled={found === undefined}
          onClick={() => file !== undefined && inBackground(take.run(file))}
        >
          Import
        </Button>
      </div>
    </Dialog>
  );
}

function outcomeText({ created, changed, unchanged, deleted }: Imported): string {
  const parts = [
    counted(created, 'new entry', 'new entries'),
    `${changed} changed`,
    `${unchanged} as they are`,
    `${deleted} deleted`,
  ];
  return parts.join(', ');
}
