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

interface FieldProps {
  readonly label: string;
  /** Explains the value or its effect. */
  readonly hint?: ComponentChildren;
  /** Problem reported by the server. */
  readonly problem?: ApiError | undefined;
  /** Field name in the API, the key in `problem`. */
  readonly name?: string | undefined;
  /** For screen readers only: the values say what it is. */
  readonly isLabelHidden?: boolean;
}

interface Control<V> {
  readonly value: V;
  readonly onValue: (value: V) => void;
}

type TextProps<Tag extends 'input' | 'textarea'> = FieldProps &
  Control<string> &
  Omit<JSX.IntrinsicElements[Tag], 'name' | 'value' | 'onInput'>;

/** A single-line text field. */
export function TextField({ label, hint, problem, name, onValue, ...rest }: TextProps<'input'>) {
  return (
    <Field {...{ label, hint, problem, name }}>
      {(control) => (
        <input type="text" {...rest} {...control} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      )}
    </Field>
  );
}

/** A multi-line text field. */
export function TextArea({ label, hint, problem, name, onValue, ...rest }: TextProps<'textarea'>) {
  return (
    <Field {...{ label, hint, problem, name }}>
      {(control) => <textarea {...rest} {...control} onInput={({ currentTarget }) => onValue(currentTarget.value)} />}
    </Field>
  );
}

/** A selection list. */
export function SelectField(props: FieldProps & Control<string> & { readonly options: Options }) {
  const { value, onValue, options, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <select value={value} {...control} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {listOptions(options).map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
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

interface ControlAttributes {
  readonly id: string;
  readonly name: string | undefined;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

interface FrameProps extends FieldProps {
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

/** A control with its label, hint and problem, which describe it. */
function Field({ label, hint, problem, name, isLabelHidden = false, children }: FrameProps) {
  const id = useId();
  const wrong = name === undefined ? [] : (problem?.of(name) ?? []);
  const about = [hint !== undefined && `${id}-hint`, wrong.length > 0 && `${id}-wrong`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'unseen' : ''}>
        {label}
      </label>
      {children({
        id,
        name,
        ...(about !== '' && { 'aria-describedby': about }),
        ...(wrong.length > 0 && { 'aria-invalid': true }),
      })}
      {wrong.length > 0 && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong.join('; ')}
        </p>
      )}
      <Hint id={id}>{hint}</Hint>
    </div>
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
