import type { HonestArticle } from './articles.ts';

/** A post of an honest client, with the state known to the client. */
export interface HonestPost {
  readonly postId: string;
  /** The last accepted article; undefined before the first one and after an accepted deletion. */
  article: HonestArticle | undefined;
  /** Null: the default voice of the site. */
  readonly voiceId: number | null;
  /** Incremented before each change is sent, so that listeners can tell that their data may be outdated. */
  changes: number;
  /** Ids of audios whose deletion was accepted. */
  readonly deletedAudioIds: number[];
  /** Whether a request was ever accepted. */
  wasAccepted: boolean;
}

/** A hostile post, which must finish after it is accepted. */
export interface HostilePost {
  readonly postId: string;
  readonly kind: string;
  /** Permitted error; null: it must become ready. */
  readonly mayFail: RegExp | null;
}

/** All accepted requests of a site. */
export class Ledger {
  readonly posts = new Map<string, HonestPost>();
  /** Listener events by type. */
  readonly events = new Map<string, number>();

  get livePosts(): HonestPost[] {
    return [...this.posts.values()].filter(({ article }) => article !== undefined);
  }
}

/** A site with honest clients. */
export interface HonestSite {
  readonly siteId: number;
  readonly key: string;
  readonly ledger: Ledger;
  readonly hasWebhook: boolean;
}

export interface HostileSite {
  readonly siteId: number;
  readonly key: string;
  /** By their ids. */
  readonly posts: Map<string, HostilePost>;
}
