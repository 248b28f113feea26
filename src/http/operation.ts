import type { TLiteral, TObject, TSchema, TString } from '@sinclair/typebox';
import type { ErrorCode } from '../errors.ts';

/**
 * What a caller must show: an API key in its header, or there or as bearer; the name of a registered domain; a session (bearer or
 * cookie); an API key either way or a session; or nothing.
 */
export type Access = 'key' | 'key or bearer' | 'domain' | 'session' | 'key or session' | 'none';

/** A body outside the envelope. */
interface Content {
  readonly type: string;
  readonly schema: TSchema;
  readonly example?: unknown;
}

/** A good answer of an operation. */
export interface Answer {
  readonly description: string;
  /** Schema of the envelope's `data`; without one the answer has none. */
  readonly data?: TSchema;
  /** Of answers outside the envelope, like an MP3. */
  readonly content?: Content | readonly Content[];
  /** The envelope's `message`. */
  readonly message?: string;
  /** The whole `data` as a caller would see it. */
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route as its description shows it. Written once: it checks requests and makes the OpenAPI document. */
export interface Operation {
  readonly summary: string;
  readonly description?: string;
  /** The part of the API it belongs to. */
  readonly tag: string;
  readonly access: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  /** Headers that are read beside those of access and `If-None-Match`. */
  readonly requestHeaders?: TObject;
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** A request may come without one. */
  readonly bodyOptional?: boolean;
  /** Content types of the body, `application/json` unless named. */
  readonly bodyTypes?: readonly string[];
  readonly answers: Readonly<Record<number, Answer>>;
  /** What the answers of its errors have beside the envelope. */
  readonly errorBody?: TObject;
  /** What else can go wrong than access, rate, a malformed body or a wrong field, which follow from the rest. */
  readonly errors?: readonly ErrorCode[];
}

const operations = new WeakMap<object, Operation>();

/** What a client written in TypeScript knows of a route: its body, its query and what its good answers hold. */
type Described<O extends Operation> = {
  readonly parse: 'none';
  readonly detail: { summary: string; tags: string[] };
  readonly response: {
    [S in keyof O['answers'] as AnswerSchema<O['answers'][S]> extends never
      ? never
      : S]: AnswerSchema<O['answers'][S]>;
  };
} & (O extends { readonly body: infer B extends TSchema } ? { readonly body: B } : unknown) &
  (O extends { readonly query: infer Q extends TObject } ? { readonly query: Q } : unknown);

type AnswerSchema<A> = A extends { readonly data: infer D extends TSchema }
  ? TObject<{ success: TLiteral<true>; message: TString; data: D }>
  : never;

/**
 * The hook that a route is mounted with. Bodies are not parsed by the framework: credentials come first, then the route
 * reads its body itself. Nor are its schemas the framework's: it sees them as types only.
 */
export function described<const O extends Operation>(operation: O): Described<O> {
  const detail = { summary: operation.summary, tags: [operation.tag] };
  operations.set(detail, operation);
  return { parse: 'none', detail } as Described<O>;
}

/** @param hooks of a mounted route; @returns its operation, undefined when it isn't part of the description */
export function operationOf(hooks: { readonly detail?: object }): Operation | undefined {
  return hooks.detail === undefined ? undefined : operations.get(hooks.detail);
}
