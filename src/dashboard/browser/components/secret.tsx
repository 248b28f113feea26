import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { CopyLine } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface SecretProps {
  /** Above the secret. */
  readonly head?: ComponentChildren;
  /** Name of the secret. */
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
  /** Below the secret. */
  readonly children?: ComponentChildren;
}

/** A secret that no later response contains. */
export function Secret({ head, label, value, onClose, children }: SecretProps) {
  return (
    <div class="stack tight">
      <p>{head ?? <b>Copy it now. It is shown only once.</b>}</p>
      <CopyLine label={label} text={value} />
      {children}
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

export function SecretDialog({ title, ...secret }: SecretProps & { readonly title: string }) {
  return (
    <Dialog title={title} onClose={secret.onClose}>
      <Secret {...secret} />
    </Dialog>
  );
}
