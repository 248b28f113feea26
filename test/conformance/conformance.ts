/**
 * Checks the tables of the source document, row by row, against a running server:
 *     bun run conformance URL --email ADMIN --password-stdin [--only TEXT] [--write FILE]
 * The expectations are from the document. The server needs its default settings. Prints a table of every row with
 * request and response; exits with 1 if any row differs.
 */
import { parseArgs } from 'node:util';
import { accessRows } from './access-rows.ts';
import { audioRows } from './audio-rows.ts';
import { limitRows } from './limit-rows.ts';
import { publicRows } from './public-rows.ts';
import type { Row } from './row.ts';
import { World } from './world.ts';

const maxResponseLength = 160;
const heading = `# Conformance

Every row of the tables of the source document, as the executable answers it. Written by
\`bun run build && bash test/conformance/executable.sh --write docs/conformance.md\`; CI makes the same run, and
\`bun run conformance URL\` asks any other server that has its default settings.

`;

interface Outcome {
  readonly row: Row;
  readonly request: string;
  readonly response: string;
  readonly problems: readonly string[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    email: { type: 'string' },
    'password-stdin': { type: 'boolean' },
    only: { type: 'string' },
    write: { type: 'string' },
  },
});
const [url] = positionals;
if (url === undefined || values.email === undefined || values['password-stdin'] !== true) {
  fail('usage: bun run conformance URL --email ADMIN --password-stdin [--only TEXT] [--write FILE]');
}
const password = (await Bun.stdin.text()).replace(/\r?\n$/, '');
const world = await World.enter(url, values.email, password);
const rows = [...audioRows, ...publicRows, ...accessRows, ...limitRows].filter(({ table, rule: says }) =>
  `${table}: ${says}`.includes(values.only ?? ''),
);
const outcomes: Outcome[] = [];
for (const row of rows) outcomes.push(await runRow(row));
await world.leave().catch((error: unknown) => {
  process.stderr.write(`could not delete what the run made: ${String(error)}\n`);
});

const table = formatMarkdown(outcomes);
process.stdout.write(table);
if (values.write !== undefined) await Bun.write(values.write, `${heading}${table}`);
const differing = outcomes.filter(({ problems }) => problems.length > 0);
for (const { row, problems } of differing) {
  process.stderr.write(`${row.table}: ${row.rule}\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
}
process.stderr.write(`${outcomes.length - differing.length} rows hold, ${differing.length} differ\n`);
process.exit(differing.length === 0 && outcomes.length > 0 ? 0 : 1);

async function runRow(row: Row): Promise<Outcome> {
  try {
    const { request, response, problems } = await row.run(world);
    return { row, request, response, problems };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { row, request: '', response: '', problems: [problem] };
  }
}

function formatMarkdown(outcomes: readonly Outcome[]): string {
  const tables = Map.groupBy(outcomes, ({ row }) => row.table);
  const lines = [...tables].flatMap(([name, rows]) => [
    '',
    `## ${name}`,
    '',
    '| Row | Request | Response | |',
    '|---|---|---|---|',
    ...rows.map(formatLine),
  ]);
  return `${lines.join('\n').trimStart()}\n`;
}

function formatLine({ row, request, response, problems }: Outcome): string {
  const verdict = problems.length === 0 ? 'holds' : `**differs**: ${problems.join('; ')}`;
  const cells = [row.rule, formatCode(request), formatCode(shorten(response)), verdict];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function formatCode(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('`', "'").replaceAll('\n', ' ')}\``;
}

function shorten(response: string): string {
  return response.length <= maxResponseLength ? response : `${response.slice(0, maxResponseLength)}…`;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
