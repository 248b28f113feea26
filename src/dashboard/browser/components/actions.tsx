import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { useAction } from '../query.ts';
import { Button, LinkButton, type Look } from './button.tsx';
import { ConfirmDialog, Dialog, DialogButton, type DialogHandlers, Secret, type SecretProps } from './dialog.tsx';
import type { MenuItem } from './popover.tsx';
import { useToast } from './toasts.tsx';

/** Something that can be done with a row or a list. One of `run`, `href` and `dialog` says what. */
export interface RowAction extends Pick<MenuItem, 'label' | 'icon' | 'isDanger' | 'href'> {
  /** The list is loaded again afterwards. */
  readonly run?: () => Promise<unknown>;
  /** Said afterwards. */
  readonly done?: string;
  /** Takes it back, within ten seconds. */
  readonly undo?: () => Promise<unknown>;
  /** Confirmation, for actions that stop something at once. */
  readonly confirm?: {
    readonly title: string;
    readonly text: ComponentChildren;
    /** Text of the button; default: the label of the action. */
    readonly label?: string;
  };
  /** In place of `run`: its secret is shown. */
  readonly reveal?: () => Promise<SecretProps>;
  readonly dialog?: (handlers: DialogHandlers) => ComponentChildren;
}

/** Some may be missing. */
export type RowActions = readonly (RowAction | undefined | false)[];

type RunAction = (action: RowAction) => Promise<void>;

/** Runs actions with their questions, messages and Undo. @param onDone called after a change */
export function useRowActions(onDone: () => void): { readonly run: RunAction; readonly dialog: ComponentChildren } {
  const tell = useToast();
  const [open, setOpen] = useState<RowAction>();
  const [secret, setSecret] = useState<SecretProps>();
  const close = () => setOpen(undefined);
  const finish = async ({ run, reveal, done, undo }: RowAction) => {
    await run?.();
    setSecret(await reveal?.());
    const takeBack = async () => {
      await undo?.();
      onDone();
    };
    if (done !== undefined) tell(done, undo === undefined ? {} : { undo: takeBack });
    onDone();
  };
  const confirmed = useAction(async () => {
    if (open !== undefined) await finish(open);
  });
  const run = async (action: RowAction) => {
    if (action.confirm !== undefined || action.dialog !== undefined) {
      confirmed.reset();
      setOpen(action);
      return;
    }
    try {
      await finish(action);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell(error.text);
    }
  };
  const closeAndReload = () => {
    close();
    onDone();
  };
  const dialog = (
    <>
      {open?.confirm === undefined ? (
        open?.dialog?.({ onClose: close, onDone: closeAndReload })
      ) : (
        <ConfirmDialog
          title={open.confirm.title}
          confirmLabel={open.confirm.label ?? open.label}
          action={confirmed}
          onClose={close}
        >
          {open.confirm.text}
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <Dialog title={secret.title} onClose={() => setSecret(undefined)}>
          <Secret {...secret} onClose={() => setSecret(undefined)} />
        </Dialog>
      )}
    </>
  );
  return { run, dialog };
}

/** The actions as entries of a menu. */
export function toMenu(actions: RowActions, run: RunAction): MenuItem[] {
  return actions
    .filter((action) => action !== undefined && action !== false)
    .map((action) => ({ ...action, run: () => run(action) }));
}

interface ActionButtonProps extends Omit<Look, 'label'>, Omit<RowAction, 'icon' | 'dialog'> {
  readonly onDone?: () => void;
}

/** A button that does something, says that it is done, or why not. */
export function ActionButton({ kind, icon, isCompact, onDone, ...action }: ActionButtonProps) {
  const { run, dialog } = useRowActions(() => onDone?.());
  const running = useAction(() => run(action));
  return (
    <>
      <Button {...{ kind, icon, isCompact, label: action.label }} action={running} />
      {dialog}
    </>
  );
}

/** An action of a whole list, as a button beside its heading. */
export interface HeadAction extends RowAction, Pick<Look, 'kind'> {
  /** `?open=NAME` in the address opens its dialog. */
  readonly name?: string;
}

interface HeadActionsProps {
  readonly of: readonly (HeadAction | undefined | false)[];
  readonly onDone: () => void;
}

export function HeadActions({ of, onDone }: HeadActionsProps) {
  return (
    <>
      {of.map((action) => {
        if (action === undefined || action === false) return null;
        const { label, icon, kind, name, dialog, href, ...others } = action;
        const look = { label, icon, onDone, ...(kind !== undefined && { kind }) };
        if (href !== undefined) return <LinkButton key={label} {...{ label, icon, kind, href }} />;
        if (dialog === undefined) return <ActionButton key={label} {...look} {...others} />;
        return <DialogButton key={label} {...look} name={name} dialog={dialog} />;
      })}
    </>
  );
}
