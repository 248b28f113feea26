/** The parts of the OpenAPI document that the reference shows. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly name?: string; readonly description: string }>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, ApiMedia>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: ApiSchema;
}

export interface ApiMedia {
  readonly schema: ApiSchema;
  readonly example?: unknown;
}

interface ApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, ApiMedia>>;
}

/** The keywords of JSON Schema that the API uses. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly patternProperties?: Readonly<Record<string, ApiSchema>>;
  readonly additionalProperties?: boolean | ApiSchema;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly allOf?: readonly ApiSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An operation with its place. */
export interface Route {
  readonly method: string;
  /** Like `/v1/audio/{post_id}/status`. */
  readonly path: string;
  readonly operation: ApiOperation;
}

export function listRoutes({ paths }: ApiDocument): Route[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** @returns the name of a referenced schema; undefined for a schema written in place */
export function getSchemaName(schema: ApiSchema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}
