import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, upload } from '../../api.ts';
import type { PageAction } from '../../components/actions.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { FileDrop } from '../../components/file-drop.tsx';
import { type FieldSpec, Fields } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { planNames } from '../../plans.ts';
import { runInBackground, useAction } from '../../query.ts';
import { addFiles, ChosenFiles, type ImportFiles, missingText } from './import-files.tsx';
import { ImportError, type ImportState, LicenseGate, UploadProgress } from './import-state.tsx';

interface ImportVoiceProps extends DialogHandlers {
  /** Files dropped on the page. */
  readonly dropped: readonly File[];
}

export function importAction(dropped: readonly File[]): PageAction {
  const dialog = (handlers: DialogHandlers) => <ImportVoice dropped={dropped} {...handlers} />;
  return { label: 'Import voice', icon: 'upload', dialog };
}

const noFields = { name: '', gender: 'neutral', license: '', source: '', plan_required: 'starter' };

const fields: readonly FieldSpec<typeof noFields>[] = [
  {
    name: 'name',
    label: 'Name',
    hint: 'Shown to listeners. Empty: taken from the file.',
    input: { maxLength: 100 },
  },
  { name: 'gender', label: 'Gender', options: { neutral: 'Unknown', female: 'Female', male: 'Male' } },
  { name: 'plan_required', label: 'Plan', hint: 'Lowest plan that includes this voice.', options: planNames },
  {
    name: 'license',
    label: 'License',
    hint: 'For example CC BY 4.0. Empty: taken from the model card or config.',
    input: { maxLength: 500 },
  },
  { name: 'source', label: 'Source', hint: 'Origin of the voice, for example a URL.', input: { maxLength: 500 } },
];

/** Imports a Piper voice: selects files and settings, uploads, and asks to accept the license if necessary. */
function ImportVoice({ dropped, onDone, onClose }: ImportVoiceProps) {
  const [{ files, problems }, setChosen] = useState(() => addFiles({}, dropped));
  const [values, setValues] = useState(noFields);
  const [state, setState] = useState<ImportState | undefined>(undefined);
  const sending = useRef(new AbortController());
  const tell = useToast();
  useEffect(() => () => sending.current.abort(), []);

  const send = useAction(async (acceptsLicense: boolean) => {
    sending.current = new AbortController();
    setState({ is: 'sending', share: 0 });
    try {
      const form = formOf(files, values, acceptsLicense);
      const onSent = (share: number) => setState({ is: 'sending', share });
      await upload('/voices', form, onSent, sending.current.signal);
      tell('Voice imported');
      onDone();
    } catch (error) {
      if (sending.current.signal.aborted) return setState(undefined);
      if (!(error instanceof ApiError)) throw error;
      const [license] = error.fields['accept_license'] ?? [];
      setState(license === undefined ? { is: 'wrong', problem: error } : { is: 'license', text: license });
    }
    return undefined;
  });

  const problem = state?.is === 'wrong' ? state.problem : undefined;
  const missing = missingText(files);
  const isComplete = files.model !== undefined && files.config !== undefined;
  return (
    <Dialog title="Import voice" onClose={onClose} isWide>
      {state?.is === 'sending' && (
        <UploadProgress
          files={files}
          share={state.share}
          onCancel={() => {
            sending.current.abort();
            setState(undefined);
          }}
        />
      )}
      {state?.is === 'license' && (
        <LicenseGate
          said={state.text}
          card={files.card}
          onBack={() => setState(undefined)}
          onAccept={() => runInBackground(send.run(true))}
        />
      )}
      {(state === undefined || state.is === 'wrong') && (
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            runInBackground(send.run(false));
          }}
        >
          <FileDrop
            label="Choose files"
            accept=".onnx,.json,.md,.txt,MODEL_CARD"
            isDisabled={false}
            onFiles={(added) => {
              setState(undefined);
              setChosen(addFiles(files, added));
            }}
          >
            <p>
              Drop the files of a Piper voice here: the model <code>NAME.onnx</code>, its config{' '}
              <code>NAME.onnx.json</code> and, if available, the <code>MODEL_CARD</code> with the license.
            </p>
          </FileDrop>
          <ChosenFiles files={files} />
          {[...problems, ...(missing === undefined ? [] : [missing])].map((text) => (
            <p key={text} class="wrong" role="alert">
              {text}
            </p>
          ))}
          {isComplete && (
            <div class="columns even">
              <Fields of={fields} {...{ values, problem }} set={(changes) => setValues({ ...values, ...changes })} />
            </div>
          )}
          {problem !== undefined && <ImportError problem={problem} />}
          <div class="actions">
            <Button kind="quiet" onClick={onClose} label="Cancel" />
            <Button type="submit" kind="primary" disabled={!isComplete} label="Import" />
          </div>
        </form>
      )}
    </Dialog>
  );
}

function formOf(files: ImportFiles, values: typeof noFields, acceptsLicense: boolean): FormData {
  const form = new FormData();
  // Small parts first: the server can reject them before the model is uploaded.
  for (const [name, value] of Object.entries(values)) {
    if (value.trim() !== '') form.set(name, value.trim());
  }
  if (acceptsLicense) form.set('accept_license', 'true');
  if (files.config !== undefined) form.set('config', files.config);
  if (files.card !== undefined) form.set('model_card', files.card);
  if (files.model !== undefined) form.set('model', files.model);
  return form;
}
