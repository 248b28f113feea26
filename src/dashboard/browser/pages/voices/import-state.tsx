import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/page.tsx';
import { capitalize, formatBytes } from '../../format.ts';
import { runInBackground } from '../../query.ts';
import { useSession } from '../../session.tsx';
import type { ImportFiles } from './import-files.tsx';
import { CardText } from './model-card.tsx';

/** State of an import; undefined while files are selected. */
export type ImportState =
  | { readonly is: 'sending'; readonly share: number }
  | { readonly is: 'license'; readonly text: string }
  | { readonly is: 'wrong'; readonly problem: ApiError };

interface SendingProps {
  readonly files: ImportFiles;
  /** 0…1; at 1 the server validates the voice. */
  readonly share: number;
  readonly onCancel: () => void;
}

export function UploadProgress({ files, share, onCancel }: SendingProps) {
  const isSent = share >= 1;
  const bytes = Object.values(files).reduce((sum, file) => sum + (file?.size ?? 0), 0);
  return (
    <div class="stack tight">
      <ol class="stack tight">
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
export function ImportError({ problem }: { readonly problem: ApiError }) {
  const model = problem.fields['model']?.join('; ');
  if (model !== undefined) {
    return (
      <Notice kind="problem">
        <p>
          <strong>Voice rejected.</strong> Validation failed: {model}.
        </p>
        <p>Download the files again from their source. Nothing was stored.</p>
      </Notice>
    );
  }
  return (
    <ErrorNotice problem={problem} shown={['name', 'gender', 'license', 'source', 'plan_required']}>
      <strong>{problem.message}.</strong> {advice[problem.status] ?? ''}
    </ErrorNotice>
  );
}

/** By status. */
const advice: Readonly<Record<number, string>> = {
  409: 'Remove the existing voice first, or rename the files.',
  413: 'The files are too large.',
  503: 'Try again later.',
};

interface LicenseGateProps {
  /** Problem that the server reports for the license. */
  readonly said: string;
  readonly card: File | undefined;
  readonly onBack: () => void;
  readonly onAccept: () => void;
}

/** Asks an admin to accept a license that is not known to be free. */
export function LicenseGate({ said, card, onBack, onAccept }: LicenseGateProps) {
  const { user } = useSession();
  const [hasRead, setHasRead] = useState(false);
  const [text, setText] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (card !== undefined) runInBackground(card.text().then(setText));
  }, [card]);
  return (
    <div class="stack tight">
      <Notice kind="warning">
        <p>
          <strong>License review required.</strong> {reasonText(said)}
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
        <Button kind="primary" disabled={!hasRead} onClick={onAccept} label="Accept and import" />
      </div>
    </div>
  );
}

/** @param said like `en_US-x: no license specified. An admin must accept it.` */
function reasonText(said: string): string {
  const reason = said.replace(/\. An admin must accept it\.$/, '').replace(/^[^\s:]+: /, '');
  return `${capitalize(reason)}.`;
}
