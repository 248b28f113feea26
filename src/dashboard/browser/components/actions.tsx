import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { type ApiAnswer, ApiError, request } from '../api.ts';
import { useAddressQuery } from '../location.ts';
import { runInBackground, useAction } from '../query.ts';
import { Button, LinkButton, type Look } from './button.tsx';
import { Dialog, type DialogHandlers, SecretDialog, type SecretProps, toast } from './dialog.tsx';
import { ErrorNotice } from './page.tsx';
import { Menu, type MenuItem } from './popover.tsx';

/** An action on a page, a list or a row: one of `run`, `reveal`, `dialog` and `href`. */
export interface PageAction extends Pick<MenuItem, 'label' | 'icon' | 'isDanger' | 'href'> {
  readonly run?: () => Promise<unknown>;
  /** Message after success. */
  readonly done?: string;
  /** Undoes the action; offered for ten seconds. */
  readonly undo?: (() => Promise<unknown>) | undefined;
  /** Asked before actions that take effect at once. */
  readonly confirm?: {
    readonly title: string;
    /** The consequences. */
    readonly text: ComponentChildren;
    /** Label of the button; default: that of the action. */
    readonly label?: string;
    /** How to solve a problem, in place of the text; undefined: its message is shown. */
    readonly explain?: (problem: ApiError) => ComponentChildren;
  };
  /** In place of `run`; the secret that it returns is shown. */
  readonly reveal?: () => Promise<SecretProps>;
  readonly dialog?: (handlers: DialogHandlers) => ComponentChildren;
}

/** Absent entries are skipped. */
export type PageActions<A extends PageAction = PageAction> = readonly (A | undefined | false)[];

/** Routes of a resource whose deletion can be undone. */
interface Deletable {
  readonly delete: () => ApiAnswer;
  readonly restore: { readonly post: () => ApiAnswer };
}

/**
 * @param name of the resource, such as `Webhook`
 * @returns an action that deletes it, with Undo
 */
export function deletion(name: string, route: Deletable, more: Partial<PageAction> = {}): PageAction {
  return {
    label: `Delete ${name.toLowerCase()}`,
    icon: 'trash-2',
    isDanger: true,
    run: () => request(() => route.delete()),
    done: `${name} deleted`,
    undo: () => request(() => route.restore.post()),
    ...more,
  };
}

type StartAction = (action: PageAction, onDone?: () => void) => Promise<void>;

const ActionContext = createContext<StartAction>(async () => undefined);

/** @returns a function that starts an action, with its confirmation, messages and Undo; `onDone` is called after a change */
export function useActions(): StartAction {
  return useContext(ActionContext);
}

/** Shows the dialogs, secrets and messages of the actions below it. */
export function ActionProvider({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState<{ readonly action: PageAction; readonly onDone: () => void }>();
  const [secret, setSecret] = useState<SecretProps>();
  const close = () => setOpen(undefined);
  const finish = async ({ run, reveal, done, undo }: PageAction, onDone: () => void) => {
    await run?.();
    setSecret(await reveal?.());
    const restore = async () => {
      await undo?.();
      onDone();
    };
    if (done !== undefined) toast(done, undo === undefined ? {} : { undo: restore });
    onDone();
  };
  const start = useCallback<StartAction>(async (action, onDone = () => undefined) => {
    if (action.confirm !== undefined || action.dialog !== undefined) return setOpen({ action, onDone });
    try {
      await finish(action, onDone);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast(error.text);
    }
  }, []);
  const closeAndReport = () => {
    close();
    open?.onDone();
  };
  return (
    <ActionContext.Provider value={start}>
      {children}
      {open?.action.confirm !== undefined && (
        <Confirm action={open.action} onClose={close} run={() => finish(open.action, open.onDone)} />
      )}
      {open !== undefined && open.action.confirm === undefined && (
        <ActionProvider>{open.action.dialog?.({ onClose: close, onDone: closeAndReport })}</ActionProvider>
      )}
      {secret !== undefined && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
    </ActionContext.Provider>
  );
}

interface ConfirmProps {
  readonly action: PageAction;
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}

function Confirm({ action: { label, confirm }, run, onClose }: ConfirmProps) {
  const running = useAction(run);
  const explained = running.problem && confirm?.explain?.(running.problem);
  return (
    <Dialog title={confirm?.title ?? label} about={explained ?? confirm?.text} onClose={onClose}>
      {explained === undefined && <ErrorNotice problem={running.problem} />}
      <div class="actions">
        <Button kind="quiet" onClick={onClose} label="Cancel" />
        <Button
          kind="danger"
          isBusy={running.isRunning}
          onClick={() => running.run().then((isDone) => isDone && onClose())}
          label={confirm?.label ?? label}
        />
      </div>
    </Dialog>
  );
}

interface ActionMenuProps {
  readonly of: PageActions;
  readonly onDone?: () => void;
  readonly label?: string;
  readonly isCompact?: boolean;
  /** ID of the element that names what they act on. */
  readonly subjectId?: string;
}

/** Actions behind a button. */
export function ActionMenu({ of, onDone, label = 'More', ...look }: ActionMenuProps) {
  const start = useActions();
  const items = of.filter((action) => action !== undefined && action !== false);
  return <Menu {...{ label, ...look }} items={items.map((one) => ({ ...one, run: () => start(one, onDone) }))} />;
}

export interface ButtonAction extends PageAction, Pick<Look, 'kind' | 'isCompact' | 'subject'> {
  /** `?open=NAME` in the address starts it. */
  readonly name?: string;
}

/** A button that starts an action and reports success or the reason of a failure. */
export function ActionButton(props: ButtonAction & { readonly onDone?: () => void }) {
  const { kind, isCompact, subject, name, onDone, ...action } = props;
  const start = useActions();
  const running = useAction(() => start(action, onDone));
  const [address, change] = useAddressQuery();
  const isNamed = name !== undefined && address.get('open') === name;
  useEffect(() => {
    if (!isNamed) return;
    change({ open: '' });
    runInBackground(running.run());
  }, [isNamed]);
  const { label, icon, href } = action;
  const look = { kind, icon, isCompact, label, subject };
  return href === undefined ? <Button {...look} action={running} /> : <LinkButton {...look} href={href} />;
}

interface ActionButtonsProps {
  readonly of: PageActions<ButtonAction>;
  readonly isCompact?: boolean;
  readonly onDone: () => void;
}

export function ActionButtons({ of, isCompact, onDone }: ActionButtonsProps) {
  return <>{of.map((action) => action && <ActionButton key={action.label} {...{ isCompact, onDone, ...action }} />)}</>;
}
