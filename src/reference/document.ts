import { escapeHtml } from '../http/html.ts';

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

/** Values of required parameters in examples. */
const exampleValues: Readonly<Record<string, string>> = {
  post_id: '4711',
  domain: 'www.example.org',
  url: 'https://www.example.org/news/4711',
  site: '1',
};

/** The right column of an operation: the request as a command, a form that sends it, and the response. */
export function renderSample(route: Route, document: ApiDocument): string {
  const { operation } = route;
  const successes = Object.entries(operation.responses).filter(([code]) => code.startsWith('2'));
  // A repeated request gets 200; 202 is the usual response.
  const [status, response] = successes.find(([code]) => code === '202') ?? successes[0] ?? [];
  const media = Object.values(response?.content ?? {}).find(({ example }) => example !== undefined);
  const responseHtml =
    media === undefined
      ? ''
      : `<details class="code" open><summary>Response ${status}</summary><pre tabindex="0"><code>${escapeHtml(toExampleText(media))}</code></pre></details>`;
  return `<form class="sample" data-method="${route.method}" data-path="${escapeHtml(route.path)}" data-access="${listSchemes(route).join(' ')}">
${renderCommand(route, document.servers[0].url)}
${renderTry(route)}
${responseHtml}
</form>`;
}

/** @returns names of the security schemes that an operation accepts */
function listSchemes({ operation }: Route): string[] {
  return [...new Set(operation.security.flatMap((requirement) => Object.keys(requirement)))];
}

/** The parts that the script of the page fills in are marked with `data-part`. */
function renderCommand(route: Route, serverUrl: string): string {
  const { method, path, operation } = route;
  const schemes = listSchemes(route);
  const query = (operation.parameters ?? [])
    .filter(({ in: place, required }) => place === 'query' && required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(getExample(parameter))}`);
  const parameters = new Map(operation.parameters?.map((parameter) => [parameter.name, parameter]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.get(name);
    return parameter === undefined ? name : encodeURIComponent(getExample(parameter));
  });
  const address = `${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const lines = [
    `curl ${isStream(route) ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}"${escapeHtml(serverUrl)}<span data-part="address">${escapeHtml(address)}</span>"`,
    ...(schemes.includes('apiKey') ? ['-H "X-API-Key: <span data-part="key">$KEY</span>"'] : []),
    ...(schemes.includes('bearerSession') && !schemes.includes('apiKey') ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...describeBody(operation.requestBody?.content),
    ...(isBinary(route) ? ['-o FILE'] : []),
  ];
  return `<div class="code command"><div class="bar"><b class="method ${method.toLowerCase()}">${method}</b> <span>curl</span><button type="button" class="copy" aria-label="Copy: ${escapeHtml(operation.summary)}" hidden>Copy</button></div><pre tabindex="0"><code>${lines.join(' \\\n  ')}</code></pre></div>`;
}

function describeBody(content: Readonly<Record<string, ApiMedia>> | undefined): string[] {
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) return [];
  if (type === 'multipart/form-data') {
    const { properties = {}, required = [] } = media.schema;
    return required.map(
      (name) => `-F "${name}=${properties[name]?.format === 'binary' ? '@' : ''}${name.toUpperCase()}"`,
    );
  }
  return [
    `-H "Content-Type: <span data-part="type">${type}</span>"`,
    `-d '<span data-part="body">${escapeHtml(quoteForShell(toExampleText(media)))}</span>'`,
  ];
}

function isBinary(route: Route): boolean {
  return /^(audio|image)\/|x-tar/.test(getResponseType(route));
}

/** curl shows events as they come only without its buffer. */
function isStream(route: Route): boolean {
  return getResponseType(route) === 'text/event-stream';
}

function getResponseType({ operation }: Route): string {
  const content = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content;
  return Object.keys(content ?? {})[0] ?? '';
}

function renderTry(route: Route): string {
  const { parameters = [], operationId, requestBody } = route.operation;
  const fields = parameters
    .filter(({ in: place }) => place !== 'header')
    .map((parameter) => renderParameterField(operationId, parameter));
  return `<details class="try" hidden><summary>Try it</summary>
${fields.join('\n')}
${renderBodyField(operationId, requestBody?.content)}
<p class="actions"><button class="button main">Send request</button></p>
<div class="result" role="status"></div>
</details>`;
}

function renderParameterField(operationId: string, parameter: ApiParameter): string {
  const { name, in: place, required, schema } = parameter;
  const id = `${operationId}-${place}-${name}`;
  const shared = `id="${id}" name="${escapeHtml(name)}" data-in="${place}"${required ? ' required' : ''}`;
  const label = `<label for="${id}">${escapeHtml(name)}${required ? '' : ' <span class="quiet">optional</span>'}</label>`;
  const options = listOptions(schema);
  if (options.length === 0) {
    return `${label}<input ${shared} placeholder="${escapeHtml(required ? getExample(parameter) : '')}" autocomplete="off" spellcheck="false">`;
  }
  const items = options.map((option) => `<option>${escapeHtml(option)}</option>`);
  return `${label}<select ${shared}>${required ? '' : '<option></option>'}${items.join('')}</select>`;
}

function listOptions({ enum: values = [], type }: ApiSchema): string[] {
  if (type === 'boolean') return ['true', 'false'];
  return values.filter((value) => value !== null).map(String);
}

function renderBodyField(operationId: string, content: Readonly<Record<string, ApiMedia>> | undefined): string {
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  if (content === undefined || type === undefined || media === undefined) return '';
  const id = `${operationId}-body`;
  if (type === 'multipart/form-data') {
    return Object.entries(media.schema.properties ?? {})
      .map(([name, { format }]) => {
        const isRequired = media.schema.required?.includes(name);
        return `<label for="${id}-${name}">${name}${isRequired ? '' : ' <span class="quiet">optional</span>'}</label><input id="${id}-${name}" name="${name}" data-in="form"${format === 'binary' ? ' type="file"' : ''}${isRequired ? ' required' : ''}>`;
      })
      .join('\n');
  }
  const types = Object.keys(content);
  const choice =
    types.length === 1
      ? ''
      : `<label for="${id}-type">Content type</label><select id="${id}-type" data-in="type">${types.map((type) => `<option>${type}</option>`).join('')}</select>`;
  return `${choice}<label for="${id}">Body</label><textarea id="${id}" data-in="body" data-type="${type}" rows="8" spellcheck="false">${escapeHtml(toExampleText(media))}</textarea>`;
}

function getExample({ name, schema }: ApiParameter): string {
  const [option] = listOptions(schema);
  return option ?? exampleValues[name] ?? (schema.type === 'integer' ? '1' : name.toUpperCase());
}

function toExampleText({ example }: ApiMedia): string {
  return typeof example === 'string' ? example : toJson(example ?? {});
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** For use between single quotes. */
function quoteForShell(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
