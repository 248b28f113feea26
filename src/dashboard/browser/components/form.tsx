import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { type Action, runInBackground, useAction, useQuery } from '../query.ts';
import { checkValue, type JsonSchema, readBodySchema } from '../schemas.ts';
import { Button } from './button.tsx';
import { Dialog, type DialogHandlers, Secret, type SecretProps, useToast } from './dialog.tsx';
import { CheckField, Choice, Field, listOptions, type Options } from './field.tsx';
import { ErrorNotice, QueryView } from './page.tsx';

/** A field of a form. What it does not say comes from the schema of the request body, or from the value. */
export interface FieldSpec<T> {
  readonly name: keyof T & string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  /** Values to select from; default: those of the schema. */
  readonly options?: Options;
  /** `lines`: a list of texts, one a line; `code`: a text without spelling, as a host name. */
  readonly kind?: keyof typeof kinds | 'area' | 'lines' | 'check' | 'choice';
  /** What else a text field takes. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Shown only if it holds for the values of the other fields. */
  readonly isShown?: (values: Partial<T>) => boolean;
  /** A control of its own; the value must fit the schema. */
  readonly render?: (control: FieldControl) => ComponentChildren;
}

export interface FieldControl {
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly problem: ApiError | undefined;
}

/** The values of fields, and what is wrong with them. */
export interface FieldState<T> {
  readonly values: Partial<T>;
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
  username: { type: 'email', autocomplete: 'username' },
  password: { type: 'password', autocomplete: 'new-password' },
  'current-password': { type: 'password', autocomplete: 'current-password' },
  url: { type: 'url', autocomplete: 'off', spellcheck: false, placeholder: 'https://' },
  code: { type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: false },
} as const;

interface FieldsProps<T> extends FieldState<T> {
  readonly of: readonly FieldSpec<T>[];
  readonly schema?: JsonSchema;
}

/** Fields by their description. */
export function Fields<T extends object>({ of, values, set, problem, schema }: FieldsProps<T>) {
  return (
    <>
      {of
        .filter(({ isShown }) => isShown === undefined || isShown(values))
        .map((field) => (
          <FieldOf
            key={field.name}
            field={field}
            schema={schema?.properties?.[field.name] ?? {}}
            value={values[field.name]}
            onValue={(value) => set({ [field.name]: value } as Partial<T>)}
            problem={problem}
          />
        ))}
    </>
  );
}

interface FieldOfProps<T> extends FieldControl {
  readonly field: FieldSpec<T>;
  readonly schema: JsonSchema;
}

const longText = 300;

function FieldOf<T>({ field, schema, value, onValue, problem }: FieldOfProps<T>) {
  const { name, label, hint, placeholder, options, kind, input, render } = field;
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
    return (
      <fieldset class="stack tight">
        <legend class="label">{label}</legend>
        {listOptions(choices).map((option) => (
          <CheckField
            key={option.value}
            label={option.label}
            value={value.includes(option.value)}
            onValue={(is) => onValue(is ? [...value, option.value] : value.filter((other) => other !== option.value))}
          />
        ))}
      </fieldset>
    );
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
  const shared = { ...common, ...(placeholder !== undefined && { placeholder }), ...input };
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

interface FormProps<T> {
  /** An action, or the state of `useForm`. */
  readonly action: Action<[]> & Partial<Omit<FieldState<T>, 'problem'>>;
  readonly of?: readonly FieldSpec<T>[];
  readonly schema?: JsonSchema;
  /** Text of the button. */
  readonly submit: string;
  /** Names of further fields that show their own problems. */
  readonly shown?: readonly string[];
  readonly canSubmit?: boolean;
  readonly kind?: 'primary' | 'secondary' | 'danger';
  readonly onCancel?: (() => void) | undefined;
  /** Between the fields and the button. */
  readonly children?: ComponentChildren;
  /** The button is beside the field. */
  readonly isInline?: boolean;
}

/** Fields with a button, and the problems that no field shows. */
export function Form<T extends object>(props: FormProps<T>) {
  const { action, of = [], schema = {}, submit, shown = [], canSubmit = true, kind = 'primary', onCancel } = props;
  const { values = {}, set = () => undefined, problem } = action;
  return (
    <form
      class={props.isInline === true ? 'inline-form' : 'form'}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        runInBackground(action.run());
      }}
    >
      <Fields<T> {...{ of, values, set, problem, schema }} />
      {props.children}
      <ErrorNotice problem={problem} shown={[...of.map(({ name }) => name), ...shown]} />
      <div class="actions">
        {onCancel !== undefined && <Button kind="quiet" onClick={onCancel} label="Cancel" />}
        <Button type="submit" kind={kind} isBusy={action.isRunning} disabled={!canSubmit} label={submit} />
      </div>
    </form>
  );
}

/**
 * The values of a form and what sends them.
 * @param initial by the name of the field in the API
 * @returns `isFilled`: no text is empty
 */
