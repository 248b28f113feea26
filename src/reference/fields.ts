import { escapeHtml } from '../http/html.ts';
import { type ApiParameter, type ApiSchema, getSchemaName } from './document.ts';
import { renderInline } from './prose.ts';

type Schemas = Readonly<Record<string, ApiSchema>>;

export function renderParameters(parameters: readonly ApiParameter[]): string {
  return renderList(
    parameters.map(({ name, in: place, required, description, schema }) =>
      renderField({ name, note: place, isRequired: required, schema: { ...schema, description: description ?? '' } }),
    ),
  );
}

/** The members of an object or of the elements of an array. A referenced schema is opened at the top only. */
export function renderSchema(schema: ApiSchema, schemas: Schemas): string {
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
  const required = new Set([schema, ...(schema.allOf ?? [])].flatMap((one) => one.required ?? []));
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
  return items.length === 0 ? '' : `<ul class="fields">${items.join('\n')}</ul>`;
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
