import {
  type SchemaOptions,
  type Static,
  type TLiteral,
  type TObject,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { AppError, type FieldErrors, invalid } from '../errors.ts';

const ajvOptions = { allErrors: true, strict: false, validateFormats: false, verbose: true };
/** Bodies are taken as they are. */
const bodyAjv = new Ajv(ajvOptions);
/** All of a query is text: numbers and flags are read out of it. */
const queryAjv = new Ajv({ ...ajvOptions, coerceTypes: true });

/**
 * Lengths are counted in code points, as JSON Schema has it.
 * @throws AppError `validation_failed` naming every field that is wrong
 */
export function validate<S extends TSchema>(schema: S, value: unknown): Static<S> {
  return validateWith(bodyAjv, schema, value);
}

/**
 * Reads the query of an address. A member that is an array may be given several times, any other once: its last value counts.
 * @throws AppError `validation_failed` naming every parameter that is wrong
 */
export function parseQuery<S extends TObject>(schema: S, request: Request): Static<S> {
  const searchParams = getSearchParams(request);
  const given: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    const values = searchParams.getAll(name);
    if (values.length > 0) given[name] = member['type'] === 'array' ? values : values.at(-1);
  }
  return validateWith(queryAjv, schema, given);
}

/** @returns per field what is wrong with it; empty when nothing is */
export function findFieldErrors(schema: TSchema, value: unknown): FieldErrors {
  return collectFieldErrors(bodyAjv.compile(schema), value);
}

/** Ajv remembers by itself what it has compiled. */
function validateWith<S extends TSchema>(ajv: Ajv, schema: S, value: unknown): Static<S> {
  const found = collectFieldErrors(ajv.compile(schema), value);
  if (Object.keys(found).length === 0) return value as Static<S>;
  throw new AppError('validation_failed', 'Validation failed', found);
}

function collectFieldErrors(check: ValidateFunction, value: unknown): FieldErrors {
  if (check(value)) return {};
  const errors = check.errors ?? [];
  const found: FieldErrors = {};
  for (const error of errors.filter((one) => !isUnionBranch(one, errors))) {
    const field = getFieldPath(error);
    const problem = describeError(error, errors);
    const known = found[field];
    if (known === undefined) found[field] = [problem];
    else if (!known.includes(problem)) known.push(problem);
  }
  return found;
}

/** One of the alternatives of a union: the union speaks for it. */
function isUnionBranch(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  return errors.some(
    (union) => union.keyword === 'anyOf' && union !== error && error.schemaPath.startsWith(`${union.schemaPath}/`),
  );
}

