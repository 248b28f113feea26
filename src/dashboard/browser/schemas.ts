import { fetchApi } from './api.ts';

/** What the dashboard reads of a JSON Schema. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $ref?: string;
  /** A field without a value sends null. Not part of the schema: `null` was one of its types. */
  readonly isNullable?: boolean;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

let document: Promise<OpenApiDocument> | undefined;

/**
 * The schema of a request body, as the server checks it: schemas are written once, in the server.
 * @param operation like `POST /v1/users` or `PATCH /v1/sites/{site}`
 */
export async function readBodySchema(operation: string): Promise<JsonSchema> {
  document ??= fetchApi('/openapi.json').then((answer) => answer.json() as Promise<OpenApiDocument>);
  const { paths, components } = await document.catch((error: unknown) => {
    document = undefined;
    throw error;
  });
  const [method = '', path = ''] = operation.split(' ');
  const given = paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  if (given === undefined) throw new Error(`${operation} has no JSON body`);
  return resolveRefs(given, components.schemas);
}

/** Replaces references, at the top and for its properties. */
function resolveRefs(schema: JsonSchema, all: OpenApiDocument['components']['schemas']): JsonSchema {
  const resolve = (one: JsonSchema): JsonSchema => {
    const name = one.$ref?.split('/').at(-1);
    return name === undefined ? one : resolve(all[name] ?? {});
  };
  const { properties = {}, ...rest } = resolve(schema);
  const resolved = Object.entries(properties).map(([name, one]) => [name, withoutNull(resolve(one), resolve)]);
  return { ...rest, properties: Object.fromEntries(resolved) };
}

/** `anyOf` a thing or null is the thing. */
function withoutNull(schema: JsonSchema, resolve: (one: JsonSchema) => JsonSchema): JsonSchema {
  const { type } = schema;
  // As OpenAPI 3.1 has it.
  if (Array.isArray(type)) {
    return { ...schema, type: type.find((type) => type !== 'null') ?? 'null', isNullable: type.includes('null') };
  }
  const all = schema.anyOf?.map(resolve);
  const kinds = all?.filter(({ type }) => type !== 'null');
  if (all === undefined || kinds === undefined) return schema;
  const isNullable = kinds.length < all.length;
  const { anyOf: _, ...rest } = schema;
  const [only] = kinds;
  if (kinds.length === 1 && only !== undefined) return { ...only, ...rest, isNullable };
  const values = kinds.map((kind) => kind.const);
  return values.every((value) => value !== undefined) ? { ...rest, enum: values, isNullable } : schema;
}

/** @returns what is wrong with a value, in the words of the server; undefined: nothing */
export function checkValue(schema: JsonSchema, value: unknown, isRequired: boolean): string | undefined {
  if (value === undefined || value === '' || value === null) return isRequired ? 'is missing' : undefined;
  const { minLength = 0, maxLength, minimum, maximum } = schema;
  if (typeof value === 'string') {
    if (value.length < minLength) return `must be at least ${minLength} characters`;
    if (maxLength !== undefined && value.length > maxLength) return `must be at most ${maxLength} characters`;
  }
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'must be a number';
    if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  }
  return undefined;
}
