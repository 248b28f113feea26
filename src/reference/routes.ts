import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { hasSessionCookie } from '../auth/sessions.ts';
import { browserBundle } from '../build/browser-bundles.ts';
import { renderBrandHead, renderStyleLinks } from '../http/brand/brand.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { escapeHtml, getBasePath, renderHtmlDocument } from '../http/html.ts';
import { buildOpenApiDocument, type MountedRoute, type ServerInfo } from '../http/openapi.ts';
import { type Asset, assetResponse, conditionalJsonResponse, pageResponse } from '../http/static-assets.ts';
import {
  type ApiDocument,
  type ApiMedia,
  type ApiParameter,
  type ApiSchema,
  getSchemaName,
  listRoutes,
  type Route,
  renderSample,
} from './document.ts';
import pageStyle from './page.css' with { type: 'text' };

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };

const documentOperation = endpointSpec({
  summary: 'Get the OpenAPI document',
  description: 'OpenAPI 3.1. The page `/docs` shows it and sends requests.',
  tag: 'Operation',
  access: 'none',
  responses: {
    200: {
      description: 'The OpenAPI document',
      content: {
        type: 'application/json',
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
    },
    304: { description: 'Not modified' },
  },
});

/** The OpenAPI document, and a page that shows it and sends requests. */
export function referenceRoutes({ baseUrl, version }: ServerInfo, listRoutes: () => readonly MountedRoute[]) {
  let document: object | undefined;
  const getDocument = () => {
    document ??= buildOpenApiDocument(listRoutes(), { baseUrl, version });
    return document;
  };
  const pages = new Map<boolean, Asset>();
  const getPage = (hasSession: boolean) =>
    pages.getOrInsertComputed(hasSession, () => {
      const content = renderReferencePage(getDocument() as ApiDocument, getBasePath(baseUrl), hasSession);
      return { content, type: 'text/html; charset=utf-8' };
    });
  let script: Promise<Asset> | undefined;
  return new Elysia({ name: 'reference' })
    .get(
      '/v1/openapi.json',
      ({ request }) => conditionalJsonResponse(request, getDocument(), 'public, max-age=60'),
      toEndpointHook(documentOperation),
    )
    .get('/docs', ({ request }) => pageResponse(request, getPage(hasSessionCookie(request))))
    .get('/docs/page.css', ({ request }) => assetResponse(request, style))
    .get('/docs/reference.js', async ({ request }) => {
      script ??= loadScript();
      return assetResponse(request, await script);
    });
}

async function loadScript(): Promise<Asset> {
  const { script } = await browserBundle('reference');
  return { content: script, type: 'text/javascript; charset=utf-8' };
}

/**
 * The API reference as one page, readable without scripts.
 * @param hasSession whether the browser sent a session cookie; the script then requests its user
 */
function renderReferencePage(document: ApiDocument, basePath: string, hasSession: boolean): string {
  const groups = document.tags.map((tag) => ({
    ...tag,
    routes: listRoutes(document).filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const sections = groups.map(
    ({ name, description, routes }) => `<section class="group" id="${toGroupId(name)}">
<h2><a href="#${toGroupId(name)}">${escapeHtml(name)}</a></h2>
${renderProse(description)}
${routes.map((route) => renderOperation(route, document)).join('\n')}
</section>`,
  );
  return renderHtmlDocument({
    language: 'en',
    title: 'Lectern API',
    head: [
      ...renderBrandHead(basePath),
      ...renderStyleLinks(basePath),
      `<link rel="stylesheet" href="${basePath}/docs/page.css">`,
      `<script src="${basePath}/docs/reference.js" defer></script>`,
    ],
    body: `<header class="top"><a class="logo" href="${basePath}/"><img src="${basePath}/assets/logo.svg" alt="Lectern" width="97" height="26"></a>
<button type="button" class="button contents" popovertarget="contents">Contents</button>
<a href="${basePath}/v1/openapi.json">OpenAPI</a> <a href="${basePath}/">Dashboard</a></header>
<div class="reference"${hasSession ? ' data-session' : ''} data-base="${basePath}">
<nav id="contents" popover aria-label="Operations">
<label class="find" hidden><span>Search</span><input type="search" placeholder="Search  /" autocomplete="off" spellcheck="false"></label>
<p class="nothing" hidden>Nothing found.</p>
<a href="#introduction">Introduction</a>
${groups.map(renderGroupLinks).join('\n')}
<a href="#schemas">Schemas</a>
</nav>
<main>
${renderIntroduction(document)}
${sections.join('\n')}
${renderSchemas(document)}
</main>
</div>`,
  });
}

function toGroupId(name: string): string {
  return `group-${name.toLowerCase()}`;
}

function renderGroupLinks({ name, routes }: { readonly name: string; readonly routes: readonly Route[] }): string {
  const links = routes.map(
    ({ method, path, operation: { operationId, summary } }) =>
      `<li><a href="#${operationId}" data-text="${escapeHtml(`${method} ${path} ${summary}`.toLowerCase())}"><b class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</b> <span>${escapeHtml(summary)}</span></a></li>`,
  );
  return `<details><summary>${escapeHtml(name)}</summary><ul>${links.join('')}</ul></details>`;
}

function renderIntroduction({ info, servers, components }: ApiDocument): string {
  const schemes = Object.entries(components.securitySchemes).map(
    ([id, { name, description }]) =>
      `<li id="access-${id}">${name === undefined ? '<code>Authorization: Bearer …</code>' : `<code>${name}</code>`}<p>${renderInline(description)}</p></li>`,
  );
  return `<section class="operation intro" id="introduction">
<div class="prose"><h1>Lectern API</h1>
<p class="quiet">Version ${escapeHtml(info.version)} · <code>${escapeHtml(servers[0].url)}</code></p>
${renderProse(info.description)}
<h2 id="access">Access</h2>
<ul class="fields" role="list">${schemes.join('')}</ul></div>
<form class="sample credentials" hidden>
<label for="key">Your API key</label><input id="key" autocomplete="off" spellcheck="false" placeholder="svc_live_…" aria-describedby="key-note">
<p class="quiet" id="key-note">Filled into every example below and sent by “Try it”. It stays in this browser tab.</p>
<p class="session"></p>
</form>
</section>`;
}

function renderOperation(route: Route, document: ApiDocument): string {
  const { method, path, operation } = route;
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const { schemas } = document.components;
  const body = Object.entries(requestBody?.content ?? {});
  const isError = (status: string) => Number(status) >= 400;
  const successes = Object.entries(responses).filter(([status]) => !isError(status));
  const errors = Object.entries(responses).filter(([status]) => isError(status));
  return `<section class="operation" id="${operationId}">
<div class="prose"><h3><a href="#${operationId}">${escapeHtml(summary)}</a></h3>
<p class="route"><b class="method ${method.toLowerCase()}">${method}</b> <code>${escapeHtml(path).replaceAll('/', '/<wbr>')}</code></p>
${renderProse(description)}
<p class="access">${describeAccess(operation.security)}</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${renderParameters(parameters)}`}
${body[0] === undefined ? '' : `<h4>Body</h4><p class="quiet">${body.map(([type]) => escapeHtml(type)).join(' · ')}</p>${renderSchema(body[0][1].schema, schemas)}`}
<h4>Response</h4>
${successes.map(([status, { description: text, content }]) => `<p><b class="status">${status}</b> ${renderInline(text)}</p>${renderContent(content, schemas)}`).join('\n')}
${errors.length === 0 ? '' : `<details><summary>Errors ${errors.map(([status]) => status).join(', ')}</summary><ul class="fields" role="list">${errors.map(([status, { description: text }]) => `<li><b class="status">${status}</b> ${renderInline(text)}</li>`).join('')}</ul></details>`}
</div>
${renderSample(route, document)}
</section>`;
}

function renderContent(
  content: Readonly<Record<string, ApiMedia>> | undefined,
  schemas: ApiDocument['components']['schemas'],
): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) => {
      // The envelope is described in the introduction.
      const data = schema.properties?.['success'] === undefined ? schema : schema.properties['data'];
      if (type !== 'application/json') return `<p class="type">${escapeHtml(type)}</p>`;
      if (data === undefined) return '';
      const name = getSchemaName(data);
      const label = name === undefined ? 'Members of <code>data</code>' : `Members of <code>data</code>: ${name}`;
      return `<details><summary>${data === schema ? 'Members' : label}</summary>${renderSchema(data, schemas)}</details>`;
    })
    .join('\n');
}

function describeAccess(security: readonly Readonly<Record<string, unknown>>[]): string {
  const names = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  if (names.size === 0) return 'Needs no credentials.';
  const ways = [
    ...(names.has('apiKey') ? [names.has('bearerKey') ? 'an API key, also as bearer token' : 'an API key'] : []),
    ...(names.has('bearerSession')
      ? [
          names.has('csrfToken')
            ? 'a session: bearer token, or cookie and CSRF token'
            : 'a session: bearer token or cookie',
        ]
      : []),
  ];
  return `Needs <a href="#access">${ways.join('</a>, or <a href="#access">')}</a>.`;
}

function renderSchemas({ components: { schemas } }: ApiDocument): string {
  const items = Object.entries(schemas).map(
    ([name, schema]) => `<details class="schema" id="schema-${name}"><summary><code>${name}</code></summary>
${renderProse(schema.description)}
${renderSchema(schema, schemas)}</details>`,
  );
  return `<section class="group" id="schemas"><h2><a href="#schemas">Schemas</a></h2>\n${items.join('\n')}</section>`;
}

type Schemas = Readonly<Record<string, ApiSchema>>;

function renderParameters(parameters: readonly ApiParameter[]): string {
  return renderList(
    parameters.map(({ name, in: place, required, description, schema }) =>
      renderField({ name, note: place, isRequired: required, schema: { ...schema, description: description ?? '' } }),
    ),
  );
}

/** The members of an object or of the elements of an array. A referenced schema is opened at the top only. */
function renderSchema(schema: ApiSchema, schemas: Schemas): string {
  const name = getSchemaName(schema);
  const resolved = name === undefined ? schema : (schemas[name] ?? schema);
  if (resolved.anyOf !== undefined && listMembers(resolved).length === 0) {
    return resolved.anyOf
      .map((option) => `<p class="quiet">One of: ${describeType(option)}</p>${renderMembers(option)}`)
      .join('');
  }
  const members = renderMembers(resolved);
  return members === '' ? `<p class="type">${describeType(resolved)}</p>` : members;
}

function renderMembers(schema: ApiSchema): string {
  const required = new Set([schema, ...(schema.allOf ?? [])].flatMap((part) => part.required ?? []));
  return renderList(
    listMembers(schema).map(([name, member]) => renderField({ name, isRequired: required.has(name), schema: member })),
  );
}

function listMembers(schema: ApiSchema): [string, ApiSchema][] {
  if (schema.allOf !== undefined) return schema.allOf.flatMap(listMembers);
  if (schema.items !== undefined) return getSchemaName(schema.items) === undefined ? listMembers(schema.items) : [];
  return Object.entries(schema.properties ?? {});
}

interface Field {
  readonly name: string;
  readonly note?: string;
  readonly isRequired: boolean;
  readonly schema: ApiSchema;
}

function renderField({ name, note, isRequired, schema }: Field): string {
  const facts = [
    `<code class="name">${escapeHtml(name)}</code>`,
    `<span class="type">${describeType(schema)}</span>`,
    ...(note === undefined ? [] : [`<span class="quiet">${note}</span>`]),
    ...(isRequired ? ['<span class="required">required</span>'] : []),
    ...(schema.deprecated ? ['<span class="quiet">deprecated</span>'] : []),
  ];
  const limits = describeLimits(schema);
  const text = [schema.description ? renderInline(schema.description) : '', limits].filter((part) => part !== '');
  const members = renderMembers(schema);
  const nested =
    members === '' ? '' : `<details><summary>Members of <code>${escapeHtml(name)}</code></summary>${members}</details>`;
  return `<li>${facts.join(' ')}${text.length === 0 ? '' : `<p>${text.join(' · ')}</p>`}${nested}</li>`;
}

function renderList(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul class="fields" role="list">${items.join('\n')}</ul>`;
}

function describeType(schema: ApiSchema): string {
  const name = getSchemaName(schema);
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`;
  if (schema.enum !== undefined) return schema.enum.map(renderValue).join(' or ');
  if (schema.const !== undefined) return renderValue(schema.const);
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(describeType))].join(' or ');
  if (schema.items !== undefined) return `array of ${describeType(schema.items)}`;
  const values = schema.patternProperties?.['^(.*)$'] ?? schema.additionalProperties;
  if (typeof values === 'object') return `object of ${describeType(values)}`;
  const types = [schema.type ?? 'object'].flat();
  return types
    .map((type) => (schema.format === undefined || type === 'null' ? type : `${type} (${schema.format})`))
    .join(' or ');
}

function renderValue(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
}

function describeLimits(schema: ApiSchema): string {
  return [
    describeRange(schema.minimum, schema.maximum, ''),
    describeRange(schema.minLength, schema.maxLength, ' characters'),
    describeRange(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? '' : `default ${renderValue(schema.default)}`,
  ]
    .filter((limit) => limit !== '')
    .join(', ');
}

function describeRange(min: number | undefined, max: number | undefined, unit: string): string {
  const number = new Intl.NumberFormat('en');
  if (min !== undefined && max !== undefined) return `${number.format(min)}–${number.format(max)}${unit}`;
  if (max !== undefined) return `at most ${number.format(max)}${unit}`;
  return min === undefined ? '' : `at least ${number.format(min)}${unit}`;
}

/** A description: Markdown with paragraphs, lists, code and links. */
function renderProse(text: string | undefined): string {
  if (text === undefined) return '';
  return text
    .split(/\n{2,}/)
    .map(renderBlock)
    .join('\n');
}

function renderBlock(text: string): string {
  if (!text.startsWith('- ')) return `<p>${renderInline(text)}</p>`;
  const items = text.slice(2).split('\n- ');
  return `<ul class="list">${items.map((item) => `<li>${renderInline(item)}</li>`).join('')}</ul>`;
}

function renderInline(text: string): string {
  return escapeHtml(text)
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${part.slice(1, -1)}</code>`
        : part.replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}
