import { describe, expect, test } from 'bun:test';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import {
  createTemporaryFolder,
  type Envelope,
  runProcess,
  startServerForFile,
  startTestServer,
} from '../fixtures/server.ts';
import { buildArticle } from './articles.ts';

const server = await startServerForFile();

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

/** Parses the text format line by line. @throws on an invalid line */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  const helps = new Map<string, string>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    if (help !== null) {
      expect(helps.has(help[1] ?? '')).toBe(false);
      helps.set(help[1] ?? '', help[2] ?? '');
      continue;
    }
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary)$/.exec(line);
    if (type !== null) {
      const [, name = '', kind = ''] = type;
      families.set(name, { type: kind, help: helps.get(name) ?? '', samples: [] });
      continue;
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$/.exec(line);
    if (sample === null) throw new Error(`no line of the format: ${line}`);
    const [, name = '', labels = '', value = ''] = sample;
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (family === undefined) throw new Error(`without a type: ${line}`);
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)];
    const number = value === '+Inf' ? Infinity : Number(value);
    if (Number.isNaN(number)) throw new Error(`no number: ${line}`);
    const labelled = Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text]));
    family.samples.push({ name, labels: labelled, value: number });
  }
  return families;
}

async function scrape(from = server): Promise<Map<string, Family>> {
  const response = await fetch(`${from.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4');
  return parse(await response.text());
}

/** @returns the sum of the samples with these labels */
function sumSamples(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  if (family === undefined) throw new Error(`no metric ${name}`);
  return family.samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

const readQueueDepth = (families: Map<string, Family>) => sumSamples(families, 'lectern_queue_depth');
const readWaitingCharacters = (families: Map<string, Family>) =>
  sumSamples(families, 'lectern_queue_waiting_characters');

describe('metrics', () => {
  test('follow format and naming rules of Prometheus', async () => {
    await server.request('/v1/audio/none/status');
    const families = await scrape();
    for (const [name, { type, help, samples }] of families) {
      expect(help).not.toBe('');
      expect(name).toMatch(/^(lectern|process|nodejs)_[a-z0-9_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      const isHistogram = type === 'histogram';
      for (const sample of samples) expect(sample.name !== name).toBe(isHistogram);
    }
    expect([...families.keys()]).toContain('process_resident_memory_bytes');
    expect([...families.keys()]).toContain('nodejs_eventloop_lag_p99_seconds');
    const [build] = families.get('lectern_build_info')?.samples ?? [];
    expect(build).toMatchObject({ value: 1, labels: { version: expect.stringMatching(/^\d+\./) } });
    expect(sumSamples(families, 'lectern_database_size_bytes')).toBeGreaterThan(10_000);
    expect(families.get('lectern_bucket_available')?.samples).toEqual([]);
  });

  test('count synthesized and reused segments, and outcomes', async () => {
    const before = await scrape();
    expect(readQueueDepth(before)).toBe(0);
    // With LECTERN_PRELOAD=off, workers start with the first text.
    expect(sumSamples(before, 'lectern_workers')).toBe(0);
    const content = buildArticle('the metrics');
    await server.generate({ post_id: 'spoken', content });
    const record = await server.waitUntilFinished('spoken');
    expect(record.status).toBe('ready');
    const spoken = await eventually(async () => {
      const families = await scrape();
      return sumSamples(families, 'lectern_generations_total', { outcome: 'ready' }) > 0 && families;
    }, 'the audio is counted');
    const segmentCount = sumSamples(spoken, 'lectern_segments_total', { source: 'spoken' });
    expect(segmentCount).toBeGreaterThan(0);
    expect(sumSamples(spoken, 'lectern_real_time_factor_count')).toBe(segmentCount);
    const seconds = sumSamples(spoken, 'lectern_spoken_audio_seconds_total');
    expect(Math.abs(seconds - (record.duration_seconds ?? 0))).toBeLessThan(1);
    expect(sumSamples(spoken, 'lectern_worker_tasks_total', { task: 'speak', outcome: 'done' })).toBe(segmentCount);
    expect(sumSamples(spoken, 'lectern_workers')).toBeGreaterThan(0);
    expect(sumSamples(spoken, 'lectern_worker_memory_bytes')).toBeGreaterThan(10_000_000);

    await server.generate({
      post_id: 'spoken',
      content: `${content} One more sentence at its end.`,
    });
    await server.generate({ post_id: 'silent', content: '<p></p>'.repeat(20) });
    expect((await server.waitUntilFinished('silent')).status).toBe('failed');
    expect((await server.waitUntilFinished('spoken')).status).toBe('ready');
    const after = await eventually(async () => {
      const families = await scrape();
      return sumSamples(families, 'lectern_generations_total') === 3 && families;
    }, 'all three are counted');
    expect(sumSamples(after, 'lectern_segments_total', { source: 'reused' })).toBeGreaterThan(0);
    expect(sumSamples(after, 'lectern_generations_total', { outcome: 'failed' })).toBe(1);
    expect(sumSamples(after, 'lectern_generation_failures_total', { reason: 'no_text' })).toBe(1);
    expect(readQueueDepth(after)).toBe(0);
    expect(sumSamples(after, 'lectern_queue_oldest_age_seconds')).toBe(0);
  });

  test('report the length of the queue and the age of its oldest audio', async () => {
    const release = holdWorkers(server);
    const ids = Array.from({ length: 8 }, (_, index) => `queued ${index}`);
    for (const post_id of ids) {
      const content = buildArticle(post_id);
      expect((await server.generate({ post_id, content, priority: 'low' })).status).toBe(202);
    }
    const busy = await scrape();
    expect(readQueueDepth(busy)).toBe(8);
    expect(sumSamples(busy, 'lectern_queue_depth', { priority: 'low' })).toBe(8);
    const older = await eventually(async () => {
      const families = await scrape();
      const age = sumSamples(families, 'lectern_queue_oldest_age_seconds');
      return age > 0.2 && readWaitingCharacters(families) > 0 && { age, families };
    }, 'the oldest grows older');
    expect(older.age).toBeLessThan(90);
    for (const post_id of ids) {
      await server.request(`/v1/audio/${encodeURIComponent(post_id)}`, { method: 'DELETE' });
    }
    release();
    const empty = await scrape();
    expect([readQueueDepth(empty), readWaitingCharacters(empty)]).toEqual([0, 0]);
  });

  test('report latencies by route pattern, so that clients cannot create series', async () => {
    const name = 'lectern_http_request_duration_seconds_count';
    const paths = Array.from({ length: 60 }, (_, index) => index);
    const before = await scrape();
    for (const index of paths) {
      await server.request(`/v1/audio/post-${index}/status`);
      await server.request(`/nothing/of/the/kind-${index}`);
      await server.request('/v1/audio/status?post_id=a', {
        method: index % 2 === 0 ? 'PROPFIND' : 'SEARCH',
      });
    }
    const after = await scrape();
    const measureGrowth = (labels: Record<string, string>) =>
      sumSamples(after, name, labels) - sumSamples(before, name, labels);
    expect(measureGrowth({ route: '/v1/audio/:post_id/status', method: 'GET', status: '4xx' })).toBe(60);
    expect(measureGrowth({ route: 'unmatched', method: 'GET', status: '4xx' })).toBe(60);
    expect(measureGrowth({ route: '/v1/audio/status', method: 'other', status: '4xx' })).toBe(60);
    const text = JSON.stringify([...after]);
    expect(text).not.toContain('post-1');
    expect(text).not.toContain('kind-1');
    expect(text).not.toContain('PROPFIND');
  });

  test('show that unknown names use no memory', async () => {
    const before = sumSamples(await scrape(), 'lectern_limited_callers');
    const names = Array.from({ length: 300 }, () => crypto.randomUUID());
    for (const name of names) {
      const headers = { 'x-api-key': `svc_live_${name.replaceAll('-', '').padEnd(43, 'x')}` };
      expect((await fetch(`${server.url}/v1/public/voices?domain=${name}.example`)).status).toBe(404);
      expect((await server.request('/v1/audio/none/status', { headers })).status).toBe(401);
    }
    // One more: the address that sent the wrong keys.
    expect(sumSamples(await scrape(), 'lectern_limited_callers')).toBeLessThanOrEqual(before + 1);
  });
});

describe('metrics are available', () => {
  test('to the local machine, but not through a proxy', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
      const response = await fetch(`${server.url}/metrics`, { headers: { [name]: '127.0.0.1' } });
      expect(response.status).toBe(404);
      expect(((await response.json()) as Envelope<unknown>).message).toBe('Not found');
    }
    expect((await fetch(`${server.url}/metrics`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  test('to clients with the token, if configured', async () => {
    const guarded = await startTestServer({ env: { LECTERN_METRICS_TOKEN: 'correct-horse' } });
    const request = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${guarded.url}/metrics`, { headers });
      return { status: response.status, text: await response.text(), headers: response.headers };
    };
    for (const invalidInputs of [undefined, 'Bearer', 'Bearer wrong', 'Basic correct-horse', 'Bearer correct-horse-']) {
      const { status, text, headers } = await request(invalidInputs);
      expect([status, JSON.parse(text)]).toEqual([401, { success: false, message: 'Metrics token missing or wrong' }]);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    const shown = await request('Bearer correct-horse');
    expect(shown.status).toBe(200);
    parse(shown.text);
    expect(guarded.log()).not.toContain('correct-horse');
    await guarded.stop('SIGKILL');
  });

  test('only on a separate port, if configured', async () => {
    const apart = await startTestServer({ env: { LECTERN_METRICS_PORT: '0' } });
    const address = await eventually(
      () => /"address":"(http:[^"]+)","msg":"metrics"/.exec(apart.log())?.[1],
      'the port is told',
    );
    expect((await fetch(`${apart.url}/metrics`)).status).toBe(404);
    const response = await fetch(address);
    expect(response.status).toBe(200);
    parse(await response.text());
    expect((await fetch(new URL('/v1/audio/status', address))).status).toBe(404);
    // A port in use is reported in one plain line.
    const second = await runProcess(['serve', '--data', createTemporaryFolder(), '--port', '0'], {
      env: { LECTERN_METRICS_PORT: new URL(address).port },
    });
    expect(second.code).not.toBe(0);
    expect(second.stderr).toContain('port already in use');
    expect(await apart.stop()).toBe(0);
  });

  test('to no client by default if the base URL implies a proxy', async () => {
    const proxied = await startTestServer({ flags: ['--base-url', 'https://audio.example.org'] });
    expect((await fetch(`${proxied.url}/metrics`)).status).toBe(404);
    await proxied.stop('SIGKILL');
  });
});
