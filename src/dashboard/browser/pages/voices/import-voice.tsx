import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, upload } from '../../api.ts';
import { inBackground } from '../../background.ts';
import { useAction } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DropZone } from '../../parts/drop-zone.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { planOf, planOptions } from '../../plans.ts';
import { ChosenFiles } from './import-chosen.tsx';
import { type ImportFiles, missingText, withFiles } from './import-files.ts';
import { LicenseGate } from './import-license.tsx';
import { type ImportState, Sending, Wrong } from './import-state.tsx';
import { genderOptions } from './voices.ts';

interface ImportVoiceProps {
  /** What was dropped on the page. */
  readonly dropped: readonly File[];
  /** Also when it is done. */
  readonly onClose: () => void;
}

const noFields = { name: '', gender: 'neutral', license: '', source: '', plan_required: 'starter' };

/** Brings a Piper voice in: its files, what is known of it, and a licence that somebody has to accept. */
export function ImportVoice({ dropped, onClose }: ImportVoiceProps) {
  const [{ files, problems }, setChosen] = useState(() => withFiles({}, dropped));
  const [fields, setFields] = useState(noFields);
  const [state, setState] = useState<ImportState | undefined>(undefined);
  const sending = useRef(new AbortController());
  const tell = useToast();
  useEffect(() => () => sending.current.abort(), []);

  const send = useAction(async (acceptsLicense: boolean) => {
    sending.current = new AbortController();
    setState({ is: 'sending', share: 0 });
    try {
      const form = formOf(files, fields, acceptsLicense);
      const onSent = (share: number) => setState({ is: 'sending', share });
      await upload('/voices', form, onSent, sending.current.signal);
      tell('Voice imported');
      onClose();
    } catch (error) {
      if (sending.current.signal.aborted) return setState(undefined);
      if (!(error instanceof Problem)) throw error;
      const [license] = error.fields['accept_license'] ?? [];
      setState(
        license === undefined ? { is: 'wrong', problem: error } : { is: 'license', text: license },
      );
    }
    return undefined;
  });

  const set = (changes: Partial<typeof noFields>) => setFields({ ...fields, ...changes });
  const problem = state?.is === 'wrong' ? state.problem : undefined;
  const missing = missingText(files);
  const isComplete = files.model !== undefined && files.config !== undefined;
  return (
    <Dialog title="Import a voice" onClose={onClose} isWide>
      {state?.is === 'sending' && (
        <Sending
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
          onAccept={() => inBackground(send.run(true))}
        />
      )}
      {(state === undefined || state.is === 'wrong') && (
        <form
          class="voice-import"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            inBackground(send.run(false));
          }}
        >
          <DropZone
            label="Choose files"
            accept=".onnx,.json,.md,.txt,MODEL_CARD"
            isDisabled={false}
            onFiles={(added) => {
              setState(undefined);
              setChosen(withFiles(files, added));
            }}
          >
            <p>
              Drop the files of a Piper voice here: the model <code>NAME.onnx</code>, its config{' '}
              <code>NAME.onnx.json</code> and, where there is one, the <code>MODEL_CARD</code> that
              names the licence.
            </p>
          </DropZone>
          <ChosenFiles files={files} />
          {[...problems, ...(missing === undefined ? [] : [missing])].map((text) => (
            <p key={text} class="wrong" role="alert">
              {text}
            </p>
          ))}
          {isComplete && (
            <div class="import-fields">
              <TextField
                label="Name"
                name="name"
                hint="Listeners see it. Left empty, it comes from the file."
                value={fields.name}
                onValue={(name) => set({ name })}
                problem={problem}
                maxLength={100}
              />
              <SelectField
                label="Gender"
                name="gender"
                value={fields.gender}
                onValue={(gender) => set({ gender })}
                options={genderOptions}
                problem={problem}
              />
              <SelectField
                label="Plan"
                name="plan_required"
                hint="Sites of this plan and above may use it."
                value={fields.plan_required}
                onValue={(plan) => set({ plan_required: planOf(plan) })}
                options={planOptions}
                problem={problem}
              />
              <TextField
                label="Licence"
                name="license"
                hint="Like CC BY 4.0. Left empty, the model card or the config tells."
                value={fields.license}
                onValue={(license) => set({ license })}
                problem={problem}
                maxLength={500}
              />
              <TextField
                label="Source"
                name="source"
                hint="Where it comes from, like an address."
                value={fields.source}
                onValue={(source) => set({ source })}
                problem={problem}
                maxLength={500}
              />
            </div>
          )}
          {problem !== undefined && <Wrong problem={problem} />}
          <div class="actions">
            <Button kind="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" kind="primary" disabled={!isComplete}>
              Import
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function formOf(files: ImportFiles, fields: typeof noFields, acceptsLicense: boolean): FormData {
  const form = new FormData();
  // Small ones first: what is wrong with them shows before the model is sent.
  for (const [name, value] of Object.entries(fields)) {
    if (value.trim() !== '') form.set(name, value.trim());
  }
  if (acceptsLicense) form.set('accept_license', 'true');
  if (files.config !== undefined) form.set('config', files.config);
  if (files.card !== undefined) form.set('model_card', files.card);
  if (files.model !== undefined) form.set('model', files.model);
  return form;
}
