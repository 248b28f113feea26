import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  /** Name of the secret. */
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
  readonly children?: preact.ComponentChildren;
}

/** A secret that no later response contains. */
export function SecretDialog({ title, label, value, onClose, children }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack tight">
        <p>
          <b>Copy it now. It is shown only once.</b>
        </p>
        <CopyLine label={label} text={value} />
        {children}
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
