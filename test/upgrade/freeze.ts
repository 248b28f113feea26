// Writes a data folder of an earlier build into test/upgrade/frozen, for upgrade.test.ts:
//   bun test/upgrade/freeze.ts COMMIT NAME              the build of a commit
//   bun test/upgrade/freeze.ts COMMIT NAME --earlier    with the two voices of voices/earlier as its built-in voices
// COMMIT is checked out and installed in a temporary folder. Its server is killed while it generates an article.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrozenFacts, GenerateBody } from './frozen-folder.ts';

const repository = join(import.meta.dir, '../..');
const pollIntervalMs = 100;
const patienceMs = 90_000;
/** No receiver listens there, so the webhook message stays undelivered. */
const deadUrl = 'http://127.0.0.1:9/hook';
const email = 'editor@paper.example';
const password = 'correct horse battery staple';
const domain = 'www.paper.example';

const emptyFeed = '<?xml version="1.0"?><rss version="2.0"><channel><title>Paper</title></channel></rss>';
const environment = {
  PATH: process.env['PATH'] ?? '',
  LECTERN_WORKERS: '1',
  LECTERN_LOG_LEVEL: 'error',
  LECTERN_OPTIMIZE_VOICES: 'off',
  LECTERN_WEBHOOK_ALLOW: '127.0.0.1',
  LECTERN_FEED_ALLOW: '127.0.0.1',
  LECTERN_RATE_PAGE: '100000',
  LECTERN_RATE_KEY: '100000',
};

const sentence = 'The lighthouse of Port Ellery opened its doors again on Saturday, after two years of work.';
const ready: GenerateBody = { post_id: 'ready', post_title: 'Lighthouse', content: `<p>${sentence}</p>` };
const further = [
  'It was the third attempt.',
  'Nobody had expected so many visitors.',
  'The keeper lit the lamp at nine.',
];
const halfMade: GenerateBody = {
  post_id: 'half-made',
  content: Array.from({ length: 8 }, (_, n) => `<p>${sentence} ${further[n % 3]} Visitor ${n + 1} waved.</p>`).join(''),
};

const [commit, name, option] = process.argv.slice(2);
if (commit === undefined || name === undefined || (option !== undefined && option !== '--earlier')) {
  process.stderr.write('Usage: bun test/upgrade/freeze.ts COMMIT NAME [--earlier]\n');
  process.exit(2);
}
const checkout = mkdtempSync(join(tmpdir(), 'lectern-freeze-'));
const data = mkdtempSync(join(tmpdir(), 'lectern-frozen-'));
try {
  await run(['git', '-C', repository, 'worktree', 'add', '--detach', checkout, commit]);
  await run([process.execPath, 'install', '--frozen-lockfile'], { cwd: checkout });
  if (option === '--earlier') await useEarlierVoices();
  await freeze(commit, join(import.meta.dir, 'frozen', `${name}.tar.gz`));
} finally {
  await run(['git', '-C', repository, 'worktree', 'remove', '--force', checkout]);
  rmSync(data, { recursive: true, force: true });
}

async function freeze(ofCommit: string, archive: string): Promise<void> {
  const feed = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(emptyFeed) });
  const feedSourceUrl = `http://127.0.0.1:${feed.port}/feed.xml`;
  const key = await createContent(feedSourceUrl);
  const server = Bun.spawn([process.execPath, join(checkout, 'src/main.ts'), 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  });
  let facts: Awaited<ReturnType<typeof useServer>>;
  try {
    facts = await useServer(await findAddress(server.stdout), key);
  } finally {
    server.kill('SIGKILL');
    await server.exited;
    await feed.stop(true);
  }
  await Bun.write(
    join(data, 'frozen.json'),
    JSON.stringify({ commit: ofCommit, key, email, password, feedSourceUrl, ...facts } satisfies FrozenFacts, null, 2),
  );
  mkdirSync(join(archive, '..'), { recursive: true });
  const caches = ['--exclude=native-*', '--exclude=./media', '--exclude=./optimized', '--exclude=./lock.db*'];
  await run(['tar', '-C', data, ...caches, '-czf', archive, '.']);
  process.stdout.write(`${archive}: ${Math.ceil(Bun.file(archive).size / 1024)} KB\n`);
}

/** @returns an API key of the site */
async function createContent(feedSourceUrl: string): Promise<string> {
  // Registers the built-in voices.
  await runLectern(['voice', 'list']);
  await runLectern(['site', 'create', '--name', 'Paper', '--domain', domain]);
  await runLectern(['site', 'create', '--name', 'Other', '--domain', 'www.other.example']);
  const { key } = (await runLectern(['key', 'create', '--site', 'paper'])) as { key: string };
  await runLectern(
    ['user', 'create', '--email', email, '--role', 'editor', '--site', 'paper', '--password-stdin'],
    password,
  );
  await runLectern(['lexicon', 'add', 'Ellery', 'EL-uh-ree', '--site', 'paper']);
  await runLectern(['webhook', 'create', '--site', 'paper', '--url', deadUrl]);
  await runLectern(['source', 'add', feedSourceUrl, '--site', 'paper', '--voice', '1']);
  await runLectern([
    ...['site', 'update', 'paper', '--default-voice', '2', '--allow-switch', 'true', '--extra-voices', '1'],
    ...['--bit-rate', '32', '--feed', '{"enabled": true}'],
  ]);
  return key;
}

