import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { readBodySchemas } from '../../body-schemas.ts' with { type: 'macro' };
import type { BodyName, BodySchema, FieldSchema } from '../../body-schemas.ts';
import { ApiError } from '../api.ts';
import { type Action, runInBackground, useAction } from '../query.ts';
import { Button } from './button.tsx';
import { Dialog, type DialogHandlers, SecretDialog, type SecretProps, toast } from './dialog.tsx';
import { CheckField, CheckGroup, Choice, Field, listOptions, type Options } from './field.tsx';
import { ErrorNotice } from './page.tsx';

const bodySchemas = readBodySchemas();

/** A field of a form. Missing properties are derived from the schema of the request body, or from the value. */
interface FieldSpec<T> {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  /** Values to select from; default: those of the schema. */
  readonly options?: Options;
  /** `lines`: a list of texts, one a line; `code`: a text without spelling, as a host name. */
  readonly kind?: keyof typeof kinds | 'area' | 'lines' | 'check' | 'choice';
  /** Further attributes of a text field. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Shown only if it holds for the values of the other fields. */
  readonly isShown?: (values: T) => boolean;
  /** A control of its own; the value must fit the schema. */
  readonly render?: (control: FieldControl) => ComponentChildren;
}

/** Fields in their order, by their names in the API. */
export type FieldSpecs<T> = { readonly [Name in keyof T]?: FieldSpec<T> };

export interface FieldControl {
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly problem: ApiError | undefined;
}

/** The values of fields, and what is wrong with them. */
interface FieldState<T> {
  readonly values: T;
  readonly set: (changes: Partial<T>) => void;
  readonly problem: ApiError | undefined;
}

/** Attributes of a single-line text field. */
const kinds = {
  text: { type: 'text', autocomplete: 'off' },
  number: { type: 'number' },
  date: { type: 'date' },
  'datetime-local': { type: 'datetime-local' },
  email: { type: 'email', autocomplete: 'off' },
  username: { type: 'email', autocomplete: 'username', 'aria-required': true },
  password: { type: 'password', autocomplete: 'new-password', 'aria-required': true },
  'current-password': { type: 'password', autocomplete: 'current-password', 'aria-required': true },
  url: { type: 'url', autocomplete: 'off', spellcheck: false, placeholder: 'https://' },
  code: { type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: false },
} as const;

interface FieldsProps<T> extends FieldState<T> {
  readonly of: FieldSpecs<T>;
  readonly schema?: BodySchema | undefined;
}

/** Fields by their description. */
export function Fields<T extends object>({ of, values, set, problem, schema }: FieldsProps<T>) {
  return (
    <>
      {listShown(of, values).map(([name, field]) => (
        <FieldOf
          key={name}
          {...{ name, field, problem }}
          schema={schema?.properties[name] ?? {}}
          isRequired={schema?.required?.includes(name)}
          value={values[name]}
          onValue={(value) => set({ [name]: value } as Partial<T>)}
        />
      ))}
    </>
  );
}

interface FieldGroupProps {
  /** For screen readers. */
  readonly label: string;
  readonly isDisabled: boolean;
  readonly children: ComponentChildren;
}

/** Fields that are disabled together, for those who may only read. */
export function FieldGroup({ label, isDisabled, children }: FieldGroupProps) {
  return (
    <fieldset class="form" disabled={isDisabled}>
      <legend class="unseen">{label}</legend>
      {children}
    </fieldset>
  );
}

function listShown<T>(fields: FieldSpecs<T>, values: T) {
  const all = Object.entries(fields) as [keyof T & string, FieldSpec<T>][];
  return all.filter(([, { isShown }]) => isShown === undefined || isShown(values));
}

interface FieldOfProps<T> extends FieldControl {
  readonly name: string;
  readonly field: FieldSpec<T>;
  readonly schema: FieldSchema;
  readonly isRequired: boolean | undefined;
}

const longText = 300;

