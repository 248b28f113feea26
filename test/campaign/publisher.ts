import type { AudioRecord } from '../../src/audio/schema.ts';
import { correctArticle, writeArticle } from './articles.ts';
import { findAudioProblems } from './check-audio.ts';
import type { HonestClient, HonestResponse } from './honest-client.ts';
import type { HonestPost, Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { CampaignRecord } from './record.ts';

/** Maximum number of posts of a client, which deletes older ones to keep the data folder small. */
const maxPosts = 60;
const maxUnfinishedPosts = 12;
const pauseMs = 500;
const maxSentences = 7;
const maxSlowSentences = 3;
/** A hurried client waits less after it was late, such as during a failover. */
const hurriedTurnMs = 1_000;
const maxLateMs = 5_000;
const maxHurriedPosts = 15;
/** A hurried client corrects its newest posts only, whose status it asks for in each turn. */
const newestPostCount = 8;
const maxHurriedUnfinishedPosts = 2;
const maxHurriedSentences = 2;
/** Corrections add more sentences than they remove. */
const maxCorrectedSentences = 6;
/** A check takes a tenth of a second of the only thread of all clients. */
const hurriedCheckShare = 0.02;

export interface PublisherOptions {
  readonly client: HonestClient;
  readonly ledger: Ledger;
  readonly record: CampaignRecord;
  readonly random: Random;
  readonly name: string;
  /** Of its site. */
  readonly domain?: string;
  readonly voiceId: number;
  /** A built-in voice, which is slower and gets few articles. */
  readonly slowVoiceId: number;
  /**
   * One accepted post or correction a second, of short posts, with few checks. While posts wait, it corrects these: the queue does
   * not grow, however slow the synthesis is.
   */
  readonly isHurried?: boolean;
  readonly isOver: () => boolean;
}

/** A CMS that submits, corrects, deletes and polls. No other client changes its posts. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #posts: HonestPost[] = [];
  #postCount = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { random, isOver, isHurried } = this.#options;
    let dueMs = performance.now();
    while (!isOver()) {
      if (isHurried) await this.#hurry();
      else await this.#act();
      const now = performance.now();
      dueMs = isHurried ? Math.max(dueMs + hurriedTurnMs, now - maxLateMs) : now + random.between(0, 2 * pauseMs);
      await Bun.sleep(Math.max(0, dueMs - now));
    }
  }

  async #hurry(): Promise<void> {
    const { random } = this.#options;
    const live = this.#posts.filter(({ article }) => article !== undefined);
    const newest = live.slice(-newestPostCount);
    const statuses = await this.#readStatuses(newest);
    const select = (status: AudioRecord['status']) => newest.filter(({ postId }) => statuses.get(postId) === status);
    // Corrected again and again, a post in progress would never end. Few are in progress: speakers claim only what they can synthesize.
    const [first, ...others] = [select('pending'), select('ready')].find((posts) => posts.length > 0) ?? [];
    const isFull = countUnfinished(statuses) >= maxHurriedUnfinishedPosts;
    if (first !== undefined && (isFull || random.chance(0.5))) await this.#correct(random.pick([first, ...others]));
    else await this.publish();
    const [oldest] = live;
    if (oldest !== undefined && live.length > maxHurriedPosts) await this.#delete(oldest);
    const [ready] = select('ready');
    if (ready !== undefined && random.chance(hurriedCheckShare)) await this.#check(ready);
  }

  async #act(): Promise<void> {
    const { record, random } = this.#options;
    const live = this.#posts.filter(({ article }) => article !== undefined);
    const [first, ...others] = live;
    if (first === undefined) return this.publish();
    const post = random.pick([first, ...others]);
    if (await this.#isBusy(live)) {
      if (record.phase === undefined) return;
      return random.chance(0.5) ? this.#repeat(post) : this.#check(post);
    }
    if (live.length > maxPosts) return this.#delete(first);
    const step = random.integer(0, 99);
    if (step < 45) return this.publish();
    if (step < 60) return this.#correct(post);
    if (step < 72) return this.#delete(post);
    if (step < 80) return this.#repeat(post);
    return this.#check(post);
  }

  /** Submits a post with a new id, sometimes with that of a deleted post. Resolves when it is accepted or given up. */
  async publish(): Promise<void> {
    const { random, name, isHurried } = this.#options;
    this.#postCount += 1;
    const [deleted] = this.#posts.filter(({ article, wasAccepted }) => article === undefined && wasAccepted);
    const post = deleted !== undefined && random.chance(0.1) ? deleted : this.#createPost();
    const isSlow = post.voiceId === this.#options.slowVoiceId;
    const usual = isSlow ? maxSlowSentences : maxSentences;
    const sentenceCount = random.integer(2, isHurried ? maxHurriedSentences : usual);
    await this.#submit(post, writeArticle(random, `${name} ${this.#postCount}`, sentenceCount));
  }

  #createPost(): HonestPost {
    const { random, name, ledger, voiceId, slowVoiceId } = this.#options;
    const post: HonestPost = {
      ...{ postId: `${name}/${this.#postCount}`, article: undefined },
      voiceId: random.chance(0.02) ? slowVoiceId : voiceId,
      ...{ changes: 0, deletedAudioIds: [], wasAccepted: false },
    };
    ledger.posts.set(post.postId, post);
    this.#posts.push(post);
    return post;
  }

  async #correct(post: HonestPost): Promise<void> {
    const { random, name, isHurried } = this.#options;
    const { article } = post;
    if (article === undefined) return;
    const isShortened = isHurried === true && article.sentences.length > maxCorrectedSentences;
    const corrected = isShortened
      ? writeArticle(random, `${name} ${this.#postCount}`, maxHurriedSentences)
      : correctArticle(random, article);
    await this.#submit(post, corrected);
  }

  /** Repeats a request, which must not change anything. */
  async #repeat(post: HonestPost): Promise<void> {
    const { article } = post;
    if (article !== undefined) await this.#submit(post, article);
  }

  async #submit(post: HonestPost, article: NonNullable<HonestPost['article']>): Promise<void> {
    const { client, record, domain = honestDomain } = this.#options;
    post.changes += 1;
    const response = await client.request({
      ...{ kind: 'generate', method: 'POST', path: '/v1/audio/generate', expected: [200, 202] },
      body: {
        ...{ post_id: post.postId, voice_id: post.voiceId, post_title: article.title, content: article.content },
        post_url: `https://${domain}/${post.postId}`,
      },
    });
    if (response === undefined || response.status >= 300) return;
    const isNew = post.article === undefined;
    post.article = article;
    post.wasAccepted = true;
    record.count(isNew ? 'posts accepted' : response.status === 202 ? 'corrections accepted' : 'repeats confirmed');
  }

  async #delete(post: HonestPost): Promise<void> {
    const { client, record } = this.#options;
    const audio = await this.#status(post);
    post.changes += 1;
    // From now on no client may rely on it.
    post.article = undefined;
    const path = `/v1/audio/${encodeURIComponent(post.postId)}`;
    // Without a response the change may have been made.
    const response = await client.request({ kind: 'delete', method: 'DELETE', path, expected: [200, 404] });
    if (response === undefined) return;
    if (audio !== undefined) post.deletedAudioIds.push(audio.id);
    record.count('deletions accepted');
    const after = await client.request({ kind: 'status', path: `${path}/status`, expected: [404] });
    const media = audio?.audio_url;
    if (after === undefined || media == null) return;
    await client.request({ kind: 'MP3, deleted', path: new URL(media).pathname, expected: [404, 410] });
  }

  async #check(post: HonestPost): Promise<void> {
    const { client, record } = this.#options;
    const { article } = post;
    const audio = await this.#status(post);
    if (article === undefined || audio?.status !== 'ready') return;
    const problems = await findAudioProblems(client, audio, article);
    if (problems !== undefined) record.count('audios checked');
    for (const problem of problems ?? []) record.recordViolation(`${post.postId}: ${problem}`);
  }

  /** Whether enough of its posts are unfinished. */
  async #isBusy(live: readonly HonestPost[]): Promise<boolean> {
    return countUnfinished(await this.#readStatuses(live.slice(-100))) >= maxUnfinishedPosts;
  }

  /** By one request for all. @returns by post id */
  async #readStatuses(posts: readonly HonestPost[]): Promise<Statuses> {
    const { client, record } = this.#options;
    const statuses: Statuses = new Map();
    if (posts.length === 0) return statuses;
    const query = new URLSearchParams(posts.map(({ postId }): [string, string] => ['post_id', postId]));
    const path = `/v1/audio/status?${query}`;
    const response = await client.request({ kind: 'status of many', path, expected: [200] });
    // Without the database, posts count as unfinished.
    if (response?.status !== 200) return new Map(posts.map(({ postId }) => [postId, 'generating']));
    const { items } = response.data<{ items: { post_id: string; status: AudioRecord['status'] | null }[] }>();
    for (const { post_id, status } of items) {
      if (status === null) record.recordViolation(`${post_id} was accepted and is not there`);
      else statuses.set(post_id, status);
    }
    return statuses;
  }

  /** Checks that an accepted post exists and has not failed. */
  async #status({ postId }: HonestPost): Promise<AudioRecord | undefined> {
    const { client, record } = this.#options;
    const response = await client.request(buildStatusRequest(postId));
    if (response?.status !== 200) return undefined;
    const audio = readStatus(response);
    if (audio.status === 'failed') record.recordViolation(`${postId} failed: ${audio.error}`);
    return audio;
  }
}

type Statuses = Map<string, AudioRecord['status']>;

function countUnfinished(statuses: Statuses): number {
  return [...statuses.values()].filter((status) => status === 'pending' || status === 'generating').length;
}

export const honestDomain = 'honest.example';

/** Status of a post of the honest site. */
export function buildStatusRequest(postId: string) {
  return { kind: 'status', path: `/v1/audio/${encodeURIComponent(postId)}/status`, expected: [200] };
}

export function readStatus(response: HonestResponse): AudioRecord {
  return response.data<AudioRecord>();
}
