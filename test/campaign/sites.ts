import { defaultVoiceFile } from '../fixtures/default-voice.ts';
import { runCommand } from '../fixtures/server.ts';
import { listVoices } from '../fixtures/voice-list.ts';
import { type Received, type Receiver, startReceiver } from '../fixtures/webhook-receiver.ts';
import { createRandom } from './random.ts';

/** A receiver that sometimes fails or is slow. */
export function startWebhookReceiver(seed: number): Receiver {
  const random = createRandom(seed, 'webhook receiver');
  return startReceiver(async (_: Received) => {
    if (random.chance(0.05)) await Bun.sleep(random.integer(100, 2_000));
    if (random.chance(0.9)) return new Response(null, { status: 204 });
    return new Response('not now', { status: random.pick([500, 503, 404]), headers: { 'retry-after': '1' } });
  });
}

export async function createSite(
  data: string,
  name: string,
  domain: string,
  voiceId: number,
): Promise<{ siteId: number; key: string }> {
  const { id } = await runJson(data, 'site', 'create', '--name', name, '--domain', domain);
  await runJson(data, 'site', 'update', String(id), '--default-voice', `${voiceId}`);
  const { key } = await runJson(data, 'key', 'create', '--site', String(id));
  return { siteId: Number(id), key: String(key) };
}

/** Runs a command that prints JSON. */
export async function runJson(data: string, ...words: string[]): Promise<Record<string, unknown>> {
  const env = { LECTERN_WEBHOOK_ALLOW: '127.0.0.1', LECTERN_FEED_ALLOW: '127.0.0.1' };
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json'], { env });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Most posts have the tone voice; the other one is built in. */
export async function findVoiceIds(data: string): Promise<{ voiceId: number; slowVoiceId: number }> {
  const { voices } = await listVoices(data);
  const english = voices.filter(({ language }) => language === 'en');
  const fast = english.find(({ file }) => file === defaultVoiceFile);
  const slow = english.find(({ file }) => file !== defaultVoiceFile);
  if (fast === undefined || slow === undefined) throw new Error(`voices are missing: ${JSON.stringify(voices)}`);
  return { voiceId: fast.id, slowVoiceId: slow.id };
}
