import { type SchemaOptions, type TLiteral, type TUnion, Type } from '@sinclair/typebox';

/** A schema of fixed values, of which the type knows each. */
export function oneOf<const V extends readonly (string | number)[]>(
  values: V,
  options?: SchemaOptions,
) {
  const schema = Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );
  return schema as unknown as TUnion<{ -readonly [K in keyof V]: TLiteral<V[K]> }>;
}
