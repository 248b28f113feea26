import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { useAction, useQuery } from '../query.ts';
import { checkValue, type JsonSchema, readBodySchema } from '../schemas.ts';
import { Dialog } from './dialog.tsx';
import { SelectField, TextArea, TextField, Toggle } from './field.tsx';
import { Form } from './form.tsx';
import { QueryView } from './query-view.tsx';

/** A field of a form. Its kind and its limits come from the schema of the request body. */
export interface SchemaField<B> {
  readonly name: keyof B & string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Labels of an enum's values, or values that the schema does not know. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** `lines`: a list of texts, one a line. Default: by the schema. */
  readonly kind?: 'text' | 'area' | 'lines' | 'password' | 'current-password' | 'email' | 'url' | 'date';
  /** Shown only if it holds for the values of the other fields. */
  readonly isShown?: (values: Partial<B>) => boolean;
  /** A control of its own; the value must fit the schema. */
  readonly render?: (control: {
    readonly value: unknown;
    readonly onValue: (value: unknown) => void;
    readonly problem: ApiError | undefined;
  }) => ComponentChildren;
}

export interface SchemaFormProps<B extends object> {
  /** The operation whose body it is, like `POST /v1/users`. */
  readonly body: string;
  readonly fields: readonly SchemaField<B>[];
  readonly initial?: Partial<B>;
  /** Text of the button. */
  readonly submit: string;
  readonly send: (body: B) => Promise<unknown>;
  readonly onDone?: () => void;
  readonly onCancel?: (() => void) | undefined;
  /** Between the fields and the button. */
  readonly children?: ComponentChildren;
}

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Above the fields. */
  readonly head?: ComponentChildren;
}

/** A form from the schema of its request: checks before it sends, and places errors by field. */
export function SchemaForm<B extends object>(props: SchemaFormProps<B>) {
  const schema = useQuery(() => readBodySchema(props.body), [props.body]);
  return <QueryView of={schema}>{(value) => <LoadedForm {...props} schema={value} />}</QueryView>;
}

/** A form in a dialog. */
export function FormDialog<B extends object>(props: SchemaFormProps<B> & FormDialogProps) {
  const { title, head, onClose, ...form } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {head}
      <SchemaForm<B> {...form} onCancel={onClose} />
    </Dialog>
  );
}

function LoadedForm<B extends object>(props: SchemaFormProps<B> & { readonly schema: JsonSchema }) {
  const { schema, fields, initial = {}, submit, send, onDone, onCancel, children } = props;
  const [values, setValues] = useState<Partial<B>>(initial);
  const start = useRef<HTMLDivElement>(null);
  // A dialog has looked for its first field before the schema was there.
  useEffect(
    () => start.current?.closest('dialog')?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus(),
    [],
  );
  const shown = fields.filter(({ isShown }) => isShown === undefined || isShown(values));
  const action = useAction(async () => {
    const wrong = shown.flatMap(({ name }): [string, string[]][] => {
      const own = schema.properties?.[name] ?? {};
      const problem = checkValue(own, values[name], schema.required?.includes(name) === true);
      return problem === undefined ? [] : [[name, [problem]]];
    });
    if (wrong.length > 0) throw new ApiError(422, 'Check the marked fields', Object.fromEntries(wrong));
    const entries = shown.map(({ name }) => [name, values[name]]).filter(([, value]) => value !== undefined);
    await send(Object.fromEntries(entries) as B);
    onDone?.();
  });
  return (
    <Form action={action} submit={submit} fields={shown.map(({ name }) => name)} onCancel={onCancel}>
      <div ref={start} hidden />
      {shown.map((field) => (
        <SchemaControl
          key={field.name}
          field={field}
          schema={schema.properties?.[field.name] ?? {}}
          value={values[field.name]}
          onValue={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          problem={action.problem}
        />
      ))}
      {children}
    </Form>
  );
}

interface ControlProps<B> {
  readonly field: SchemaField<B>;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly problem: ApiError | undefined;
}

const longText = 300;

function SchemaControl<B>({ field, schema, value, onValue, problem }: ControlProps<B>) {
  const { name, label, hint, options, kind, render } = field;
  if (render !== undefined) return <>{render({ value, onValue, problem })}</>;
  const common = { name, label, problem, hint };
  if (schema.type === 'boolean') {
    return <Toggle label={label} hint={hint} isChecked={value === true} onChecked={onValue} />;
  }
  const choices = options ?? schema.enum?.map((one) => ({ value: String(one), label: String(one) }));
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  const toValue = (given: string) => (given === '' ? undefined : isNumeric(schema) ? Number(given) : given);
  if (choices !== undefined) {
    const all = text === '' ? [{ value: '', label: 'Select…' }, ...choices] : choices;
    return <SelectField {...common} value={text} onValue={(given) => onValue(toValue(given))} options={all} />;
  }
  if (kind === 'lines' || schema.type === 'array') {
    const lines = Array.isArray(value) ? value.join('\n') : '';
    return (
      <TextArea
        {...common}
        problem={problemOfItems(problem, name)}
        rows={3}
        spellcheck={false}
        value={lines}
        onValue={(given) =>
          onValue(given.split('\n').filter((line, at, all) => line.trim() !== '' || at === all.length - 1))
        }
      />
    );
  }
  if (kind === 'area' || (kind === undefined && (schema.maxLength ?? 0) > longText)) {
    return <TextArea {...common} rows={4} value={text} onValue={onValue} />;
  }
  const type = kind ?? (isNumeric(schema) ? 'number' : schema.format === 'email' ? 'email' : 'text');
  return (
    <TextField
      {...common}
      type={type === 'current-password' ? 'password' : type}
      autoComplete={type === 'password' ? 'new-password' : type === 'current-password' ? type : 'off'}
      value={text}
      onValue={(given) => onValue(isNumeric(schema) ? toValue(given) : given)}
    />
  );
}

function isNumeric({ type }: JsonSchema): boolean {
  return type === 'integer' || type === 'number';
}

/** The server names the item of a list: `domains.0`, `domains[0]` or `domain`. They are shown at the field. */
function problemOfItems(problem: ApiError | undefined, name: string): ApiError | undefined {
  if (problem === undefined) return undefined;
  const stem = name.replace(/s$/, '');
  const wrong = Object.entries(problem.fields).filter(([field]) => new RegExp(`^${stem}s?\\b`).test(field));
  return new ApiError(problem.status, problem.message, { [name]: wrong.flatMap(([, problems]) => problems) });
}
