import type { ApiError } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatBytes } from '../../format.ts';
import type { ImportFiles } from './import-files.ts';

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
          <Button onClick={onCancel}>Cancel upload</Button>
        </div>
      )}
    </div>
  );
}

/** Why a voice was rejected, and what to do. */
export function ImportError({ problem: { status, message, fields } }: { readonly problem: ApiError }) {
  const model = fields['model']?.join('; ');
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
  const shown = ['name', 'gender', 'license', 'source', 'plan_required'];
  const others = Object.entries(fields).filter(([field]) => !shown.includes(field));
  if (Object.keys(fields).length > 0 && others.length === 0) return null;
  return (
    <Notice kind="problem">
      <p>
        <strong>{message}.</strong> {adviceText(status)}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map(([field, problems]) => (
            <li key={field}>
              <strong>{field}</strong> {problems.join('; ')}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function adviceText(status: number): string {
  switch (status) {
    case 409:
      return 'Remove the existing voice first, or rename the files.';
    case 413:
      return 'The files are too large.';
    case 503:
      return 'Try again later.';
    default:
      return '';
  }
}
