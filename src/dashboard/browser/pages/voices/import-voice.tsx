import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, upload } from '../../api.ts';
import type { PageAction } from '../../components/actions.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, type DialogHandlers, toast } from '../../components/dialog.tsx';
import { CheckField } from '../../components/field.tsx';
import { FileDrop, type FileDropProps } from '../../components/file-drop.tsx';
import { type FieldSpecs, Fields, Form, useForm } from '../../components/form.tsx';
import { Facts, Notice } from '../../components/page.tsx';
import { capitalize, formatBytes, formatCount, formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { type Action, useAction, useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { CardText } from './voice-dialog.tsx';

const noFields = { name: '', gender: 'neutral', license: '', source: '', plan_required: 'starter' };

const fields: FieldSpecs<typeof noFields> = {
  name: { label: 'Name', hint: 'Shown to listeners. Empty: taken from the file.', input: { maxLength: 100 } },
  gender: { label: 'Gender', options: { neutral: 'Unknown', female: 'Female', male: 'Male' } },
  plan_required: { label: 'Plan', hint: 'Lowest plan that includes this voice.', options: planNames },
  license: {
    label: 'License',
    hint: 'For example CC BY 4.0. Empty: taken from the model card or config.',
    input: { maxLength: 500 },
  },
  source: { label: 'Source', hint: 'Origin of the voice, for example a URL.', input: { maxLength: 500 } },
};

/** What an import shows; undefined while files are selected. */
type ImportState =
  | { readonly is: 'sending'; readonly share: number }
  | { readonly is: 'license'; readonly text: string };

/** Imports a Piper voice. @param dropped files dropped on the page */
export function importAction(dropped: readonly File[]): PageAction {
  const dialog = (handlers: DialogHandlers) => <ImportVoice dropped={dropped} {...handlers} />;
  return { label: 'Import voice', icon: 'upload', dialog };
}

/** Selects files and settings, uploads, and asks to accept the license if necessary. */
function ImportVoice({ dropped, onDone, onClose }: DialogHandlers & { readonly dropped: readonly File[] }) {
  const [{ files, problems }, setChosen] = useState(() => addFiles({}, dropped));
  const [state, setState] = useState<ImportState>();
  const sending = useRef(new AbortController());
  useEffect(() => () => sending.current.abort(), []);
  const form = useForm({ fields: {}, initial: noFields, send: () => send(false) });
  const send = async (acceptsLicense: boolean): Promise<void> => {
    sending.current = new AbortController();
    const onSent = (share: number) => setState({ is: 'sending', share });
    onSent(0);
    try {
      await upload('/voices', formOf(files, form.values, acceptsLicense), onSent, sending.current.signal);
      toast('Voice imported');
      onDone();
    } catch (error) {
      setState(undefined);
      if (sending.current.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      const [license] = error.fields['accept_license'] ?? [];
      if (license === undefined) throw explain(error);
      setState({ is: 'license', text: license });
    }
  };
  const accept = useAction(() => send(true));
  const isComplete = files.model !== undefined && files.config !== undefined;
  return (
    <Dialog title="Import voice" onClose={onClose} isWide>
      {state?.is === 'sending' && (
        <UploadProgress files={files} share={state.share} onCancel={() => sending.current.abort()} />
      )}
      {state?.is === 'license' && (
        <LicenseGate said={state.text} card={files.card} onBack={() => setState(undefined)} accept={accept} />
      )}
      {state === undefined && (
        <Form
          of={{ ...form, problem: form.problem ?? accept.problem }}
          submit="Import"
          shown={Object.keys(fields)}
          canSubmit={() => isComplete}
          onCancel={onClose}
        >
          <VoiceDrop
            onFiles={(added) => {
              form.reset();
              accept.reset();
              setChosen(addFiles(files, added));
            }}
          >
            <p>
              Drop the files of a Piper voice here: the model <code>NAME.onnx</code>, its config{' '}
              <code>NAME.onnx.json</code> and, if available, the <code>MODEL_CARD</code> with the license.
            </p>
          </VoiceDrop>
          <ChosenFiles files={files} />
          {[...problems, ...listMissing(files)].map((text) => (
            <p key={text} class="wrong" role="alert">
              {text}
            </p>
          ))}
          {isComplete && (
            <div class="columns even">
              <Fields {...form} of={fields} />
            </div>
          )}
        </Form>
      )}
    </Dialog>
  );
}

type VoiceDropProps = Pick<FileDropProps, 'onFiles' | 'children'>;

/** Takes the files of a voice. */
export function VoiceDrop(props: VoiceDropProps) {
  return <FileDrop label="Choose files" accept=".onnx,.json,.md,.txt,MODEL_CARD" isDisabled={false} {...props} />;
}

function formOf({ config, card, model }: ImportFiles, values: typeof noFields, acceptsLicense: boolean): FormData {
  const form = new FormData();
  // Small parts first: the server can reject them before the model is uploaded.
  const parts = { ...values, accept_license: acceptsLicense ? 'true' : '', config, model_card: card, model };
  for (const [name, part] of Object.entries(parts)) {
    const value = typeof part === 'string' ? part.trim() : part;
    if (value !== undefined && value !== '') form.set(name, value);
  }
  return form;
}

const kinds = [
  { kind: 'model', title: 'Model', pattern: /\.onnx$/i },
  { kind: 'config', title: 'Config', pattern: /\.json$/i },
  { kind: 'card', title: 'Model card', pattern: /(card|licen[cs]e|readme)|\.(md|txt)$/i },
] as const;

/** The selected files of a voice. */
type ImportFiles = { readonly [Kind in (typeof kinds)[number]['kind']]?: File };

/** Adds files to the selected ones. A file replaces an earlier one of its kind. @returns also the problems of the added ones */
function addFiles(before: ImportFiles, added: readonly File[]) {
  const problems: string[] = [];
  let files = before;
  if (added.filter(({ name }) => kinds[0].pattern.test(name)).length > 1) {
    problems.push('Several models selected. Import one voice at a time.');
  }
  for (const file of added) {
    const found = kinds.find(({ pattern }) => pattern.test(file.name));
    if (found === undefined) problems.push(`${file.name} is not a voice file.`);
    else files = { ...files, [found.kind]: file };
  }
  return { files, problems };
}

/** @returns what is missing, as soon as there is a model or a config */
function listMissing({ model, config }: ImportFiles): string[] {
  if (model === undefined && config !== undefined)
    return [`The model is missing: ${config.name.replace(/\.json$/, '')}.`];
  if (model === undefined || config !== undefined) return [];
  return [`The config is missing: ${model.name}.json. Download it from the source of the model.`];
}

/** The selected files, and the properties of the voice from its config. */
function ChosenFiles({ files }: { readonly files: ImportFiles }) {
  const { config } = files;
  const voice = useQuery(async () => config && describeConfig(config), [config]).value;
  if (Object.keys(files).length === 0) return null;
  const sizeOf = (file: File) => <span class="hint">{formatBytes(file.size)}</span>;
  const none = (kind: string) => <span class="hint">{kind === 'card' ? 'None' : 'Missing'}</span>;
  return (
    <Facts
      of={[
        ...kinds.map(({ kind, title }) => {
          const file = files[kind];
          return [title, file === undefined ? none(kind) : [file.name, ' ', sizeOf(file)]] as const;
        }),
        voice !== undefined && ['Voice', voice],
      ]}
    />
  );
}

/** @returns undefined if it is not a config: the server reports the problem */
async function describeConfig(config: File): Promise<string | undefined> {
  try {
    const { audio, language, num_speakers: speakers } = JSON.parse(await config.text());
    return [
      typeof language?.code === 'string' && formatLanguage(language.code),
      typeof audio?.quality === 'string' && `${audio.quality} quality`,
      typeof audio?.sample_rate === 'number' && `${audio.sample_rate / 1000} kHz`,
      typeof speakers === 'number' && speakers > 1 && `${formatCount(speakers, 'speaker')}, one voice each`,
    ]
      .filter((fact) => fact !== false)
      .join(', ');
  } catch {
    return undefined;
  }
}

interface UploadProgressProps {
  readonly files: ImportFiles;
  /** 0…1; at 1 the server validates the voice. */
  readonly share: number;
  readonly onCancel: () => void;
}

function UploadProgress({ files, share, onCancel }: UploadProgressProps) {
  const isSent = share >= 1;
  const bytes = Object.values(files).reduce((sum, file) => sum + (file?.size ?? 0), 0);
  return (
    <div class="stack tight">
      <ol role="list" class="stack tight">
        <li aria-current={isSent ? undefined : 'step'}>
          Uploading {formatBytes(bytes)}
          {!isSent && <progress aria-label="Upload progress" value={share} max={1} />}
        </li>
        <li aria-current={isSent ? 'step' : undefined}>
          Validating: a separate process loads the voice, synthesizes test sentences, and measures loudness and speed
          {isSent && <progress aria-label="Validating" />}
        </li>
      </ol>
      <p class="unseen" role="status">
        {isSent ? 'Uploaded. The voice is being validated.' : 'Uploading'}
      </p>
      {isSent ? (
        <p class="hint">
          A large voice can take up to two minutes. You can close this dialog: validation continues, and a valid voice
          is then listed.
        </p>
      ) : (
        <div class="actions">
          <Button onClick={onCancel} label="Cancel upload" />
        </div>
      )}
    </div>
  );
}

/** Why a voice was rejected, and what to do. */
function explain({ status, message, fields }: ApiError): ApiError {
  const model = fields['model']?.join('; ');
  if (model === undefined) return new ApiError(status, `${message}. ${advice[status] ?? ''}`, fields);
  const help = 'Download the files again from their source. Nothing was stored.';
  return new ApiError(status, `Voice rejected. Validation failed: ${model}. ${help}`);
}

/** By status. */
const advice: Readonly<Record<number, string>> = {
  409: 'Remove the existing voice first, or rename the files.',
  413: 'The files are too large.',
  503: 'Try again later.',
};

interface LicenseGateProps {
  /** Problem of the license, like `en_US-x: no license specified. An admin must accept it.` */
  readonly said: string;
  readonly card: File | undefined;
  readonly onBack: () => void;
  readonly accept: Action<[]>;
}

/** Asks an admin to accept a license that is not known to be free. */
function LicenseGate({ said, card, onBack, accept }: LicenseGateProps) {
  const { user } = useSession();
  const [hasRead, setHasRead] = useState(false);
  const text = useQuery(async () => card?.text(), [card]).value;
  const reason = said.replace(/\. An admin must accept it\.$/, '').replace(/^[^\s:]+: /, '');
  return (
    <div class="stack tight">
      <Notice kind="warning">
        <p>
          <strong>License review required.</strong> {capitalize(reason)}.
        </p>
      </Notice>
      {text === undefined ? (
        <p>The files include no model card. Check the license terms at the source of the voice.</p>
      ) : (
        <div>
          <h3>Model card</h3>
          <CardText text={text} />
        </div>
      )}
      <p>
        An admin must accept the license for this installation. Lectern checks only its name; you are responsible for
        compliance with its terms. The audit log and the voice details record who accepted which license, and when. The
        files are uploaded again.
      </p>
      <CheckField
        label={`I, ${user.email}, have read the license and may use this voice here`}
        value={hasRead}
        onValue={setHasRead}
      />
      <div class="actions">
        <Button kind="quiet" onClick={onBack} label="Back" />
        <Button kind="primary" disabled={!hasRead} action={accept} label="Accept and import" />
      </div>
    </div>
  );
}
