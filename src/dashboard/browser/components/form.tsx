import type { ComponentChildren } from 'preact';
import { runInBackground } from '../background.ts';
import type { Action } from '../query.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';

interface FormProps {
  readonly action: Action<[]>;
  /** Text of the button. */
  readonly submit: string;
  /** Names of the fields that show their own problems. */
  readonly fields?: readonly string[];
  readonly canSubmit?: boolean;
  readonly kind?: 'primary' | 'danger';
  readonly onCancel?: () => void;
  /** Disables the fields and hides the button. */
  readonly isReadOnly?: boolean;
  readonly children: ComponentChildren;
}

/** Fields with a button, and the problems that no field shows. */
export function Form(props: FormProps) {
  const { action, submit, fields, canSubmit = true, kind = 'primary', onCancel, children } = props;
  if (props.isReadOnly === true) {
    return (
      <fieldset class="form" disabled>
        {children}
      </fieldset>
    );
  }
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        runInBackground(action.run());
      }}
    >
      {children}
      <ErrorNotice problem={action.problem} shown={fields} />
      <div class="actions">
        {onCancel !== undefined && (
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" kind={kind} isBusy={action.isRunning} disabled={!canSubmit}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
