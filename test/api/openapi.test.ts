import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createChecker, listRoutes, type MediaType, type OpenApiDocument } from '../fixtures/openapi.ts';
import { startServerForFile } from '../fixtures/server.ts';

const server = await startServerForFile();
const response = await fetch(`${server.url}/v1/openapi.json`);
const document = (await response.clone().json()) as OpenApiDocument;

describe('GET /v1/openapi.json', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const found = await validator.validate({ ...structuredClone(document) });

    expect(found).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('contains the public base URL', () => {
    expect(document.servers).toEqual([{ url: server.url }]);
  });

  test('needs no key and supports conditional requests', async () => {
    const again = await fetch(`${server.url}/v1/openapi.json`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });

    expect(response.status).toBe(200);
    expect(again.status).toBe(304);
  });

  test('every example conforms to its schema, without undocumented fields', () => {
    const check = createChecker(document, true);
    const problems = listContents(document).flatMap(({ where, content }) =>
      listExamples(document, content)
        .filter((example) => example !== undefined)
        .flatMap((example) => check(content.schema, example).map((problem) => `${where}: ${problem}`)),
    );

    expect(problems).toEqual([]);
  });

  test('every JSON body has an example', () => {
    const bare = listContents(document)
      .filter(({ type }) => type === 'application/json')
      .filter(({ where }) => !where.startsWith('GET /v1/openapi.json'))
      .filter(({ content }) => listExamples(document, content).includes(undefined))
      .map(({ where }) => where);

    expect(bare).toEqual([]);
  });

  test('every error of the access of a route is documented', () => {
    const lacking = listRoutes(document).flatMap(({ method, path, operation }) => {
      const needed = [
        ...(operation.security.length > 0 ? ['401'] : []),
        ...(operation.security.some((requirement) => 'apiKey' in requirement) ? ['403', '429'] : []),
        ...(operation.requestBody === undefined ? [] : ['400', '413', '415', '422']),
      ];
      return needed
        .filter((status) => operation.responses[status] === undefined)
        .map((status) => `${method} ${path} ${status}`);
    });

    expect(lacking).toEqual([]);
  });

  test('operation ids are unique, and every tag has a description', () => {
    const names = listRoutes(document).map(({ operation }) => operation.operationId);

    expect(names).toEqual([...new Set(names)]);
    expect(document.tags.filter(({ description }) => description === undefined)).toEqual([]);
  });
});

interface Content {
  readonly where: string;
  readonly type: string;
  readonly content: MediaType;
}

/** Every request and response body of the document. */
function listContents(document: OpenApiDocument): Content[] {
  return listRoutes(document).flatMap(({ method, path, operation }) => {
    const bodies = { body: operation.requestBody, ...operation.responses };
    return Object.entries(bodies).flatMap(([part, body]) =>
      Object.entries(body?.content ?? {}).map(([type, content]) => ({
        where: `${method} ${path} ${part} ${type}`,
        type,
        content,
      })),
    );
  });
}

function listExamples(document: OpenApiDocument, { example, examples }: MediaType): unknown[] {
  if (examples === undefined) return [example];
  return Object.values(examples).map(({ $ref }) => document.components.examples[$ref.split('/').at(-1) ?? '']?.value);
}