async function useServer(url: string, key: string) {
  const request = async (path: string, body?: object): Promise<Envelope> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(url + path, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Envelope;
  };
  const { voices = [] } = (await request(`/v1/public/voices?domain=${domain}`)).data;
  await request('/v1/audio/generate', ready);
  const isReady = async (): Promise<boolean> => (await request('/v1/audio/ready/status')).data.status === 'ready';
  await waitUntil('the post is ready', isReady);
  await waitUntil(
    'its extra voice is ready',
    async () => ((await request(`/v1/public/audio?domain=${domain}&post_id=ready`)).data.variants ?? []).length > 0,
  );
  const { audio_url = '' } = (await request('/v1/audio/ready/status')).data;
  const mp3 = await (await fetch(audio_url)).bytes();
  const plays = 3;
  const play = { type: 'play', post_id: 'ready', position_seconds: 0 };
  await request(`/v1/public/events?domain=${domain}`, { events: Array.from({ length: plays }, () => play) });

  await request('/v1/audio/generate', halfMade);
  await waitUntil(
    'the next is half-made',
    async () => ((await request('/v1/audio/half-made/status')).data.progress_percent ?? 0) > 20,
  );
  await runLectern(['queue', 'pause']);
  const [french] = voices.filter(({ language }) => language === 'fr');
  const queued: GenerateBody[] = [
    halfMade,
    { post_id: 'queued-default', content: sentence },
    { post_id: 'queued-first', content: sentence, voice_id: 1 },
    { post_id: 'queued-second', content: sentence, voice_id: 2 },
    { post_id: 'queued-language', content: sentence, language: 'en' },
    ...(french === undefined
      ? []
      : [
          {
            post_id: 'queued-fr',
            content: 'Le phare de Port Ellery rouvre ses portes samedi, après deux ans de travaux.',
            voice_id: french.id,
          },
        ]),
  ];
  for (const body of queued.slice(1)) await request('/v1/audio/generate', body);
  if ((await request('/v1/audio/half-made/status')).data.status !== 'generating')
    throw new Error('not half-made any more');
  const sha256 = new Bun.CryptoHasher('sha256').update(mp3).digest('hex');
  return {
    ...{ schema: await readSchema(), frozenAt: new Date().toISOString(), plays, queued },
    voices: voices.map(({ id, name: named, language }) => ({ id, name: named, language })),
    ready: { request: ready, url: new URL(audio_url).pathname, sha256 },
  };
}

async function readSchema(): Promise<number> {
  // Bytes 60 to 63 of the header; the first checkpoint may not have been written.
  const { default: BetterSqlite } = await import('better-sqlite3');
  const database = new BetterSqlite(join(data, 'lectern.db'), { readonly: true });
  return Number(database.pragma('user_version', { simple: true }));
}

type Envelope = {
  readonly data: {
    readonly status?: string;
    readonly progress_percent?: number;
    readonly audio_url?: string;
    readonly variants?: readonly unknown[];
    readonly voices?: FrozenFacts['voices'];
  };
};

/** Replaces the built-in voices in the checkout with the two first voices of Lectern. */
async function useEarlierVoices(): Promise<void> {
  const path = join(checkout, 'src/voices/catalog.ts');
  const source = await Bun.file(path).text();
  const imports = ['alder', 'linden'].flatMap((stem) =>
    ['', '.json'].map((suffix) => {
      const variable = `${stem}${suffix === '' ? 'Model' : 'Config'}`;
      return `import ${variable} from '../../voices/earlier/en_US-${stem}-low.onnx${suffix}' with { type: 'file' };\n`;
    }),
  );
  const formatVoice = (stem: string, gender: string, gainDb: number): string => `{
    stem: 'en_US-${stem}-low', modelPath: ${stem}Model, configPath: toEmbeddedPath(${stem}Config), speaker: 0, gender: '${gender}',
    license: 'CMU Flite licence (MIT-like, notice kept): voices/LICENSE.md',
    source: 'Made for Lectern: distilled from CMU Flite', gainDb: ${gainDb} }`;
  const table = `export const builtinVoices: readonly BuiltinVoice[] = [${formatVoice('alder', 'male', 2.69)}, ${formatVoice('linden', 'female', 5.48)}];\n\n`;
  const changed = source.replace(/export const builtinVoices[\s\S]*?\n\}\)\);\n\n/, table);
  if (changed === source) throw new Error(`no table of built-in voices in ${path}`);
  await Bun.write(path, imports.join('') + changed);
}

/** Runs a command of the earlier build. @returns its result */
async function runLectern(words: readonly string[], stdin = ''): Promise<unknown> {
  const command = [process.execPath, join(checkout, 'src/main.ts'), ...words, '--data', data, '--json'];
  const child = Bun.spawn(command, { stdio: [new Blob([stdin]), 'pipe', 'inherit'], env: environment });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`lectern ${words.join(' ')} failed`);
  return JSON.parse(output);
}

async function run(command: string[], options: { cwd?: string; env?: Record<string, string> } = {}): Promise<void> {
  const env = { ...process.env, ...options.env };
  const child = Bun.spawn(command, { ...options, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
}

async function findAddress(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk);
    const address = /listening on (\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the server ended: ${text}`);
}

async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`it takes too long until ${what}`);
    await Bun.sleep(pollIntervalMs);
  }
}
