import { formatCount } from '../format.ts';
import type { Action } from '../query.ts';
import { Button } from './button.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { ErrorNotice } from './notice.tsx';

interface SaveBarProps {
  /** Names of what has changed, as the labels of the fields: `Layout`, `Accent`. Empty: the bar is not shown. */
  readonly changed: readonly string[];
  readonly action: Action<[]>;
  readonly onDiscard: () => void;
  /** Text of the button. */
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
          <Button kind="quiet" onClick={onDiscard}>
            Discard
          </Button>
          <Button kind="primary" action={action}>
            {save}
          </Button>
        </div>
        <ErrorNotice problem={action.problem} shown={fields} />
      </section>
    </>
  );
}
