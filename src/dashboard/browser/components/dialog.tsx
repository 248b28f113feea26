import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAddressQuery } from '../location.ts';
import type { Action } from '../query.ts';
import { Button, type Look } from './button.tsx';
import { ErrorNotice } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  /** At the right edge, in full height: explanations and details beside a page. */
  readonly isDrawer?: boolean;
  readonly children: ComponentChildren;
}

/** Open while it is rendered; Escape, the close button and a click outside close it. The focus goes back. */
export function Dialog({ title, onClose, isWide = false, isDrawer = false, children }: DialogProps) {
  const dialog = useModal();
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      class={isDrawer ? 'drawer' : isWide ? 'wide' : ''}
      aria-labelledby={titleId}
      onClose={onClose}
      // The dialog itself is only hit beside its content, on its backdrop.
      onClick={(event) => isOutside(event) && onClose()}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" icon="x" aria-label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** Opens a dialog on top of the page; the focus goes back when it is gone. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // By default the browser focuses the close button, the first control.
    dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => (before instanceof HTMLElement ? before.focus({ preventScroll: true }) : undefined);
  }, []);
  return dialog;
}

function isOutside({ target, currentTarget, clientX: x, clientY: y, detail }: MouseEvent): boolean {
  // Keys send clicks without a place.
  if (target !== currentTarget || detail === 0 || !(target instanceof Element)) return false;
  const { left, right, top, bottom } = target.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}

interface DialogButtonProps extends Look {
  /** Renders what the button opens. */
  readonly dialog: (onClose: () => void) => ComponentChildren;
  /** `?open=NAME` in the address opens it, too. */
  readonly name?: string;
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, name, ...look }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [address, change] = useAddressQuery();
  const isNamed = name !== undefined && address.get('open') === name;
  const close = () => {
    setIsOpen(false);
    if (isNamed) change({ open: '' });
  };
  return (
    <>
      <Button {...look} onClick={() => setIsOpen(true)} />
      {(isOpen || isNamed) && dialog(close)}
    </>
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
          onClick={() => action.run().then((isDone) => isDone && onClose())}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
