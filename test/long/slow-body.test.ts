import { expect, test } from 'bun:test';
import { buildArticle } from '../api/articles.ts';
import { exchangeRaw } from '../fixtures/raw-http.ts';
import { startTestServer } from '../fixtures/server.ts';

test('a body at 1.5 KB/s is read for longer than the idle timeout of a connection', async () => {
  const server = await startTestServer();
  const body = new TextEncoder().encode(
    JSON.stringify({ post_id: 'slow', content: buildArticle('patience') }).padEnd(110_000),
  );
  const headers = [
    ['Content-Type', 'application/json'],
    ['X-API-Key', server.key],
  ] as const;
  const request = { method: 'POST', target: '/v1/audio/generate', headers, body };
  const response = await exchangeRaw(server.url, request, 120_000, { bytes: 1_500, everyMs: 1_000 });
  expect(response.status).toBe(202);
  await server.stop();
}, 180_000);
