import type { AudioRecord } from '../../src/audio/schema.ts';
import { storedRows } from '../api/stored-rows.ts';
import { runProcess } from '../fixtures/server.ts';
import type { Receiver } from '../fixtures/webhook-receiver.ts';
import { findAudioProblems } from './check-audio.ts';
import type { HonestCaller } from './honest-caller.ts';
import { findHostileProblem, findHostileStatus } from './hostile-posts.ts';
import type { HonestPost, HonestSite, HostileSite } from './ledger.ts';
import { readStatus, statusRequest } from './publisher.ts';
import type { CampaignRecord } from './record.ts';
import type { Installation } from './supervisor.ts';

/** Without any progress for so long, the rest is lost. */
const stallTimeoutMs = 240_000;
const pollPauseMs = 1_000;
const concurrency = 4;

export interface AccountingDeps {
  readonly supervisor: Installation;
  readonly record: CampaignRecord;
  readonly receiver: Receiver;
  /** The first one has the webhook. */
  readonly honest: readonly [HonestSite, ...HonestSite[]];
  readonly hostile?: HostileSite;
  readonly createCaller: (site: HonestSite) => HonestCaller;
  readonly command: readonly string[] | undefined;
}

/** Compares everything that was accepted with what became of it. Every difference is a violation. */
export async function account(deps: AccountingDeps): Promise<void> {
  await drain(deps);
  const audioUrls = await Promise.all(deps.honest.map((site) => accountForPosts(deps, site)));
  await accountForHostilePosts(deps);
  await accountForWebhooks(deps, audioUrls[0] ?? new Map());
  for (const site of deps.honest) accountForCounters(deps, site);
  await checkInstallation(deps);
}

/** Waits until nothing is unfinished any more and every webhook was delivered. */
async function drain({ supervisor, record }: AccountingDeps): Promise<void> {
  const count = (): number =>
    storedRows<{ count: number }>(
      supervisor.data,
      `select (select count(*) from audio where status in ('pending', 'generating'))
        + (select count(*) from webhook_delivery where state = 'pending') as count`,
    )[0]?.count ?? 0;
  const spoken = (): number =>
    storedRows<{ count: number }>(supervisor.data, 'select count(*) as count from segment')[0]?.count ?? 0;
  let last = { count: -1, spoken: -1 };
  let changedMs = performance.now();
  record.note(`${count()} audios and webhooks are unfinished`);
  for (;;) {
    const now = { count: count(), spoken: spoken() };
    if (now.count === 0) return;
    if (now.count !== last.count || now.spoken !== last.spoken) changedMs = performance.now();
    last = now;
    if (performance.now() - changedMs > stallTimeoutMs) {
      record.violation(`${now.count} audios and webhooks stay unfinished`);
      return;
    }
    await Bun.sleep(pollPauseMs);
  }
}

/** @returns the address of each MP3, by the id of its post */
async function accountForPosts(deps: AccountingDeps, site: HonestSite): Promise<Map<string, string>> {
  const audioUrls = new Map<string, string>();
  const posts = [...site.ledger.posts.values()];
  const caller = deps.createCaller(site);
  const turns = Array.from({ length: concurrency }, async () => {
    for (let post = posts.pop(); post !== undefined; post = posts.pop()) {
      const audio = await accountForPost(caller, deps.record, post);
      if (audio?.audio_url != null) audioUrls.set(post.postId, audio.audio_url);
    }
  });
  await Promise.all(turns);
  return audioUrls;
}

/** @returns the audio of a post that is there, as it must be */
async function accountForPost(
  caller: HonestCaller,
  record: CampaignRecord,
  post: HonestPost,
): Promise<AudioRecord | undefined> {
  const { postId, article } = post;
  if (article === undefined) {
    const answer = await caller.request({ ...statusRequest(postId), expected: [404] });
    if (answer?.status === 404) record.count(post.wasAccepted ? 'accounted: deleted' : 'accounted: never accepted');
    return undefined;
  }
  const answer = await caller.request(statusRequest(postId));
  if (answer?.status !== 200) return undefined;
  const audio = readStatus(answer);
  if (audio.status !== 'ready' || audio.progress_percent !== 100) {
    record.violation(`${postId} is ${audio.status}, ${audio.progress_percent} %: ${audio.error}`);
    return undefined;
  }
  const problems = (await findAudioProblems(caller, audio, article)) ?? ['a part of it is not there'];
  for (const problem of problems) record.violation(`${postId}: ${problem}`);
  if (problems.length === 0) record.count('accounted: ready and whole');
  return audio;
}