function FieldOf<T>({ name, field, schema, isRequired, value, onValue, problem }: FieldOfProps<T>) {
  const { label, hint, placeholder, options, kind, input, render } = field;
  if (render !== undefined) return <>{render({ value, onValue, problem })}</>;
  if (schema.type === 'boolean' || typeof value === 'boolean') {
    const look = kind === 'check' ? 'check' : 'toggle';
    return <CheckField label={label} hint={hint} look={look} value={value === true} onValue={onValue} />;
  }
  const isNumber = schema.type === 'integer' || schema.type === 'number' || typeof value === 'number';
  // Without a schema an empty field is 0: no limit.
  const nothing = schema.type === undefined ? 0 : schema.isNullable === true ? null : undefined;
  const toValue = (given: string) => (!isNumber ? given : given === '' ? nothing : Number(given));
  const text = value === undefined || value === null || (isNumber && value === nothing) ? '' : String(value);
  const common = { name, label, hint, problem };
  const choices = options ?? schema.enum?.map((value) => ({ value: String(value), label: String(value) }));
  const choose = (given: string) => onValue(given === '' && isNumber ? nothing : toValue(given));
  if (choices !== undefined && Array.isArray(value)) {
    return <CheckGroup {...common} options={choices} value={value} onValue={onValue} />;
  }
  if (choices !== undefined && kind === 'choice') {
    return (
      <div>
        <span class="label" aria-hidden="true">
          {label}
        </span>
        <Choice label={label} options={withValue(choices, text)} value={text} onValue={choose} />
      </div>
    );
  }
  if (choices !== undefined) {
    return <Field {...common} options={withValue(choices, text)} value={text} onValue={choose} />;
  }
  const shared = {
    ...common,
    ...(placeholder !== undefined && { placeholder }),
    ...(isRequired === true && { 'aria-required': true }),
    ...input,
  };
  if (kind === 'lines' || schema.type === 'array' || Array.isArray(value)) {
    const lines = Array.isArray(value) ? value.join('\n') : '';
    return (
      <Field
        {...{ rows: 3, spellcheck: false, autocapitalize: 'off' }}
        {...shared}
        value={lines}
        onValue={(given) => onValue(given === '' ? [] : given.split('\n'))}
      />
    );
  }
  if (kind === 'area' || (kind === undefined && (schema.maxLength ?? 0) > longText)) {
    return <Field rows={4} {...shared} value={text} onValue={onValue} />;
  }
  const usual = isNumber ? 'number' : schema.format === 'email' ? 'email' : 'text';
  const look = kind === undefined || kind === 'check' || kind === 'choice' ? usual : kind;
  return <Field {...kinds[look]} {...shared} value={text} onValue={(given) => onValue(toValue(given))} />;
}

/** With the present value, whatever it is. */
function withValue(options: Options, value: string): Options {
  const all = listOptions(options);
  if (all.some((option) => option.value === value)) return all;
  return value === '' ? [{ value, label: 'Select…' }, ...all] : [...all, { value, label: value }];
}

export interface FormSpec<T extends object, R> {
  /** The body that is sent; its schema checks the fields. Without one all values are sent. */
  readonly body?: BodyName;
  readonly fields: NoInfer<FieldSpecs<T>>;
  readonly initial: T;
  readonly send: (body: T) => Promise<R>;
  /** Message after success. */
  readonly done?: string;
  readonly onDone?: (result: R) => void;
}

/** The values of a form, and what sends them. */
export interface FormState<T extends object> extends Action<[]>, FieldState<T> {
  readonly fields: FieldSpecs<T>;
  readonly schema: BodySchema | undefined;
}

/** A form from the schema of its request: checks before it sends, and places errors by field. */
export function useForm<T extends object, R>(spec: FormSpec<T, R>): FormState<T> {
  const { body, fields, initial, send, done, onDone } = spec;
  const schema = body && bodySchemas[body];
  const [values, setValues] = useState(initial);
  const action = useAction(async () => {
    const { properties = {}, required = [] } = schema ?? {};
    const sent = listShown(fields, values).map(([name]) => name);
    const wrong = sent.flatMap((name): [string, string[]][] => {
      const problem = checkValue(properties[name] ?? {}, values[name], required.includes(name));
      return problem === undefined ? [] : [[name, [problem]]];
    });
    if (wrong.length > 0) throw new ApiError(422, 'Check the marked fields', Object.fromEntries(wrong));
    const entries = sent.map((name) => [name, withoutEmptyLines(values[name])]);
    const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    const result = await send((body === undefined ? values : given) as T);
    if (done !== undefined) toast(done);
    onDone?.(result);
  });
  return {
    ...{ ...action, fields, schema, values },
    set: (changes) => setValues((before) => ({ ...before, ...changes })),
  };
}

