import type { Exchange, World } from './world.ts';

/** One row of a table of the source document, with a check against the server. */
export interface Row {
  /** Heading of its table or list. */
  readonly table: string;
  /** The rule in the words of the document, shortened. */
  readonly rule: string;
  readonly run: (world: World) => Promise<Check>;
}

/** Request and response, with their differences from the rule. */
export class Check {
  readonly problems: string[] = [];
  #shown: Exchange;

  constructor(exchange: Exchange) {
    this.#shown = exchange;
  }

  get request(): string {
    return this.#shown.request;
  }

  /** Status and body in short. */
  get response(): string {
    const { status, text, headers } = this.#shown;
    const type = headers.get('content-type') ?? '';
    // The table must not contain a key, not even of a deleted site.
    const body = text.replace(/svc_live_[\w-]{43}/g, 'svc_live_…');
    return `${status} ${type.includes('json') ? body : type}`.trim();
  }

  /** Continues with another exchange, which the table then shows. */
  continueWith(exchange: Exchange): this {
    this.#shown = exchange;
    return this;
  }

  expectStatus(...expected: number[]): this {
    return this.expect(
      expected.includes(this.#shown.status),
      `status ${expected.join(' or ')}, not ${this.#shown.status}`,
    );
  }

  expectMessage(expected: string): this {
    const { message } = this.#shown.body;
    return this.expect(message === expected, `message ${formatValue(expected)}, not ${formatValue(message)}`);
  }

  /** Requires that a field of `data` equals a value. */
  expectField(name: string, expected: unknown): this {
    const value = this.#shown.data[name];
    return this.expect(
      name in this.#shown.data && Bun.deepEquals(value, expected),
      `data.${name} ${formatValue(expected)}, not ${formatValue(value)}`,
    );
  }

  /** Requires that a field of `data` is of a kind. */
  expectKind(name: string, kind: keyof typeof kinds): this {
    const value = this.#shown.data[name];
    return this.expect(kinds[kind](value), `data.${name} ${kind}, not ${formatValue(value)}`);
  }

  expectHeader(name: string, pattern: RegExp): this {
    const value = this.#shown.headers.get(name);
    return this.expect(
      value !== null && pattern.test(value),
      `header ${name} like ${pattern.source}, not ${formatValue(value)}`,
    );
  }

  /** Requires an error in the envelope. */
  expectError(status: number, message?: string): this {
    this.expectStatus(status);
    this.expect(this.#shown.body['success'] === false, 'success false');
    this.expect(typeof this.#shown.body['message'] === 'string', 'a message');
    return message === undefined ? this : this.expectMessage(message);
  }

  expect(holds: boolean, expectation: string): this {
    if (!holds) this.problems.push(`expected ${expectation} (${this.#shown.request})`);
    return this;
  }
}

/** @param exchange the one that the row is about */
export function check(exchange: Exchange): Check {
  return new Check(exchange);
}

const kinds = {
  'an integer': (value: unknown) => Number.isInteger(value),
  'a string': (value: unknown) => typeof value === 'string' && value !== '',
  'true or false': (value: unknown) => typeof value === 'boolean',
  'a list': (value: unknown) => Array.isArray(value) && value.length > 0,
  'an http(s) URL': (value: unknown) => typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
} as const;

function formatValue(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
