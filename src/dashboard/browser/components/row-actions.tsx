import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { useAction } from '../query.ts';
import { ConfirmDialog } from './dialog.tsx';
import { firstProblem } from './play-button.tsx';
import type { MenuItem } from './popover.tsx';
import { useToast } from './toasts.tsx';

/** Something that can be done with a row. One of `run`, `href` and `dialog` says what. */
export interface RowAction extends Pick<MenuItem, 'label' | 'icon' | 'isDanger' | 'href'> {
  /** The list is loaded again afterwards. */
  readonly run?: () => Promise<unknown>;
  /** Said afterwards. */
  readonly done?: string;
  /** Takes it back, within ten seconds. */
  readonly undo?: () => Promise<unknown>;
  /** Confirmation, for actions that cannot be undone. */
  readonly confirm?: { readonly title: string; readonly text: ComponentChildren };
  /** Opens a dialog; `onDone` closes it and loads the list again. */
  readonly dialog?: (handlers: { readonly onClose: () => void; readonly onDone: () => void }) => ComponentChildren;
}

type RunAction = (action: RowAction) => Promise<void>;

/** Runs actions with their questions, messages and Undo. @param onDone called after a change */
export function useRowActions(onDone: () => void): { readonly run: RunAction; readonly dialog: ComponentChildren } {
  const tell = useToast();
  const [open, setOpen] = useState<RowAction>();
  const close = () => setOpen(undefined);
  const finish = async (action: RowAction) => {
    await action.run?.();
    const { undo } = action;
    const takeBack = async () => {
      await undo?.();
      onDone();
    };
    if (action.done !== undefined) tell(action.done, undo === undefined ? {} : { undo: takeBack });
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
      tell(firstProblem(error));
    }
  };
  const dialog =
    open?.confirm === undefined ? (
      open?.dialog?.({
        onClose: close,
        onDone: () => {
          close();
          onDone();
        },
      })
    ) : (
      <ConfirmDialog title={open.confirm.title} confirmLabel={open.label} action={confirmed} onClose={close}>
        {open.confirm.text}
      </ConfirmDialog>
    );
  return { run, dialog };
}

/** The actions as entries of a menu. */
export function toMenu(actions: readonly (RowAction | undefined)[], run: RunAction): MenuItem[] {
  return actions.filter((action) => action !== undefined).map((action) => ({ ...action, run: () => run(action) }));
}
