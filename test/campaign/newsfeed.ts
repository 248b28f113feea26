import { readRows } from '../api/stored-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { buildRss, createFeedResponse, startFeedServer } from '../fixtures/feed-server.ts';
import { runCommand } from '../fixtures/server.ts';
import { type HonestArticle, writeArticle } from './articles.ts';
import type { HonestSite } from './ledger.ts';
import type { Random } from './random.ts';
import type { Supervisor } from './supervisor.ts';

/** Number of items that a fetch considers. */
const maxItems = 100;
const maxPauseMs = 12_000;
const finishTimeoutMs = 240_000;

/** A feed whose items must become posts, once each. */
export class Newsfeed {
  readonly #server = startFeedServer();
  readonly #items: { readonly guid: string; readonly article: HonestArticle }[] = [];

  /** Id of its source. */
  sourceId = 0;

  constructor() {
    this.#server.serve('/feed', () => {
      const newest = this.#items.slice(-maxItems).toReversed();
      return createFeedResponse(buildRss(newest.map(({ guid, article }) => ({ guid, ...article }))));
    });
  }

  get url(): string {
    return `${this.#server.url}/feed`;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** Adds an item from time to time and requests a fetch. Every item must become a post. */
  async run(
    supervisor: Supervisor,
    { siteId, ledger }: HonestSite,
    random: Random,
    isOver: () => boolean,
  ): Promise<void> {
    while (!isOver()) {
      const guid = `item-${this.#items.length + 1}`;
      const article = writeArticle(random, `item ${this.#items.length + 1}`, random.integer(2, 4));
      this.#items.push({ guid, article });
      ledger.posts.set(guid, {
        ...{ postId: guid, article, voiceId: null, changes: 1, deletedAudioIds: [], wasAccepted: true },
      });
      await this.#requestFetch(supervisor, siteId);
      for (let waited = random.between(0, maxPauseMs); waited > 0 && !isOver(); waited -= 500) await Bun.sleep(500);
    }
  }

  /** Waits until every item has become a post. */
  async finish(supervisor: Supervisor, siteId: number): Promise<void> {
    const countPosts = (): number =>
      readRows<{ count: number }>(supervisor.data, `select count(*) as count from post where site_id = ${siteId}`)[0]
        ?.count ?? 0;
    await eventually(
      async () => {
        if (countPosts() >= this.#items.length) return true;
        await this.#requestFetch(supervisor, siteId);
        await Bun.sleep(1_000);
        return false;
      },
      `${this.#items.length} items become posts`,
      finishTimeoutMs,
    ).catch((error: Error) => {
      const sources = readRows(supervisor.data, 'select * from feed_source');
      const items = readRows(supervisor.data, 'select outcome, count(*) as count from feed_item group by outcome');
      throw new Error(`${error.message}: ${JSON.stringify({ sources, items })}`);
    });
    const count = countPosts();
    if (count !== this.#items.length) throw new Error(`${this.#items.length} items have become ${count} posts`);
  }

  /** A request fails on a full disk and during a move of the folder; the next one follows. */
  async #requestFetch({ data, isUp }: Supervisor, siteId: number): Promise<void> {
    if (isUp)
      await runCommand(['source', 'fetch', `${this.sourceId}`, '--site', `${siteId}`, '--data', data]).catch(() => {});
  }
}
