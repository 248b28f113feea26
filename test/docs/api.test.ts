import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contract, createContract } from '../fixtures/contract.ts';
import type { OpenApiDocument } from '../fixtures/openapi.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';
import { requireTool } from '../fixtures/tools.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { type ActualResponse, type Example, formatResponse, insertResponses, parseExamples } from './examples.ts';

// Runs every curl command of docs/api.md in order, against a server set up as in its first section. `bun run docs:api` writes
// the responses into the text instead of comparing them.
const path = join(import.meta.dir, '../../docs/api.md');
const isRewriting = process.env['REWRITE_DOCS'] !== undefined;
const untilTimeoutMs = 60_000;
/** URLs in the text, which a test cannot reach. */
const shownBase = 'https://audio.example.org';
const shownHook = 'https://www.example.org/hooks/lectern';
const shownFeed = 'https://www.example.org/feed.xml';

let server: TestServer;
let receiver: ReturnType<typeof Bun.serve>;
let contract: Contract;
/** Folder of the files in the commands. */
const folder = createTemporaryFolder();
const variables: Record<string, string> = {};
const requestedRoutes = new Set<string>();

beforeAll(async () => {
  receiver = Bun.serve({
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/feed.xml' ? serveFeed(request) : new Response('', { status: 204 }),
  });
  const data = createTemporaryFolder();
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  await run('site', 'create', '--name', 'The Daily Example', '--domain', 'www.example.org');
  const { key } = await run('key', 'create', '--site', '1');
  const env = {
    LECTERN_WEBHOOK_ALLOW: 'localhost,127.0.0.1',
    LECTERN_FEED_ALLOW: 'localhost,127.0.0.1',
    LECTERN_FEED_PAUSE_S: '0',
    LECTERN_WORKERS: '1',
  };
  server = await startTestServer({ data, key: String(key), env, voices: 'built-in' });
  variables['BASE'] = server.url;
  variables['SETUP'] = insertSetupToken(data);
  variables['KEY'] = server.key;
  const voice = createToneVoice({ sampleRateHz: 22_050, language: 'en_GB' });
  await writeVoice(folder, 'en_GB-harbor-low', voice);
  const response = await fetch(`${server.url}/v1/openapi.json`);
  contract = createContract((await response.json()) as OpenApiDocument);
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await receiver?.stop(true);
});

test('every command of docs/api.md has the documented response, which conforms to the OpenAPI document', async () => {
  const markdown = readFileSync(path, 'utf8');
  const examples = parseExamples(markdown);
  const responses: string[] = [];
  const problems: string[] = [];
  for (const example of examples) {
    const { response, method, target } = await waitUntilFinished(example);
    responses.push(formatResponse(response, example.lineCount, replaceUrls));
    for (const { name, path: place } of example.captures) {
      variables[name] = String(getValue(response.body, place));
    }
    const [route] = contract.matching(method, target).toSorted(compareExactness);
    if (route !== undefined) requestedRoutes.add(`${route.method} ${route.path}`);
    const body = new TextEncoder().encode(response.body);
    const violations = contract.problems(route === undefined ? [] : [route], method, {
      ...response,
      body,
    });
    problems.push(...violations.map((problem) => `${method} ${target}: ${problem}`));
  }
  if (isRewriting) writeFileSync(path, insertResponses(markdown, examples, responses));

  expect(examples.length).toBeGreaterThan(0);
  expect(problems).toEqual([]);
  const shown = examples.map(({ command, response }) => `${command}\n${response}`);
  const real = examples.map(({ command }, index) => `${command}\n${responses[index]}`);
  if (!isRewriting) expect(real).toEqual(shown);
}, 300_000);

test('every documented route has a command in docs/api.md', () => {
  const routes = contract.routes.map(({ method, path: template }) => `${method} ${template}`);

  expect(routes.filter((route) => !requestedRoutes.has(route))).toEqual([]);
});

