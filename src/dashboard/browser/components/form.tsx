import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { runInBackground } from '../background.ts';
import { type Action, useAction } from '../query.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';

interface FormProps {
  /** An action, or the state of `useForm`. */
  readonly action: Action<[]> & { readonly fields?: readonly string[] };
  /** Text of the button. */
  readonly submit: string;
  /** Names of the fields that show their own problems; default: those of `useForm`. */
  readonly fields?: readonly string[];
  readonly canSubmit?: boolean;
  readonly kind?: 'primary' | 'danger';
  readonly onCancel?: (() => void) | undefined;
  /** Disables the fields and hides the button. */
  readonly isReadOnly?: boolean;
  readonly children: ComponentChildren;
}

/** Fields with a button, and the problems that no field shows. */
export function Form(props: FormProps) {
  const { action, submit, fields = action.fields, canSubmit = true, kind = 'primary', onCancel, children } = props;
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

/**
 * The texts of a form and what sends them.
 * @param initial by the name of the field in the API
 * @returns `field(name)`: the properties of a field; `isFilled`: none is empty
 */
export function useForm<T extends Readonly<Record<string, string>>>(initial: T, send: (values: T) => Promise<void>) {
  const [values, setValues] = useState(initial);
  const action = useAction(() => send(values));
  const set = (changes: Partial<T>) => setValues((before) => ({ ...before, ...changes }));
  return {
    ...action,
    values,
    set,
    isFilled: Object.values(values).every((value) => value.trim() !== ''),
    fields: Object.keys(initial),
    field: <N extends keyof T & string>(name: N) => ({
      name,
      problem: action.problem,
      value: values[name],
      onValue: (value: string) => set({ [name]: value } as Partial<T>),
    }),
  };
}