export function useForm<T extends object>(initial: T, send: (values: T) => Promise<void>) {
  const [values, setValues] = useState(initial);
  const action = useAction(() => send(values));
  return {
    ...action,
    values,
    set: (changes: Partial<T>) => setValues((before) => ({ ...before, ...changes })),
    isFilled: Object.values(values).every((value) => typeof value !== 'string' || value.trim() !== ''),
  };
}

/** Tells a password manager which account a password belongs to. */
export function AccountName({ email }: { readonly email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

export interface SchemaFormProps<T extends object, R = unknown> {
  /** The operation whose body it is, like `POST /v1/users`; its schema checks the fields. Without one all values are sent. */
  readonly body?: string;
  readonly fields: readonly FieldSpec<T>[];
  readonly initial?: Partial<T>;
  /** Text of the button. */
  readonly submit: string;
  readonly send: (body: T) => Promise<R>;
  readonly onDone?: (answer: R) => void;
  readonly onCancel?: (() => void) | undefined;
  readonly kind?: 'secondary' | 'danger';
  readonly canSubmit?: (values: Partial<T>) => boolean;
  /** Between the fields and the button. */
  readonly children?: ComponentChildren | ((values: Partial<T>) => ComponentChildren);
}

/** A form from the schema of its request: checks before it sends, and places errors by field. */
export function SchemaForm<T extends object, R = unknown>(props: SchemaFormProps<T, R>) {
  const { body } = props;
  const none = body === undefined ? {} : undefined;
  const schema = useQuery<JsonSchema>(async () => none ?? readBodySchema(body ?? ''), [body], undefined, none);
  return <QueryView of={schema}>{(value) => <LoadedForm {...props} schema={value} />}</QueryView>;
}

function LoadedForm<T extends object, R>(props: SchemaFormProps<T, R> & { readonly schema: JsonSchema }) {
  const { body, schema, fields, initial = {}, send, onDone, canSubmit, children, ...look } = props;
  const start = useRef<HTMLDivElement>(null);
  // A dialog has looked for its first field before the schema was there.
  useEffect(
    () => start.current?.closest('dialog')?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus(),
    [],
  );
  const form = useForm<Partial<T>>(initial, async (values) => {
    const sent = fields.filter(({ isShown }) => isShown === undefined || isShown(values)).map(({ name }) => name);
    const wrong = sent.flatMap((name): [string, string[]][] => {
      const isRequired = schema.required?.includes(name) === true;
      const problem = checkValue(schema.properties?.[name] ?? {}, values[name], isRequired);
      return problem === undefined ? [] : [[name, [problem]]];
    });
    if (wrong.length > 0) throw new ApiError(422, 'Check the marked fields', Object.fromEntries(wrong));
    const entries = sent.map((name) => [name, withoutEmptyLines(values[name])]);
    const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    const answer = await send((body === undefined ? values : given) as T);
    onDone?.(answer);
  });
  return (
    <Form<Partial<T>>
      {...{ action: form, of: fields as readonly FieldSpec<Partial<T>>[], schema, ...look }}
      canSubmit={canSubmit?.(form.values) ?? true}
    >
      <div ref={start} hidden />
      {typeof children === 'function' ? children(form.values) : children}
    </Form>
  );
}

/** A list of lines without those that one has while typing. */
export function withoutEmptyLines(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((line) => typeof line !== 'string')) return value;
  return value.map((line: string) => line.trim()).filter((line) => line !== '');
}

interface FormDialogProps<T extends object, R> extends SchemaFormProps<T, R> {
  readonly title: string;
  /** Above the fields. */
  readonly head?: ComponentChildren;
  /** Said afterwards. */
  readonly done?: string;
  /** Shown afterwards, in place of the form: what no later response contains. */
  readonly secret?: (answer: R) => SecretProps;
}

/** A form in a dialog: `dialog: formDialog({ title, body, fields, submit, send })`. */
export function formDialog<T extends object, R = unknown>(spec: FormDialogProps<T, R>) {
  return (handlers: DialogHandlers) => <FormDialog<T, R> {...spec} {...handlers} />;
}

function FormDialog<T extends object, R>(props: FormDialogProps<T, R> & DialogHandlers) {
  const { title, head, done, secret, onClose, ...form } = props;
  const tell = useToast();
  const [shown, setShown] = useState<SecretProps>();
  const finish = (answer: R) => {
    if (done !== undefined) tell(done);
    if (secret !== undefined) setShown(secret(answer));
    else props.onDone(answer);
  };
  const close = shown === undefined ? onClose : () => props.onDone();
  return (
    <Dialog title={shown?.title ?? title} onClose={close}>
      {shown === undefined ? (
        <>
          {head}
          <SchemaForm<T, R> {...form} onDone={finish} onCancel={onClose} />
        </>
      ) : (
        <Secret {...shown} onClose={close} />
      )}
    </Dialog>
  );
}
