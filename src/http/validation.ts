import {
  Kind,
  type SchemaOptions,
  type Static,
  type TLiteral,
  type TObject,
  type TSchema,
  type TUnion,
  Type,
  TypeRegistry,
} from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { AppError, type FieldErrors, invalid, notFound, throwIfInvalid } from '../errors.ts';

/** @throws AppError `validation_failed` with all invalid fields */
export function validate<S extends TSchema>(schema: S, value: unknown): Static<S> {
  throwIfInvalid(findFieldErrors(schema, value));
  return value as Static<S>;
}

/**
 * Parses the query of a URL. An array parameter may be repeated; of any other the last value counts.
 * @throws AppError `validation_failed` with all invalid parameters
 */
export function parseQuery<S extends TObject>(schema: S, request: Request): Static<S> {
  const searchParams = getSearchParams(request);
  const query: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    const values = searchParams.getAll(name).map((text) => coerce(member['items'] ?? member, text));
    if (values.length > 0) query[name] = member['type'] === 'array' ? values : values.at(-1);
  }
  return validate(schema, query);
}

/** Queries and options are text. @returns the number or flag that the schema wants, else the text */
export function coerce(schema: TSchema, text: string): unknown {
  const branches: TSchema[] = schema['anyOf'] ?? [schema];
  const types = branches.map(({ type }) => type);
  if (types.includes('string')) return text;
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  const isNumeric = types.includes('integer') || types.includes('number');
  return isNumeric && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** @returns the problems by field; empty for a valid value */
export function findFieldErrors(schema: TSchema, value: unknown): FieldErrors {
  const check = checks.getOrInsertComputed(schema, () => TypeCompiler.Compile(toTextKind(schema)));
  if (check.Check(value)) return {};
  const errors: FieldErrors = {};
  for (const error of check.Errors(value)) {
    if (!isReported(error)) continue;
    const field = getFieldPath(error.path);
    errors[field] = [...new Set([...(errors[field] ?? []), ...describeError(error)])];
  }
  return errors;
}

const maxUnknownMembers = 20;
const maxNameLength = 100;

/** @returns the paths of members that no schema of a body names, such as `events.0.colour`, at most 20 */
export function findUnknownMembers(schema: TSchema, body: unknown): string[] {
  const unknownMembers: string[] = [];
  const visit = (schemas: readonly TSchema[], value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const branches = schemas.flatMap(listBranches);
    const objects = branches.filter((branch) => branch['type'] === 'object');
    for (const [name, member] of Object.entries(value)) {
      if (unknownMembers.length === maxUnknownMembers) return;
      const known = Array.isArray(value)
        ? branches.flatMap(({ items = [] }) => items as TSchema)
        : objects.flatMap((branch) => findMemberSchemas(branch, name));
      if (known.length > 0) visit(known, member, `${path}${name}.`);
      else if (objects.length > 0 && !Array.isArray(value))
        unknownMembers.push(`${path}${name}`.slice(0, maxNameLength));
    }
  };
  visit([schema], body, '');
  return unknownMembers;
}

function listBranches(schema: TSchema): TSchema[] {
  const parts: TSchema[] | undefined = schema['anyOf'] ?? schema['allOf'];
  return parts === undefined ? [schema] : parts.flatMap(listBranches);
}

function findMemberSchemas({ properties = {}, patternProperties = {}, additionalProperties }: TSchema, name: string) {
  if (Object.hasOwn(properties, name)) return [properties[name] as TSchema];
  const matching = Object.entries(patternProperties as Record<string, TSchema>).filter(([pattern]) =>
    compilePattern(pattern).test(name),
  );
  const others = typeof additionalProperties === 'object' ? [additionalProperties as TSchema] : [];
  return [...matching.map(([, member]) => member), ...others];
}

/** TypeBox counts UTF-16 units and demands known formats; JSON Schema counts code points, and formats are notes. */
const textKind = 'Text';
TypeRegistry.Set<TSchema>(
  textKind,
  (schema, value) => typeof value === 'string' && describeText(schema, value).length === 0,
);

function toTextKind(schema: TSchema): TSchema {
  if (schema[Kind] === 'String') return { ...schema, [Kind]: textKind };
  const copy: TSchema = { ...schema };
  for (const name of ['anyOf', 'allOf', 'items', 'additionalProperties', 'properties', 'patternProperties']) {
    const member: unknown = schema[name];
    if (Array.isArray(member)) copy[name] = member.map(toTextKind);
    else if (name.toLowerCase().endsWith('properties') && name !== 'additionalProperties' && member !== undefined) {
      copy[name] = Object.fromEntries(Object.entries(member as object).map(([key, one]) => [key, toTextKind(one)]));
    } else if (typeof member === 'object') copy[name] = toTextKind(member as TSchema);
  }
  return copy;
}

function describeText({ minLength = 0, maxLength = Infinity, pattern, examples }: TSchema, text: string): string[] {
  const problems: string[] = [];
  const isShort = text.length < 2 * minLength && countCodePoints(text) < minLength;
  if (isShort) problems.push(`must be at least ${formatCount(minLength, 'character')}`);
  const isLong = text.length > maxLength && countCodePoints(text) > maxLength;
  if (isLong) problems.push(`must be at most ${formatCount(maxLength, 'character')}`);
  if (pattern !== undefined && !compilePattern(pattern).test(text)) {
    const [example] = (examples ?? []) as readonly string[];
    problems.push(example === undefined ? `must match pattern "${pattern}"` : `must be like ${example}`);
  }
  return problems;
}

/** Compiled by source; schemas have a fixed set of patterns. */
const patterns = new Map<string, RegExp>();

function compilePattern(source: string): RegExp {
  return patterns.getOrInsertComputed(source, () => new RegExp(source, 'u'));
}

export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A missing member is reported once, not for its type too; an intersection is reported by its parts. */
function isReported({ type, value }: ValueError): boolean {
  if (type === ValueErrorType.ObjectRequiredProperty) return true;
  return value !== undefined && type !== ValueErrorType.Intersect;
}

/** `/events/0/type` → `events.0.type` */
function getFieldPath(path: string): string {
  const parts = path.split('/').slice(1);
  return parts.length === 0 ? 'body' : parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function describeError(error: ValueError): string[] {
  const { type, schema, value } = error;
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return ['is required'];
    case ValueErrorType.Union:
      return describeUnionError(error);
    case ValueErrorType.Literal:
      return [`must be ${schema['const']}`];
    case ValueErrorType.ArrayMinItems:
      return [`must have at least ${formatCount(schema['minItems'], 'item')}`];
    case ValueErrorType.ArrayMaxItems:
      return [`must have at most ${formatCount(schema['maxItems'], 'item')}`];
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return [`must be at least ${schema['minimum']}`];
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return [`must be at most ${schema['maximum']}`];
    case ValueErrorType.Kind:
      return typeof value === 'string' ? describeText(schema, value) : ['must be a string'];
    default:
      return [`must be ${typeNames[schema['type']] ?? schema['type']}`];
  }
}

function describeUnionError({ errors }: ValueError): string[] {
  const branches = errors.flatMap((branch) => [...branch]).filter(isReported);
  // A branch of the right type has the most helpful error.
  const closest = branches.find((error) => error.type !== ValueErrorType.Literal && !isWrongType(error));
  if (closest !== undefined) return describeError(closest);
  const values = branches.filter(({ type }) => type === ValueErrorType.Literal);
  const types = branches.filter((error) => isWrongType(error) && error.type !== ValueErrorType.Null);
  const options = [
    ...values.map(({ schema }) => String(schema['const'])),
    ...types.map(({ schema }) => typeNames[schema['type']]),
  ];
  const last = options.pop() ?? 'null';
  return [`must be ${options.length === 0 ? last : `${options.join(', ')} or ${last}`}`];
}

function isWrongType({ type, schema, value }: ValueError): boolean {
  if (type === ValueErrorType.Kind) return typeof value !== 'string';
  return ValueErrorType[type]?.toLowerCase() === schema['type'];
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
  null: 'null',
};

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export const Timestamp = Type.String({ description: 'ISO 8601, UTC' });

export function nullable<S extends TSchema>(schema: S, options?: SchemaOptions) {
  return Type.Union([schema, Type.Null()], options);
}

/** Schema of fixed values with their literal types. */
export function literalUnion<const V extends readonly (string | number)[]>(values: V, options?: SchemaOptions) {
  const schema = Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
  return schema as unknown as TUnion<{ -readonly [K in keyof V]: TLiteral<V[K]> }>;
}

/** Most polls have no query, and parsing a URL is expensive. */
const emptyQuery = new URLSearchParams();

function getSearchParams({ url }: Request): URLSearchParams {
  const start = url.indexOf('?');
  return start === -1 ? emptyQuery : new URLSearchParams(url.slice(start));
}

/** @returns the last value of a query parameter, not validated */
export function getQueryParam(request: Request, name: string): string | undefined {
  return getSearchParams(request).getAll(name).at(-1);
}

/** @param thing whose id it is, with its problem as for `notFound`: an invalid id is answered as an unknown one */
export function parseId(param: string, thing?: string, problem?: string): number {
  if (!/^\d{1,15}$/.test(param))
    throw thing === undefined ? new AppError('not_found') : notFound(thing, param, problem);
  return Number(param);
}

const iso8601 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Parses an ISO 8601 date, or date and time; without an offset it is UTC. Offsets may lack the colon, as in PHP.
 * @returns UTC with milliseconds; undefined if invalid or no existing day
 */
export function parseIsoTimestamp(text: string): string | undefined {
  const [, day = '', time = '', , , offset = ''] = iso8601.exec(text) ?? [];
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
export function parsePrimaryLanguage(text: string): string | undefined {
  return /^([a-z]{2,3})([-_][a-z0-9]{2,8})*$/i.exec(text)?.[1]?.toLowerCase();
}

/** @throws AppError `validation_failed` unless it is a date, or date and time, of `parseIsoTimestamp` */
export function requireTimestamp(field: string, text: string): string {
  const moment = parseIsoTimestamp(text);
  if (moment !== undefined) return moment;
  throw invalid(field, 'must be an ISO 8601 date and time');
}

/** @returns the primary code of the field `language`. @throws AppError `validation_failed` for another text */
export function requireLanguage(text: string): string {
  const language = parsePrimaryLanguage(text);
  if (language !== undefined) return language;
  throw invalid('language', 'must be a language code such as en or de');
}

/** @returns the field `name` without spaces around it. @throws AppError `validation_failed` if nothing is left */
export function requireName(text: string): string {
  const name = text.trim();
  if (name !== '') return name;
  throw invalid('name', 'must not be blank');
}

/** @throws AppError `validation_failed` unless it is a date such as `2026-11-21` */
export function validateDay(field: string, day: string): void {
  const moment = new Date(`${day}T00:00Z`);
  const isDay = !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === day;
  if (isDay) return;
  throw invalid(field, 'must be a date such as 2026-11-21');
}
