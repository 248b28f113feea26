/** A part of a JSON document. */
export type JsonObject = { readonly [member: string]: unknown };

/** Schemas of the document: those with a `title` stand once, under that name, and are referred to elsewhere. */
export interface Components {
  /** @returns the schema as the document shows it, or a reference to it */
  schema(schema: object): JsonObject;
  /** @returns what was referred to, by name */
  all(): JsonObject;
}

/** Members whose values are schemas by name, lists of schemas, and schemas. */
const schemaMaps = ['properties', 'patternProperties'];
const schemaLists = ['anyOf', 'allOf', 'oneOf'];
const schemaMembers = ['items', 'additionalProperties', 'not'];

export function createComponents(): Components {
  const found = new Map<string, JsonObject>();
  const refer = (schema: object): JsonObject => {
    const { title, ...shown } = show(schema as JsonObject);
    if (typeof title !== 'string') return shown;
    const known = found.get(title);
    if (known !== undefined && !Bun.deepEquals(known, shown)) {
      throw new Error(`two schemas are called ${title}`);
    }
    found.set(title, shown);
    return { $ref: `#/components/schemas/${title}` };
  };
  const show = (schema: JsonObject): JsonObject => {
    const shown = Object.entries(schema).map(([member, value]) => {
      if (schemaMaps.includes(member)) return [member, mapValues(value as object, refer)];
      if (schemaLists.includes(member)) return [member, (value as object[]).map(refer)];
      if (schemaMembers.includes(member) && isObject(value)) return [member, refer(value)];
      return [member, value];
    });
    return joinAlternatives(Object.fromEntries(shown));
  };
  return { schema: refer, all: () => Object.fromEntries([...found].sort(byName)) };
}

/** A choice of values becomes an `enum`, and of a type or null a list of types: both are read more easily. */
function joinAlternatives(schema: JsonObject): JsonObject {
  const { anyOf: branches, ...rest } = schema;
  if (!Array.isArray(branches)) return schema;
  const values = branches.map((branch: JsonObject) => branch['const']);
  const types = new Set(branches.map((branch: JsonObject) => branch['type']));
  if (!values.includes(undefined) && types.size === 1) {
    return { ...rest, type: [...types][0], enum: values };
  }
  const [value, nothing] = branches as JsonObject[];
  const isNullable = branches.length === 2 && nothing?.['type'] === 'null';
  if (!isNullable || value === undefined || typeof value['type'] !== 'string') return schema;
  const options = Array.isArray(value['enum']) ? { enum: [...value['enum'], null] } : {};
  return { ...value, ...rest, type: [value['type'], 'null'], ...options };
}

function mapValues(map: object, change: (value: object) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
