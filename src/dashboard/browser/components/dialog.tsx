import { type ComponentChildren, render } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../format.ts';
import type { Action } from '../query.ts';
import { createStore } from '../store.ts';
import { Button, CopyLine } from './button.tsx';
import { ErrorNotice } from './page.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  /** At the right edge, in full height: explanations and details beside a page. */
  readonly isDrawer?: boolean;
  /** Below the title; screen readers read it when the dialog opens. */
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Open while it is rendered; Escape, the close button and a click outside close it. The focus goes back. */
export function Dialog({ title, onClose, isWide = false, isDrawer = false, about, children }: DialogProps) {
  const dialog = useModal();
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      class={isDrawer ? 'drawer' : isWide ? 'wide' : ''}
      aria-labelledby={titleId}
      aria-describedby={about === undefined ? undefined : `${titleId}-about`}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      // The dialog itself is only hit beside its content, on its backdrop.
      onClick={(event) => isOutside(event) && onClose()}
    >
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is no banner of the page */}
      <header role="presentation">
        <h2 id={titleId} tabIndex={-1}>
          {title}
        </h2>
        <Button kind="quiet" icon="x" aria-label="Close" onClick={onClose} />
      </header>
      {about !== undefined && (
        <div class="confirm" id={`${titleId}-about`}>
          {about}
        </div>
      )}
      {children}
    </dialog>
  );
}

/** The control of the page that opened the first of the dialogs: the others may follow one another. */
let opener: Element | null = null;

/** Opens a dialog on top of the page; the focus goes back when it is gone. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const [before, opened] = [document.activeElement, dialog.current];
    if (before !== document.body && before?.closest('dialog') === null) opener = before;
    opened?.showModal();
    if (opened !== null) openDialogs.push(opened);
    placeToasts();
    // By default the browser focuses the close button, the first control.
    dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      if (opened !== null) openDialogs.splice(openDialogs.indexOf(opened), 1);
      placeToasts();
      // The page cannot be focused beside an open one.
      opened?.close();
      const next = before?.isConnected === true && before !== document.body ? before : opener;
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    };
  }, []);
  // With another content, what had the focus may be gone.
  useEffect(() => {
    const isLost = document.activeElement === document.body && openDialogs.at(-1) === dialog.current;
    if (isLost) dialog.current?.querySelector('h2')?.focus();
  });
  return dialog;
}

function isOutside({ target, currentTarget, clientX: x, clientY: y, detail }: MouseEvent): boolean {
  // Keys send clicks without a place.
  if (target !== currentTarget || detail === 0 || !(target instanceof Element)) return false;
  const { left, right, top, bottom } = target.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}

export interface DialogHandlers {
  readonly onClose: () => void;
  /** Closes it, too: what it is about has changed. */
  readonly onDone: () => void;
}

/** A secret that no later response contains. */
export interface SecretProps {
  readonly title: string;
  /** Above the secret. */
  readonly head?: ComponentChildren;
  readonly label: string;
  readonly value: string;
  /** Below the secret. */
  readonly children?: ComponentChildren;
}

export function SecretDialog(props: SecretProps & { readonly onClose: () => void }) {
  const { title, head, label, value, onClose, children } = props;
  return (
    <Dialog title={title} about={head ?? <b>Copy it now. It is shown only once.</b>} onClose={onClose}>
      <div class="stack tight">
        <CopyLine label={label} text={value} />
        {children}
        <div class="actions">
          <Button kind="primary" label="Done" onClick={onClose} />
        </div>
      </div>
    </Dialog>
  );
}

