import type { AudioRecord } from '../../src/audio/schema.ts';
import { readRows } from '../api/stored-rows.ts';
import { runProcess } from '../fixtures/server.ts';
import type { Receiver } from '../fixtures/webhook-receiver.ts';
import { findAudioProblems } from './check-audio.ts';
import type { HonestClient } from './honest-client.ts';
import { findHostileProblem, findHostileStatus } from './hostile-posts.ts';
import type { HonestPost, HonestSite, HostileSite } from './ledger.ts';
import { buildStatusRequest, readStatus } from './publisher.ts';
import type { CampaignRecord } from './record.ts';
import type { Installation } from './supervisor.ts';

/** Without progress for this time, unfinished posts count as lost. */
const stallTimeoutMs = 240_000;
const pollPauseMs = 1_000;
const concurrency = 4;

export interface AccountingDeps {
  readonly supervisor: Installation;
  readonly record: CampaignRecord;
  readonly receiver: Receiver;
  readonly honest: readonly HonestSite[];
  readonly hostile?: HostileSite;
  readonly createClient: (site: HonestSite) => HonestClient;
  readonly command: readonly string[] | undefined;
}

/** Compares all accepted requests with their results. Every difference is a violation. */
export async function account(deps: AccountingDeps): Promise<void> {
  await drain(deps);
  for (const site of deps.honest) {
    const audioUrls = await accountForPosts(deps, site);
    if (site.hasWebhook) accountForWebhooks(deps, site, audioUrls);
    accountForCounters(deps, site);
  }
  deps.record.count('webhook requests', deps.receiver.received.length);
  await accountForHostilePosts(deps);
  await checkInstallation(deps);
}

/** Waits until all audio is finished and every webhook message delivered. */
async function drain({ supervisor, record }: AccountingDeps): Promise<void> {
  const count = (): number =>
    readRows<{ count: number }>(
      supervisor.data,
      `select (select count(*) from audio where status in ('pending', 'generating'))
        + (select count(*) from webhook_delivery where state = 'pending') as count`,
    )[0]?.count ?? 0;
  const countSegments = (): number =>
    readRows<{ count: number }>(supervisor.data, 'select count(*) as count from segment')[0]?.count ?? 0;
  let last = { count: -1, spoken: -1 };
  let changedMs = performance.now();
  record.note(`${count()} audios and webhooks are unfinished`);
  for (;;) {
    const now = { count: count(), spoken: countSegments() };
    if (now.count === 0) return;
    if (now.count !== last.count || now.spoken !== last.spoken) changedMs = performance.now();
    last = now;
    if (performance.now() - changedMs > stallTimeoutMs) {
      record.recordViolation(`${now.count} audios and webhooks stay unfinished`);
      return;
    }
    await Bun.sleep(pollPauseMs);
  }
}

/** @returns the URL of each MP3, by post id */
async function accountForPosts(deps: AccountingDeps, site: HonestSite): Promise<Map<string, string>> {
  const audioUrls = new Map<string, string>();
  const posts = [...site.ledger.posts.values()];
  const client = deps.createClient(site);
  const turns = Array.from({ length: concurrency }, async () => {
    for (let post = posts.pop(); post !== undefined; post = posts.pop()) {
      const audio = await accountForPost(client, deps.record, post);
      if (audio?.audio_url != null) audioUrls.set(post.postId, audio.audio_url);
    }
  });
  await Promise.all(turns);
  return audioUrls;
}

/** @returns the audio of a post, which must exist and be correct */
async function accountForPost(
  client: HonestClient,
  record: CampaignRecord,
  post: HonestPost,
): Promise<AudioRecord | undefined> {
  const { postId, article } = post;
  if (article === undefined) {
    const response = await client.request({ ...buildStatusRequest(postId), expected: [404] });
    if (response?.status === 404) record.count(post.wasAccepted ? 'accounted: deleted' : 'accounted: never accepted');
    return undefined;
  }
  const response = await client.request(buildStatusRequest(postId));
  if (response?.status !== 200) return undefined;
  const audio = readStatus(response);
  if (audio.status !== 'ready' || audio.progress_percent !== 100) {
    record.recordViolation(`${postId} is ${audio.status}, ${audio.progress_percent} %: ${audio.error}`);
    return undefined;
  }
  const problems = (await findAudioProblems(client, audio, article)) ?? ['a part of it is not there'];
  for (const problem of problems) record.recordViolation(`${postId}: ${problem}`);
  if (problems.length === 0) record.count('accounted: ready and whole');
  return audio;
}

