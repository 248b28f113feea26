/** A curl command of a Markdown text, and the answer that stands below it. */
export interface Example {
  readonly command: string;
  /** The answer has to have this value there, and is asked for until it does. */
  readonly until: { readonly path: string; readonly value: string } | undefined;
  /** Variable → where in the answer its value stands, for the commands to come. */
  readonly captures: readonly { readonly name: string; readonly path: string }[];
  /** How many lines of the body stand there; undefined: all. */
  readonly lineCount: number | undefined;
  readonly response: string;
  /** Where the answer stands in the text. */
  readonly start: number;
  readonly end: number;
}

const pattern = /((?:<!-- [^\n]+ -->\n)*)```bash\n(curl [\s\S]*?)```\n\n```http\n([\s\S]*?)```/g;

/**
 * @param markdown in which comments above a command say what no reader needs to see: `<!-- until data.status is ready -->`,
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

/** @returns the text with each answer replaced by what came back */
export function insertResponses(markdown: string, examples: readonly Example[], responses: readonly string[]): string {
  let text = '';
  let at = 0;
  examples.forEach(({ start, end }, index) => {
    text += markdown.slice(at, start) + (responses[index] ?? '');
    at = end;
  });
  return text + markdown.slice(at);
}

/** Headers that a reader wants to see; the others stand in the description. */
const documentedHeaders = ['location', 'allow', 'retry-after', 'content-range', 'set-cookie'];

/** What is different each time, by how it looks. */
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
  // Heartbeats of a live stream come when they are due.
  [/^:\n\n/gm, ''],
];

/** Lengths and times: another processor may find others. */
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

/** Something may take no time on a fast machine, and a voice need no gain or a negative one; elsewhere a 0 means something. */
const zeroFields = ['duration_ms', 'gain_db'];

/**
 * A real answer as it stands in the text.
 * @param replaceUrls puts the addresses of the text for those of the test
 */
export function formatResponse(
  { status, reason, headers, body }: ActualResponse,
  lineCount: number | undefined,
  replaceUrls: (text: string) => string,
): string {
  // Before it is laid out: how long an address is must not decide where a line ends.
  const hideVariable = (text: string) =>
    variablePatterns.reduce((out, [found, put]) => out.replace(found, put), replaceUrls(text));
  const type = headers.get('content-type');
  const isJson = type?.startsWith('application/json') ?? false;
  const text = isJson && body !== '' ? formatJson(JSON.parse(hideVariable(body)), '') : hideVariable(body);
  // CSV has the line ends of its standard, which editors would change.
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

/** An answer as curl printed it. */
export interface ActualResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: Headers;
  readonly body: string;
}

/** JSON on one line where that is short, else a member a line. */
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

/** @returns the member, or what stands for it */
function hideMeasured(name: string, member: unknown): unknown {
  const isMeasured =
    measuredFields.includes(name) && typeof member === 'number' && (member > 0 || zeroFields.includes(name));
  return isMeasured ? '<number>' : member;
}

function capitalize(name: string): string {
  return name.replace(/(^|-)\w/g, (letter) => letter.toUpperCase());
}
