import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ApiError } from '../api.ts';

interface FieldProps {
  readonly label: string;
  /** Explains the value or its effect. */
  readonly hint?: ComponentChildren;
  /** Problem reported by the server. */
  readonly problem?: ApiError | undefined;
  /** Field name in the API, the key in `problem`. */
  readonly name?: string;
}

type TextProps<Tag extends 'input' | 'textarea'> = FieldProps &
  Omit<JSX.IntrinsicElements[Tag], 'name' | 'value' | 'onInput'> & {
    readonly value: string;
    readonly onValue: (value: string) => void;
  };

/** A single-line text field. */
export function TextField({ label, hint, problem, name, onValue, ...rest }: TextProps<'input'>) {
  const { control, ...frame } = useField(hint, problem, name);
  return (
    <Field label={label} {...frame}>
      <input type="text" {...rest} {...control} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
    </Field>
  );
}

/** A multi-line text field. */
export function TextArea({ label, hint, problem, name, onValue, ...rest }: TextProps<'textarea'>) {
  const { control, ...frame } = useField(hint, problem, name);
  return (
    <Field label={label} {...frame}>
      <textarea {...rest} {...control} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
    </Field>
  );
}

type SelectProps = FieldProps & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly disabled?: boolean;
  /** For screen readers only: the values say what it is. */
  readonly isLabelHidden?: boolean;
};

/** A selection list. */
export function SelectField(props: SelectProps) {
  const { label, hint, problem, name, value, onValue, options, disabled = false, isLabelHidden = false } = props;
  const { control, ...frame } = useField(hint, problem, name);
  return (
    <Field label={label} {...frame} isLabelHidden={isLabelHidden}>
      <select
        value={value}
        disabled={disabled}
        {...control}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface CheckProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChecked: (isChecked: boolean) => void;
  readonly disabled?: boolean;
  readonly look?: 'check' | 'toggle';
}

/** A setting that is on or off. */
export function Toggle(props: CheckProps) {
  return <CheckField {...props} look="toggle" />;
}

/** A check box. */
export function CheckField({ label, hint, isChecked, onChecked, disabled = false, look = 'check' }: CheckProps) {
  const id = useId();
  return (
    <div class={`field ${look}`}>
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

interface ChoiceProps {
  /** Name of the group, for screen readers. */
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: ComponentChildren }[];
  readonly onValue: (value: string) => void;
}

/** Radio buttons as a segmented control; a change applies immediately. */
export function Choice({ label, value, options, onValue }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** @returns the properties of a control that its label, hint and problem describe, and those of its frame */
function useField(hint: ComponentChildren, problem: ApiError | undefined, name: string | undefined) {
  const id = useId();
  const wrong = name === undefined ? [] : (problem?.fields[name] ?? []);
  const about = [...(hint === undefined ? [] : [`${id}-hint`]), ...(wrong.length === 0 ? [] : [`${id}-wrong`])];
  const control = {
    id,
    name,
    ...(about.length === 0 ? {} : { 'aria-describedby': about.join(' ') }),
    ...(wrong.length === 0 ? {} : { 'aria-invalid': true }),
  };
  return { control, id, hint, wrong };
}

interface FrameProps extends Omit<ReturnType<typeof useField>, 'control'> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly children: ComponentChildren;
}

function Field({ label, hint, id, wrong, isLabelHidden = false, children }: FrameProps) {
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'unseen' : ''}>
        {label}
      </label>
      {children}
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
