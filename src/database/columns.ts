import type { Static, TObject, TSchema } from '@sinclair/typebox';

/** SQLite knows numbers and texts: a flag is 0 or 1, a list or an object is JSON. */
export type Column<Value> = Value extends boolean ? number : Value extends object ? string : Value;

export type Columns<Members> = { [Name in keyof Members]: Column<Members[Name]> };

/** A row, or one with lists and objects that are parsed already. */
type Row<Members> = {
  readonly [Name in keyof Members]: Column<Members[Name]> | (Members[Name] extends boolean ? never : Members[Name]);
};

/** @returns the members of a schema, out of the columns of the same names */
export function fromColumns<S extends TObject>(schema: S, row: Row<Static<S>>): Static<S> {
  const columns = new Map<string, unknown>(Object.entries(row));
  const members = Object.entries(schema.properties).map(([name, member]) => [name, parse(member, columns.get(name))]);
  return Object.fromEntries(members) as Static<S>;
}

function parse({ type }: TSchema, value: unknown): unknown {
  if (type === 'boolean') return value === 1;
  return ['array', 'object'].includes(type) && typeof value === 'string' ? JSON.parse(value) : value;
}

/**
 * @param changes undefined members, and those that the schema does not have, are no columns
 * @param before the row that is changed; needed for objects, whose other members stay
 */
export function toColumns<S extends TObject>(
  schema: S,
  changes: { readonly [Name in keyof Static<S>]?: unknown },
  before: object = {},
): Partial<Columns<Static<S>>> {
  const given = new Map<string, unknown>(Object.entries(changes));
  const columns = new Map<string, unknown>(Object.entries(before));
  const updates = Object.entries(schema.properties).flatMap(([name, member]) => {
    const value = given.get(name);
    return value === undefined ? [] : [[name, format(member, value, columns.get(name))]];
  });
  return Object.fromEntries(updates) as Partial<Columns<Static<S>>>;
}

function format(schema: TSchema, value: unknown, before: unknown): unknown {
  if (schema['type'] === 'boolean') return Number(value);
  if (schema['type'] === 'array') return JSON.stringify(value);
  if (schema['type'] !== 'object') return value;
  const changes = Object.entries(value as object).filter(([name]) => Object.hasOwn(schema['properties'], name));
  return JSON.stringify({ ...JSON.parse(String(before ?? '{}')), ...Object.fromEntries(changes) });
}
