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
  const control = { ...(input as object), ...{ id, name, value }, ...describe({ id, wrong, hint }) };
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
      <Notes {...{ id, wrong, hint }} />
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
        {...describe({ id, hint })}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Notes {...{ id, hint }} />
    </div>
  );
}

interface CheckGroupProps extends Pick<FieldProps, 'label' | 'name' | 'problem'>, Control<readonly string[]> {
  readonly options: Options;
}

/** Check boxes for the values of a list. */
export function CheckGroup({ label, name = '', problem, options, value, onValue }: CheckGroupProps) {
  const id = useId();
  const wrong = problem?.of(name) ?? [];
  return (
    <fieldset class="stack tight" {...describe({ id, wrong })}>
      <legend class="label">{label}</legend>
      {listOptions(options).map((option) => (
        <CheckField
          key={option.value}
          label={option.label}
          value={value.includes(option.value)}
          onValue={(is) => onValue(is ? [...value, option.value] : value.filter((other) => other !== option.value))}
        />
      ))}
      <Notes {...{ id, wrong }} />
    </fieldset>
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

interface NotesProps {
  /** Of the control. */
  readonly id: string;
  readonly wrong?: readonly string[];
  readonly hint?: ComponentChildren;
}

/** What a control says about itself with its notes below it: first what is wrong. */
function describe({ id, wrong = [], hint }: NotesProps) {
  const notes = [wrong.length > 0 && `${id}-wrong`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    ...(notes.length > 0 && { 'aria-describedby': notes.join(' ') }),
    // Else the browser decides, before anything was sent.
    'aria-invalid': wrong.length > 0,
  };
}

function Notes({ id, wrong = [], hint }: NotesProps) {
  return (
    <>
      {wrong.length > 0 && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong.join('; ')}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}
