/** A curl command of a Markdown text with its documented response. */
export interface Example {
  readonly command: string;
  /** The command is repeated until its response has this value. */
  readonly until: { readonly path: string; readonly value: string } | undefined;
  /** Variables of later commands, with the path of their value in the response. */
  readonly captures: readonly { readonly name: string; readonly path: string }[];
  /** Number of documented lines of the body; undefined: all. */
  readonly lineCount: number | undefined;
  readonly response: string;
  /** Position of the response in the text. */
  readonly start: number;
  readonly end: number;
}

const pattern = /((?:<!-- [^\n]+ -->\n)*)```bash\n(curl [\s\S]*?)```\n\n```http\n([\s\S]*?)```/g;

/**
 * @param markdown text with hidden comments above its commands: `<!-- until data.status is ready -->`,
 *   `<!-- TOKEN is data.token -->`, `<!-- 3 lines -->`
 */
export function parseExamples(markdown: string): Example[] {
  return [...markdown.matchAll(pattern)].map((match) => {
    const [whole, notes = '', command = '', response = ''] = match;
    const [, path, value] = /<!-- until (\S+) is (\S+) -->/.exec(notes) ?? [];
    const captures = [...notes.matchAll(/<!-- ([A-Z][A-Z0-9_]*) is (\S+) -->/g)];
    const lines = /<!-- (\d+) lines? -->/.exec(notes)?.[1];
    const end = match.index + whole.length - '```'.length;
    return {
      command,
      until: path === undefined || value === undefined ? undefined : { path, value },
      captures: captures.map(([, name = '', place = '']) => ({ name, path: place })),
      lineCount: lines === undefined ? undefined : Number(lines),
      response,
      start: end - response.length,
      end,
    };
  });
}

/** @returns the text with each response replaced by a new one */
export function insertResponses(markdown: string, examples: readonly Example[], responses: readonly string[]): string {
  let text = '';
  let at = 0;
  examples.forEach(({ start, end }, index) => {
    text += markdown.slice(at, start) + (responses[index] ?? '');
    at = end;
  });
  return text + markdown.slice(at);
}

/** Documented headers; the others are in the OpenAPI document. */
const documentedHeaders = ['location', 'allow', 'retry-after', 'content-range', 'set-cookie'];

/** Patterns of values that change with each run. */
const variablePatterns: readonly (readonly [RegExp, string])[] = [
  [/lectern-[\dT-]+Z\.tar/g, 'lectern-<time>.tar'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d/g, '<day>'],
  [/\b\d{4}-\d\d\b/g, '<month>'],
  [/svc_live_[\w-]{30,}/g, 'svc_live_<secret>'],
  [/svc_live_[\w-]+(?=")/g, 'svc_live_<start>'],
  [/whsec_[\w+/=-]+/g, 'whsec_<secret>'],
  [/\bmsg_[\w-]+/g, 'msg_<id>'],
  [/\/v1\/media\/[\w-]+\.(mp3|json|vtt|transcript\.json)/g, '/v1/media/<name>.$1'],
  [/(lectern_(?:session|device)=)[\w-]{43}/g, '$1<token>'],
  [/(#(?:invitation|reset)=)[\w-]{43}/g, '$1<token>'],
  [/"[\w-]{43}"/g, '"<token>"'],
  [/"[0-9a-f]{64}"/g, '"<sha256>"'],
  [/("next_cursor":)"[^"]+"/g, '$1"<cursor>"'],
  [/^(bytes \d+-\d+\/)\d+$/, '$1<number>'],
  // Heartbeats of a live stream.
  [/^:\n\n/gm, ''],
];

/** Sizes and times, which depend on the machine. */
const measuredFields = [
  'start_ms',
  'end_ms',
  'duration_ms',
  'duration_seconds',
  'heard_seconds',
  'gain_db',
  'ms_per_phoneme',
  'frames',
  'bytes',
  'byte_count',
  'real_time_factor',
];

/** Fields whose measured value can be 0; in other fields a 0 is significant. */
const zeroFields = ['duration_ms', 'gain_db'];

/**
 * Formats an actual response for the text.
 * @param replaceUrls replaces the URLs of the test by those of the text
 */
export function formatResponse(
  { status, reason, headers, body }: ActualResponse,
  lineCount: number | undefined,
  replaceUrls: (text: string) => string,
): string {
  // Before formatting, so that the length of a URL does not affect line breaks.
  const hideVariable = (text: string) =>
    variablePatterns.reduce((out, [found, put]) => out.replace(found, put), replaceUrls(text));
  const type = headers.get('content-type');
  const isJson = type?.startsWith('application/json') ?? false;
  const text = isJson && body !== '' ? formatJson(JSON.parse(hideVariable(body)), '') : hideVariable(body);
  // CSV has CRLF line ends, which editors would change.
  const lines = text.replaceAll('\r', '').trimEnd().split('\n');
  const visibleLines = lineCount === undefined ? lines : [...lines.slice(0, lineCount), '…'];
  const headerLines = documentedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${capitalize(name)}: ${hideVariable(value)}`];
  });
  const head = [
    `HTTP/1.1 ${status} ${reason}`.trimEnd(),
    ...(isJson || type === null ? [] : [`Content-Type: ${type}`]),
    ...headerLines,
  ].join('\n');
  return visibleLines.join('\n') === '' ? `${head}\n` : `${head}\n\n${visibleLines.join('\n')}\n`;
}

/** A response as printed by curl. */
export interface ActualResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Formats JSON on one line if it is short, otherwise with one member per line. */
function formatJson(value: unknown, indent: string): string {
  const line = formatOnOneLine(value);
  if (indent.length + line.length <= 96 || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => deeper + formatJson(item, deeper));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${deeper}${JSON.stringify(name)}: ${formatJson(hideMeasured(name, member), deeper)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function formatOnOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatOnOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${formatOnOneLine(hideMeasured(name, member))}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** @returns the member, or a placeholder for a measured value */
function hideMeasured(name: string, member: unknown): unknown {
  const isMeasured =
    measuredFields.includes(name) && typeof member === 'number' && (member > 0 || zeroFields.includes(name));
  return isMeasured ? '<number>' : member;
}

function capitalize(name: string): string {
  return name.replace(/(^|-)\w/g, (letter) => letter.toUpperCase());
}
