import { EmailBody, InviteUserBody, PasswordBody, UpdateUserBody } from '../auth/schema.ts';
import { CreateKeyBody } from '../sites/schema.ts';
import { podcastCategories } from '../sites/settings.ts';
import { SourceChanges } from '../sources/schema.ts';
import { WebhookBody, WebhookChanges } from '../webhooks/schema.ts';

// Macros, which run in the bundler: schemas are written once, in the server, and what makes them is not in the bundle.

const bodies = {
  ...{ EmailBody, InviteUserBody, PasswordBody, UpdateUserBody },
  ...{ CreateKeyBody, SourceChanges, WebhookBody, WebhookChanges },
};

/** What the dashboard reads of the JSON Schema of a field. */
export interface FieldSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** A field without a value sends null. Not part of the schema: `null` was one of its types. */
  readonly isNullable?: boolean;
}

/** The schema of a request body, as the server checks it. */
export interface BodySchema {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

export type BodyName = keyof typeof bodies;

export function readBodySchemas(): Readonly<Record<BodyName, BodySchema>> {
  return JSON.parse(JSON.stringify(bodies), (_, value) => (Array.isArray(value?.anyOf) ? withoutUnion(value) : value));
}

export function readPodcastCategories(): readonly string[] {
  return podcastCategories;
}

type Union = FieldSchema & { readonly anyOf: readonly (FieldSchema & { readonly const?: unknown })[] };

/** `anyOf` a thing or null is the thing; of constants, an `enum`. */
function withoutUnion(schema: Union): FieldSchema {
  const { anyOf, ...rest } = schema;
  const kinds = anyOf.filter(({ type }) => type !== 'null');
  const isNullable = kinds.length < anyOf.length;
  if (kinds.length === 1) return { ...kinds[0], ...rest, isNullable };
  const values = kinds.map((kind) => kind.const);
  return values.every((value) => value !== undefined) ? { ...rest, enum: values, isNullable } : schema;
}
