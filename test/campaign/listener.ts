import type { PublicAudio } from '../../src/audio/schema.ts';
import type { HonestClient } from './honest-client.ts';
import type { HonestPost, Ledger } from './ledger.ts';
import { honestDomain } from './publisher.ts';
import type { Random } from './random.ts';
import type { CampaignRecord } from './record.ts';

const maxPauseMs = 1_500;
/** Contains the ID3 tag and the Info frame. */
const firstRangeBytes = 4_096;

export interface ListenerOptions {
  readonly client: HonestClient;
  readonly ledger: Ledger;
  readonly record: CampaignRecord;
  readonly random: Random;
  readonly name: string;
  readonly isOver: () => boolean;
}

/** A reader of an article page: plays by ranges or by the live stream, and reports it as the player does. */
export class Listener {
  readonly #options: ListenerOptions;
  #eventCount = 0;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { ledger, random, isOver } = this.#options;
    while (!isOver()) {
      const [first, ...others] = ledger.livePosts;
      if (first !== undefined) {
        // New posts have the most listeners.
        const newest = others.slice(-20);
        await this.#listen(random.pick([first, ...(random.chance(0.5) ? newest : others)]));
      }
      await Bun.sleep(random.between(0, maxPauseMs));
    }
  }

  async #listen(post: HonestPost): Promise<void> {
    const { client, record, random } = this.#options;
    const before = post.changes;
    const query = new URLSearchParams({ domain: honestDomain, post_id: post.postId });
    await client.request({ kind: 'player', path: '/v1/public/player.js', expected: [200] });
    const found = await client.request({
      ...{ kind: 'public audio', path: `/v1/public/audio?${query}`, expected: [200, 404] },
    });
    if (found?.status !== 200) return this.#mayBeGone('public audio', post, before, found?.status);
    const audio = found.data<PublicAudio>();
    if (audio.status !== 'ready' || audio.audio_url === null) {
      // Without the bucket a stream would wait for it.
      if (record.phase?.unavailable === undefined && random.chance(0.5)) await this.#stream(post, query, before);
      return;
    }
    await this.#play(post, new URL(audio.audio_url).pathname, before);
    await this.#report(post);
  }

  /** Reads the live stream. A change of the post cuts it. */
  async #stream(post: HonestPost, query: URLSearchParams, before: number): Promise<void> {
    const { client, record } = this.#options;
    const path = `/v1/public/audio/stream?${query}`;
    const mayBeCut = (): boolean => post.changes !== before;
    const reply = await client.request({
      ...{ kind: 'live stream', path, redirect: 'manual', expected: [200, 302, 404], mayBeCut, isStream: true },
    });
    if (reply === undefined && !mayBeCut()) return this.#expectWaiting(post, query, before);
    if (reply?.status !== 200) return this.#mayBeGone('live stream', post, before, reply?.status);
    if (post.changes !== before) return;
    const found = await client.request({
      kind: 'public audio',
      path: `/v1/public/audio?${query}`,
      expected: [200, 404],
    });
    if (found?.status !== 200) return this.#mayBeGone('public audio', post, before, found?.status);
    const { audio_url, last_ready } = found.data<PublicAudio>();
    // The last frames are available shortly before the audio is published.
    if (audio_url === null || last_ready !== null) return;
    const mp3 = await client.request({ kind: 'MP3', path: new URL(audio_url).pathname, expected: [200, 404, 410] });
    if (mp3?.status !== 200 || post.changes !== before) return;
    const tail = mp3.bytes.subarray(mp3.bytes.length - reply.bytes.length);
    if (Buffer.compare(tail, reply.bytes) === 0) record.count('live streams compared');
    else record.recordViolation(`${post.postId}: the live stream differs from the end of the MP3`);
  }

  /** On a busy machine a listener may give up before its post is synthesized. */
  async #expectWaiting(post: HonestPost, query: URLSearchParams, before: number): Promise<void> {
    const { client, record } = this.#options;
    const found = await client.request({
      kind: 'public audio',
      path: `/v1/public/audio?${query}`,
      expected: [200, 404],
    });
    if (post.changes !== before) return;
    const status = found?.status === 200 ? found.data<PublicAudio>().status : found?.status;
    if (status === 'pending') record.count('live streams given up, as their posts waited in the queue');
    else record.recordViolation(`${post.postId}: the live stream was given up, and the post is ${status}`);
  }

  /** Reads two ranges like a browser; together they must be the MP3. */
  async #play(post: HonestPost, media: string, before: number): Promise<void> {
    const { client, record } = this.#options;
    const expected = [206, 404, 410];
    const requestRange = (value: string) =>
      client.request({ kind: 'MP3, range', path: media, headers: { range: `bytes=${value}` }, expected });
    const head = await requestRange(`0-${firstRangeBytes - 1}`);
    if (head?.status !== 206) return this.#mayBeGone('MP3, range', post, before, head?.status);
    const rest = await requestRange(`${firstRangeBytes}-`);
    if (rest?.status !== 206) return this.#mayBeGone('MP3, range', post, before, rest?.status);
    const total = Number(rest.headers.get('content-range')?.split('/')[1]);
    if (head.bytes.length + rest.bytes.length === total) record.count('audios played');
    else
      record.recordViolation(
        `${post.postId}: ranges of ${head.bytes.length} and ${rest.bytes.length} bytes, of ${total}`,
      );
  }

  /** Each event has an id, so that a report without a response counts once. */
  async #report({ postId: post_id }: HonestPost): Promise<void> {
    const { client, ledger, name } = this.#options;
    this.#eventCount += 1;
    const types = ['play', 'progress', 'complete'];
    const events = types.map((type) => ({ type, post_id, event_id: `${name}-${this.#eventCount}-${type}` }));
    const path = `/v1/public/events?domain=${honestDomain}`;
    const response = await client.request({ kind: 'events', method: 'POST', path, body: { events }, expected: [202] });
    if (response?.status !== 202) return;
    this.#options.record.count('events accepted', events.length);
    for (const type of types) ledger.events.set(type, (ledger.events.get(type) ?? 0) + 1);
  }

  #mayBeGone(kind: string, { postId, changes }: HonestPost, before: number, status: number | undefined): void {
    if (status === undefined || status < 400 || changes !== before) return;
    this.#options.record.recordViolation(`${kind} of ${postId}: ${status}, and nobody had changed it`);
  }
}
