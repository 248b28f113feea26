import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { runInBackground } from '../background.ts';
import type { Action } from '../query.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

/** Open while it is rendered; Escape and the close button close it. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
    // By default the browser focuses the close button, the first control.
    dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={isWide ? 'dialog wide' : 'dialog'} aria-labelledby={titleId} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** Text of the button: the action, such as `Delete post`. */
  readonly confirmLabel: string;
  readonly action: Action<[]>;
  readonly onClose: () => void;
  /** The consequences. */
  readonly children: ComponentChildren;
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({ title, confirmLabel, action, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="confirm">{children}</div>
      <ErrorNotice problem={action.problem} />
      <div class="actions">
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          kind="danger"
          isBusy={action.isRunning}
          onClick={() => runInBackground(action.run().then((isDone) => isDone && onClose()))}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