/** Asks before a page with unsaved changes is left. Where a draft keeps what is typed, it is not needed. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const [target, setTarget] = useState<string>();
  const [isLeaving, setIsLeaving] = useState(false);
  const isGuarded = isChanged && !isLeaving;
  useEffect(() => {
    if (!isGuarded) return undefined;
    const onNavigate = (event: NavigateEvent) => {
      const to = event.destination.url;
      if (!event.cancelable || pathOf(to) === pathOf(location.href)) return;
      event.preventDefault();
      setTarget(to);
    };
    // Safari before 26 and Firefox before 147 have no Navigation API: there only links are guarded.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null || link.hash === '' || pathOf(link.href) === pathOf(location.href)) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(link.href);
    };
    const hasNavigation = 'navigation' in window;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    if (hasNavigation) navigation.addEventListener('navigate', onNavigate);
    else addEventListener('click', onClick, true);
    addEventListener('beforeunload', onUnload);
    return () => {
      if (hasNavigation) navigation.removeEventListener('navigate', onNavigate);
      removeEventListener('click', onClick, true);
      removeEventListener('beforeunload', onUnload);
    };
  }, [isGuarded]);
  useEffect(() => {
    if (isLeaving && target !== undefined) location.href = target;
  }, [isLeaving]);
  if (target === undefined || isLeaving) return null;
  return (
    <Dialog
      title="Leave without saving?"
      about="Your changes on this page are not saved."
      onClose={() => setTarget(undefined)}
    >
      <div class="actions">
        <Button onClick={() => setTarget(undefined)} label="Stay" />
        <Button kind="danger" onClick={() => setIsLeaving(true)} label="Leave" />
      </div>
    </Dialog>
  );
}

function pathOf(url: string): string {
  return new URL(url).hash.split('?', 1)[0] ?? '';
}

export interface SaveBarProps {
  /** Names of what has changed, as the labels of the fields: `Layout`, `Accent`. Empty: the bar is not shown. */
  readonly changed: readonly string[];
  readonly action: Action<[]>;
  readonly onDiscard: () => void;
  readonly save?: string;
  /** Names of the fields that show their own problems. */
  readonly fields?: readonly string[];
}

/** Saves the changes of a page, and asks before it is left with them. */
export function SaveBar({ changed, action, onDiscard, save = 'Save', fields }: SaveBarProps) {
  if (changed.length === 0) return null;
  return (
    <>
      <LeaveGuard isChanged />
      <section class="savebar" aria-label="Unsaved changes">
        <div>
          <b>{formatCount(changed.length, 'change')}</b> <span class="sub">{changed.join(', ')}</span>
        </div>
        <div class="actions">
          <Button kind="quiet" onClick={onDiscard} label="Discard" />
          <Button kind="primary" action={action} label={save} />
        </div>
        <ErrorNotice problem={action.problem} shown={fields} />
      </section>
    </>
  );
}

const shownMs = 5_000;
/** How long a deletion can be undone here. */
const undoMs = 10_000;

interface ToastOptions {
  /** Takes back what has just been done. */
  readonly undo?: () => Promise<void>;
}

const toasts = createStore<readonly (ToastOptions & { readonly id: number; readonly text: string })[]>([]);
let lastToastId = 0;

/** Shows a message for some seconds: `toast('Post deleted', { undo: () => restore() })`. */
export function toast(text: string, options: ToastOptions = {}): void {
  lastToastId += 1;
  toasts.set([...toasts.get(), { id: lastToastId, text, ...options }]);
}

/** Outermost first. */
const openDialogs: HTMLDialogElement[] = [];
/** All else is inert and below the backdrop while a dialog is open: the messages are in the innermost one. */
const toastHost = document.createElement('div');
toastHost.className = 'toasts';
toastHost.setAttribute('role', 'status');

function placeToasts(): void {
  const place = openDialogs.at(-1) ?? document.body;
  if (toastHost.parentNode !== place) place.append(toastHost);
}

/** The messages that are shown. */
export function Toasts() {
  const shown = toasts.use();
  useEffect(placeToasts, []);
  // With the change that it is about.
  useLayoutEffect(() => {
    const close = (id: number) => toasts.set(toasts.get().filter((other) => other.id !== id));
    render(
      shown.map(({ id, text, undo }) => <Toast key={id} text={text} undo={undo} onClose={() => close(id)} />),
      toastHost,
    );
  }, [shown]);
  return null;
}

interface ToastProps {
  readonly text: string;
  readonly undo: ToastOptions['undo'] | undefined;
  readonly onClose: () => void;
}

function Toast({ text, undo, onClose }: ToastProps) {
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(onClose, undo === undefined ? shownMs : undoMs);
    return () => clearTimeout(timer);
  }, [isHeld]);
  const takeBack = async () => {
    onClose();
    // Its button is gone.
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    try {
      await undo?.();
    } catch (error) {
      toast(`Undo failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const [hold, release] = [() => setIsHeld(true), () => setIsHeld(false)];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stays while someone reads it or reaches for its button
    <div onMouseEnter={hold} onMouseLeave={release} onFocusIn={hold} onFocusOut={release}>
      <span class="grow">{text}</span>
      {undo === undefined ? (
        <Button kind="quiet" icon="x" isCompact aria-label="Close message" onClick={onClose} />
      ) : (
        <Button kind="quiet" icon="undo-2" onClick={takeBack} label="Undo" />
      )}
    </div>
  );
}