async function accountForHostilePosts({ supervisor, record, hostile }: AccountingDeps): Promise<void> {
  if (hostile === undefined) return;
  for (const [postId, post] of hostile.posts) {
    const found = await findHostileStatus({ url: () => supervisor.url, site: hostile }, postId);
    const problem = findHostileProblem(post, found?.status ?? 'without an answer', found?.error ?? null);
    if (problem !== undefined) record.violation(problem);
    record.count(`accounted: hostile ${found?.status}`);
  }
}

interface WebhookBody {
  readonly type: string;
  readonly data: { readonly id: number; readonly post_id: string; readonly audio_url: string | null };
}

/** Each message was received at least once, and the last one of an audio tells what became of it. */
async function accountForWebhooks(deps: AccountingDeps, audioUrls: ReadonlyMap<string, string>): Promise<void> {
  const { supervisor, record, receiver } = deps;
  const [{ siteId, ledger }] = deps.honest;
  const received = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  const rows = storedRows<{ message_id: string; state: string; body: string }>(
    supervisor.data,
    `select message_id, state, body from webhook_delivery join webhook_message on webhook_message.id = message_id
      where site_id = ${siteId} order by webhook_delivery.id`,
  );
  record.count('webhook messages', rows.length);
  record.count('webhook requests', receiver.received.length);
  const lastOf = new Map<number, WebhookBody>();
  const readyUrlsOfAll = new Set<string | null>();
  for (const { message_id, state, body } of rows) {
    const message = JSON.parse(body) as WebhookBody;
    const { id, post_id } = message.data;
    if (lastOf.get(id)?.type === 'audio.deleted') record.violation(`${message.type} of ${post_id} after its deletion`);
    lastOf.set(id, message);
    const { audio_url } = message.data;
    if (message.type === 'audio.ready' && readyUrlsOfAll.has(audio_url))
      record.violation(`${audio_url} is ready twice`);
    if (message.type === 'audio.ready') readyUrlsOfAll.add(audio_url);
    if (state !== 'delivered') record.violation(`the delivery of ${message.type} of ${post_id} is ${state}`);
    else if (!received.has(message_id)) record.violation(`${message.type} of ${post_id} was never received`);
  }
  const ends = [...lastOf.values()];
  const readyUrls = new Map(ends.map(({ data }) => [data.post_id, data.audio_url]));
  for (const [postId, url] of audioUrls) {
    if (readyUrls.get(postId) !== url) record.violation(`the last message of ${postId} is of ${readyUrls.get(postId)}`);
  }
  for (const id of [...ledger.posts.values()].flatMap(({ deletedAudioIds }) => deletedAudioIds)) {
    if (lastOf.get(id)?.type !== 'audio.deleted') record.violation(`audio ${id} was deleted without a message`);
  }
}

/** Quota and analytics count what was accepted, once. */
function accountForCounters(
  { supervisor: { data, failoverCount = 0 }, record }: AccountingDeps,
  { siteId, ledger: { posts, events } }: HonestSite,
): void {
  const [quota] = storedRows<{ amount: number | null }>(
    data,
    `select sum(amount) as amount from site_counter where site_id = ${siteId} and name like 'posts.%'`,
  );
  const accepted = [...posts.values()].filter(({ wasAccepted }) => wasAccepted).length;
  if ((quota?.amount ?? 0) !== accepted) record.violation(`the quota counts ${quota?.amount} of ${accepted} posts`);
  const days = storedRows<{ metric: string; amount: number }>(
    data,
    `select metric, sum(amount) as amount from event_day
      where site_id = ${siteId} and post = '' and dimension = 'all' group by metric`,
  );
  const amounts = new Map(days.map(({ metric, amount }) => [metric, amount]));
  for (const [type, count] of events) {
    const lost = count - (amounts.get(type) ?? 0);
    // Commits of events wait for no standby.
    if (lost > 0 && lost <= failoverCount) record.count(`${type} events lost by a failover`, lost);
    else if (lost !== 0) record.violation(`analytics count ${amounts.get(type)} of ${count} ${type} events`);
  }
}

async function checkInstallation({ supervisor: { data }, record, command }: AccountingDeps): Promise<void> {
  for (const words of [['check'], ['check', '--audios']]) {
    const options = command === undefined ? {} : { command };
    const { code, stdout, stderr } = await runProcess([...words, '--data', data], options);
    record.note(`lectern ${words.join(' ')}: ${stdout.trim().replaceAll('\n', '; ')}`);
    if (code !== 0) record.violation(`lectern ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  }
}