interface Run {
  readonly response: ActualResponse;
  readonly method: string;
  /** Path of the URL. */
  readonly target: string;
}

async function waitUntilFinished(example: Example): Promise<Run> {
  const deadline = Date.now() + untilTimeoutMs;
  while (true) {
    const run = await runCurl(example.command);
    const { until } = example;
    if (until === undefined || String(getValue(run.response.body, until.path)) === until.value) return run;
    if (Date.now() > deadline) throw new Error(`${example.command}: never ${until.value}`);
    await Bun.sleep(100);
  }
}

/** Runs a command in bash, with the variables captured so far. */
async function runCurl(command: string): Promise<Run> {
  const outputFormat = '%{stderr}%{method} %{url_effective}\n';
  const script = `curl() { ${requireTool('curl')} -sS -w '${outputFormat}' "$@"; }\n${toReal(command)}`;
  const child = Bun.spawn([requireTool('timeout'), '60', requireTool('bash'), '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...variables },
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const [, method = '', url = ''] = /^([A-Z]+) (\S+)$/m.exec(stderr) ?? [];
  // An endless stream: curl stopped at its limit.
  const isStopped = code === 28 && command.includes('--max-time');
  if ((code !== 0 && !isStopped) || url === '') throw new Error(`${command}\n${stderr}`);
  return { response: readResponse(stdout), method, target: new URL(url).pathname };
}

/** Parses the output of `curl -i`. */
function readResponse(printed: string): ActualResponse {
  const headEnd = printed.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = printed.slice(0, headEnd).split('\r\n');
  const [, status = '0', reason = ''] = /^HTTP\/1\.1 (\d+) ?(.*)$/.exec(statusLine) ?? [];
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(status), reason, headers, body: printed.slice(headEnd + 4) };
}

/** @param place such as `data.items.0.id` */
function getValue(body: string, place: string): unknown {
  const parts = place.split('.');
  return parts.reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | undefined)?.[part],
    JSON.parse(body),
  );
}

/** Creates a token as in the setup link that `serve` prints. */
function insertSetupToken(data: string): string {
  const token = 'x'.repeat(43);
  const hash = createHash('sha256').update(token).digest('hex');
  const database = new Database(join(data, 'lectern.db'));
  database.run('update setup_token set hash = ?', [hash]);
  database.close();
  return token;
}

function getHookUrl(): string {
  return `http://localhost:${receiver.port}/hooks/lectern`;
}

function getFeedUrl(): string {
  return `http://localhost:${receiver.port}/feed.xml`;
}

/** Two items, one of them too short. */
function serveFeed(request: Request): Response {
  const headers = { etag: '"1"', 'content-type': 'application/rss+xml' };
  if (request.headers.get('if-none-match') !== null) {
    return new Response(null, { status: 304, headers });
  }
  const buildItem = (number: number, title: string, text: string) =>
    `<item><guid isPermaLink="false">news/${number}</guid><title>${title}</title><link>https://harbor.example/news/${number}</link>
    <pubDate>Mon, 0${number} Jun 2026 08:00:00 GMT</pubDate><description>${text}</description></item>`;
  const items = [
    buildItem(2, 'Video', 'Watch it here.'),
    buildItem(1, 'Lighthouse', 'The lighthouse of Port Ellery opened its doors again on Saturday.'),
  ];
  const channel = `<channel><title>Harbor News</title><language>en-gb</language>${items.join('')}</channel>`;
  return new Response(`<rss version="2.0">${channel}</rss>`, { headers });
}

function toReal(command: string): string {
  return command.replaceAll(shownHook, getHookUrl()).replaceAll(shownFeed, getFeedUrl());
}

function replaceUrls(response: string): string {
  return response
    .replaceAll(getHookUrl(), shownHook)
    .replaceAll(getFeedUrl(), shownFeed)
    .replaceAll(server.url, shownBase);
}

function compareExactness(a: { path: string }, b: { path: string }): number {
  return a.path.split('{').length - b.path.split('{').length;
}
