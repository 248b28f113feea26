import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ApiError } from '../api.ts';

/** Values with their labels: a record in its order, where no value is a number. */
export type Options = Readonly<Record<string, string>> | readonly Option[];

interface Option {
  readonly value: string;
  readonly label: ComponentChildren;
}

export function listOptions(options: Options): readonly Option[] {
  if (Array.isArray(options)) return options;
  return Object.entries(options).map(([value, label]) => ({ value, label }));
}

interface Control<V> {
  readonly value: V;
  readonly onValue: (value: V) => void;
}

type InputProps = Omit<JSX.IntrinsicElements['input'], 'label' | 'name' | 'value' | 'onInput'>;

interface FieldProps extends Control<string>, InputProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly problem?: ApiError | undefined;
  /** Field name in the API, the key in `problem`. */
  readonly name?: string | undefined;
  /** For screen readers only: the values say what it is. */
  readonly isLabelHidden?: boolean;
  readonly options?: Options;
  /** Of a text of several lines. */
  readonly rows?: number;
}

/** A text field, or a selection list, with its label, hint and problem, which describe it. */
export function Field(props: FieldProps) {
  const { label, hint, problem, name, isLabelHidden = false, options, rows, value, onValue, ...input } = props;
  const id = useId();
  const wrong = name === undefined ? [] : (problem?.of(name) ?? []);
  const about = [hint !== undefined && `${id}-hint`, wrong.length > 0 && `${id}-wrong`].filter(Boolean).join(' ');
  const control = {
    ...(input as object),
    ...{ id, name, value },
    ...(about !== '' && { 'aria-describedby': about }),
    ...(wrong.length > 0 && { 'aria-invalid': true }),
  };
  const update = (event: { readonly currentTarget: { readonly value: string } }) => onValue(event.currentTarget.value);
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'unseen' : ''}>
        {label}
      </label>
      {options !== undefined ? (
        <select {...control} onChange={update}>
          {listOptions(options).map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : rows !== undefined ? (
        <textarea rows={rows} {...control} onInput={update} />
      ) : (
        <input type="text" {...control} onInput={update} />
      )}
      {wrong.length > 0 && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong.join('; ')}
        </p>
      )}
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

type CheckProps = Pick<FieldProps, 'hint'> & { readonly label: ComponentChildren; readonly look?: 'check' | 'toggle' };

/** A check box; as a toggle, a setting that is on or off. */
export function CheckField({ label, hint, value, onValue, look = 'check' }: CheckProps & Control<boolean>) {
  const id = useId();
  return (
    <div class={`field ${look}`}>
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

/** Radio buttons as a segmented control; a change applies immediately. @param label name, for screen readers */
export function Choice(props: Pick<FieldProps, 'label'> & Control<string> & { readonly options: Options }) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{props.label}</legend>
      {listOptions(props.options).map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === props.value}
            onChange={() => props.onValue(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Hint({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  if (children === undefined) return null;
  return (
    <p class="hint" id={`${id}-hint`}>
      {children}
    </p>
  );
}