/** `/events/0/type` → `events.0.type` */
function getFieldPath({ instancePath, keyword, params }: ErrorObject): string {
  const parts = instancePath.split('/').slice(1);
  if (keyword === 'required') parts.push(String(params['missingProperty']));
  return parts.length === 0 ? 'body' : parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function describeError(error: ErrorObject, errors: readonly ErrorObject[]): string {
  const { keyword, params } = error;
  if (keyword === 'anyOf') return describeUnionError(error, errors);
  if (keyword === 'required') return 'is required';
  if (keyword === 'type') return `must be ${typeName(params['type'])}`;
  if (keyword === 'const') return `must be ${String(params['allowedValue'])}`;
  if (keyword === 'minLength') return `must be at least ${formatCount(params['limit'], 'character')}`;
  if (keyword === 'maxLength') return `must be at most ${formatCount(params['limit'], 'character')}`;
  if (keyword === 'minItems') return `must have at least ${formatCount(params['limit'], 'item')}`;
  if (keyword === 'maxItems') return `must have at most ${formatCount(params['limit'], 'item')}`;
  if (keyword === 'minimum') return `must be at least ${params['limit']}`;
  if (keyword === 'maximum') return `must be at most ${params['limit']}`;
  return error.message ?? 'is invalid';
}

function describeUnionError(union: ErrorObject, errors: readonly ErrorObject[]): string {
  const branches = errors.filter((one) => one.schemaPath.startsWith(`${union.schemaPath}/`));
  // A value of the right type says more than that it isn't null either.
  const closest = branches.find(({ keyword }) => keyword !== 'type' && keyword !== 'const');
  if (closest !== undefined) return describeError(closest, errors);
  const values = branches.filter(({ keyword }) => keyword === 'const');
  const types = branches
    .filter(({ keyword, params }) => keyword === 'type' && params['type'] !== 'null')
    // A fixed value says its type too.
    .filter(({ schemaPath }) => !values.some((one) => isSameBranch(one.schemaPath, schemaPath)));
  const options = [
    ...values.map(({ params }) => String(params['allowedValue'])),
    ...types.map(({ params }) => typeName(params['type'])),
  ];
  const last = options.pop() ?? 'null';
  return `must be ${options.length === 0 ? last : `${options.join(', ')} or ${last}`}`;
}

function isSameBranch(one: string, other: string): boolean {
  return one.slice(0, one.lastIndexOf('/')) === other.slice(0, other.lastIndexOf('/'));
}

function typeName(type: unknown): string {
  const names: Record<string, string> = {
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    array: 'an array',
    object: 'a JSON object',
    null: 'null',
  };
  return names[String(type)] ?? String(type);
}

function formatCount(count: unknown, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A schema of fixed values, of which the type knows each. */
export function literalUnion<const V extends readonly (string | number)[]>(values: V, options?: SchemaOptions) {
  const schema = Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
  return schema as unknown as TUnion<{ -readonly [K in keyof V]: TLiteral<V[K]> }>;
}

/** Polls have none, mostly, and an address is dear to take apart. */
const emptyQuery = new URLSearchParams();

/** @returns what stands behind the `?` of a request's address */
function getSearchParams({ url }: Request): URLSearchParams {
  const start = url.indexOf('?');
  return start === -1 ? emptyQuery : new URLSearchParams(url.slice(start));
}

/** @returns a value of a request's query, unchecked; the last one when it is given several times */
export function getQueryParam(request: Request, name: string): string | undefined {
  return getSearchParams(request).getAll(name).at(-1);
}

/**
 * A row's id out of a path.
 * @param unknown what is thrown for a text that can be no id: the same as where there is no such row
 */
export function parseId(
  param: string,
  unknown: (param: string) => AppError = () => new AppError('not_found', 'Not found'),
): number {
  if (!/^\d{1,15}$/.test(param)) throw unknown(param);
  return Number(param);
}

const iso8601 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads an ISO 8601 date, or date and time; without an offset it is UTC.
 * @returns it in UTC to the millisecond; undefined when it is none, or names a day that doesn't exist
 */
export function parseIsoTimestamp(given: string): string | undefined {
  const [, day = '', time = '', , , offset = ''] = iso8601.exec(given) ?? [];
  if (day === '' || (time === '' && offset !== '')) return undefined;
  // `Date` takes 30 February for 2 March.
  const midnight = new Date(`${day}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const moment = new Date(`${day}${time || 'T00:00'}${offset || 'Z'}`);
  if (Number.isNaN(moment.getTime())) return undefined;
  const inUtc = moment.toISOString();
  // An offset may push it out of the years that sort as text.
  return inUtc.length === 'YYYY-MM-DDThh:mm:ss.sssZ'.length ? inUtc : undefined;
}

/** @returns the BCP 47 primary code in lower case (`en-US` → `en`); undefined when it is no language code */
export function parsePrimaryLanguage(given: string): string | undefined {
  return /^([a-z]{2,3})([-_][a-z0-9]{2,8})*$/i.exec(given)?.[1]?.toLowerCase();
}

/** Checks a day that stands in a query, like `2026-11-21`. @throws AppError `validation_failed` */
export function validateDay(field: string, day: string): void {
  const moment = new Date(`${day}T00:00Z`);
  const isDay = !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === day;
  if (isDay) return;
  throw invalid(field, 'must be a date such as 2026-11-21');
}