/** @returns whether no text is empty */
export function isFilled(values: object): boolean {
  return Object.values(values).every((value) => typeof value !== 'string' || value.trim() !== '');
}

/** @returns what is wrong with a value, in the words of the server; undefined: nothing */
function checkValue(schema: FieldSchema, value: unknown, isRequired: boolean): string | undefined {
  if (value === undefined || value === '' || value === null) return isRequired ? 'is missing' : undefined;
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity } = schema;
  if (typeof value === 'string') {
    if (value.length < minLength) return `must be at least ${minLength} characters`;
    if (value.length > maxLength) return `must be at most ${maxLength} characters`;
  }
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'must be a number';
    if (value < minimum) return `must be at least ${minimum}`;
    if (value > maximum) return `must be at most ${maximum}`;
  }
  return undefined;
}

/** A list of lines without those that one has while typing. */
export function withoutEmptyLines(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((line) => typeof line !== 'string')) return value;
  return value.map((line: string) => line.trim()).filter((line) => line !== '');
}

interface FormLook<T> {
  readonly submit: string;
  readonly kind?: 'secondary';
  readonly canSubmit?: ((values: T) => boolean) | undefined;
  readonly onCancel?: () => void;
}

interface FormProps<T extends object> extends FormLook<T> {
  readonly of: FormState<T>;
  /** Names of further fields that show their own problems. */
  readonly shown?: readonly string[];
  /** Between the fields and the button. */
  readonly children?: ComponentChildren;
  /** The button is beside the field. */
  readonly isInline?: boolean;
}

/** Fields with a button, and the problems that no field shows. */
export function Form<T extends object>(props: FormProps<T>) {
  const { of, shown = [], submit, kind = 'primary', canSubmit, onCancel, children, isInline = false } = props;
  const { fields, values, problem, isRunning } = of;
  return (
    <form
      class={isInline ? 'inline-form' : 'form'}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        runInBackground(of.run());
      }}
    >
      <Fields {...of} of={fields} />
      {children}
      <ErrorNotice problem={problem} shown={[...Object.keys(fields), ...shown]} />
      <div class="actions">
        {onCancel !== undefined && <Button kind="quiet" onClick={onCancel} label="Cancel" />}
        <Button type="submit" kind={kind} isBusy={isRunning} disabled={canSubmit?.(values) === false} label={submit} />
      </div>
    </form>
  );
}

/** Tells a password manager which account a password belongs to. */
export function AccountName({ email }: { readonly email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

interface FormDialogSpec<T extends object, R> extends FormSpec<T, R>, FormLook<T> {
  readonly title: string;
  /** Above the fields. */
  readonly head?: ComponentChildren;
  /** Shown in place of the form after success: a value that no later response contains. */
  readonly secret?: (result: R) => SecretProps;
  /** Between the fields and the button. */
  readonly children?: (values: T) => ComponentChildren;
}

/** A form in a dialog: `dialog: formDialog({ title, body, fields, submit, send })`. */
export function formDialog<T extends object, R = unknown>(spec: FormDialogSpec<T, R>) {
  return (handlers: DialogHandlers) => <FormDialog<T, R> spec={spec} {...handlers} />;
}

interface FormDialogProps<T extends object, R> extends DialogHandlers {
  readonly spec: FormDialogSpec<T, R>;
}

function FormDialog<T extends object, R>({ spec, onClose, onDone }: FormDialogProps<T, R>) {
  const { title, head, secret, submit, canSubmit, children } = spec;
  const [shown, setShown] = useState<SecretProps>();
  const finish = (result: R) => (secret === undefined ? onDone() : setShown(secret(result)));
  const form = useForm<T, R>({ ...spec, onDone: finish });
  if (shown !== undefined) return <SecretDialog {...shown} onClose={onDone} />;
  return (
    <Dialog title={title} about={head} onClose={onClose}>
      <Form of={form} {...{ submit, canSubmit, onCancel: onClose }}>
        {children?.(form.values)}
      </Form>
    </Dialog>
  );
}