async function accountForHostilePosts({ supervisor, record, hostile }: AccountingDeps): Promise<void> {
  if (hostile === undefined) return;
  for (const [postId, post] of hostile.posts) {
    const found = await findHostileStatus({ url: () => supervisor.url, site: hostile }, postId);
    const problem = findHostileProblem(post, found?.status ?? 'without a response', found?.error ?? null);
    if (problem !== undefined) record.recordViolation(problem);
    record.count(`accounted: hostile ${found?.status}`);
  }
}

interface WebhookBody {
  readonly type: string;
  readonly data: { readonly id: number; readonly post_id: string; readonly audio_url: string | null };
}

/** Checks that each message was received at least once, and that the last one of an audio has its final status. */
function accountForWebhooks(
  { supervisor, record, receiver }: AccountingDeps,
  { siteId, ledger }: HonestSite,
  audioUrls: ReadonlyMap<string, string>,
): void {
  const received = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  const rows = readRows<{ message_id: string; state: string; body: string }>(
    supervisor.data,
    `select message_id, state, body from webhook_delivery join webhook_message on webhook_message.id = message_id
      where site_id = ${siteId} order by webhook_delivery.id`,
  );
  record.count('webhook messages', rows.length);
  const lastOf = new Map<number, WebhookBody>();
  const readyUrlsOfAll = new Set<string | null>();
  for (const { message_id, state, body } of rows) {
    const message = JSON.parse(body) as WebhookBody;
    const { id, post_id } = message.data;
    if (lastOf.get(id)?.type === 'audio.deleted')
      record.recordViolation(`${message.type} of ${post_id} after its deletion`);
    lastOf.set(id, message);
    const { audio_url } = message.data;
    if (message.type === 'audio.ready' && readyUrlsOfAll.has(audio_url))
      record.recordViolation(`${audio_url} is ready twice`);
    if (message.type === 'audio.ready') readyUrlsOfAll.add(audio_url);
    if (state !== 'delivered') record.recordViolation(`the delivery of ${message.type} of ${post_id} is ${state}`);
    else if (!received.has(message_id)) record.recordViolation(`${message.type} of ${post_id} was never received`);
  }
  const ends = [...lastOf.values()];
  const readyUrls = new Map(ends.map(({ data }) => [data.post_id, data.audio_url]));
  for (const [postId, url] of audioUrls) {
    if (readyUrls.get(postId) !== url)
      record.recordViolation(`the last message of ${postId} is of ${readyUrls.get(postId)}`);
  }
  for (const id of [...ledger.posts.values()].flatMap(({ deletedAudioIds }) => deletedAudioIds)) {
    if (lastOf.get(id)?.type !== 'audio.deleted') record.recordViolation(`audio ${id} was deleted without a message`);
  }
}

/** Checks that quota and analytics count accepted requests once. */
function accountForCounters(
  { supervisor: { data, failoverCount = 0 }, record }: AccountingDeps,
  { siteId, ledger: { posts, events } }: HonestSite,
): void {
  const [quota] = readRows<{ amount: number | null }>(
    data,
    `select sum(amount) as amount from site_counter where site_id = ${siteId} and name like 'posts.%'`,
  );
  const accepted = [...posts.values()].filter(({ wasAccepted }) => wasAccepted).length;
  if ((quota?.amount ?? 0) !== accepted)
    record.recordViolation(`the quota counts ${quota?.amount} of ${accepted} posts`);
  const days = readRows<{ metric: string; amount: number }>(
    data,
    `select metric, sum(amount) as amount from event_day
      where site_id = ${siteId} and post = '' and dimension = 'all' group by metric`,
  );
  const amounts = new Map(days.map(({ metric, amount }) => [metric, amount]));
  for (const [type, count] of events) {
    const lostCount = count - (amounts.get(type) ?? 0);
    // Commits of events do not wait for the standby.
    if (lostCount > 0 && lostCount <= failoverCount) record.count(`${type} events lost in a failover`, lostCount);
    else if (lostCount !== 0) record.recordViolation(`analytics count ${amounts.get(type)} of ${count} ${type} events`);
  }
}

async function checkInstallation({ supervisor: { data }, record, command }: AccountingDeps): Promise<void> {
  for (const words of [['check'], ['check', '--audios']]) {
    const options = command === undefined ? {} : { command };
    const { code, stdout, stderr } = await runProcess([...words, '--data', data], options);
    record.note(`lectern ${words.join(' ')}: ${stdout.trim().replaceAll('\n', '; ')}`);
    if (code !== 0) record.recordViolation(`lectern ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  }
}
