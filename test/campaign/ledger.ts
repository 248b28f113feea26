import type { HonestArticle } from './articles.ts';

/** A post that an honest client made, as the client knows it. */
export interface HonestPost {
  readonly postId: string;
  /** What the server accepted last; undefined once its deletion was accepted, or before anything was. */
  article: HonestArticle | undefined;
  /** Null: the default voice of the site. */
  readonly voiceId: number | null;
  /** Rises before each change is sent: whoever only listens knows then that what they saw may be old. */
  changes: number;
  /** Ids of audios whose deletion was accepted. */
  readonly deletedAudioIds: number[];
  /** Whether anything was ever accepted. */
  wasAccepted: boolean;
}

/** A post that was made to do harm; once accepted, it must come to an end. */
export interface HostilePost {
  readonly postId: string;
  readonly kind: string;
  /** What its text justifies; null: it must become ready. */
  readonly mayFail: RegExp | null;
}

/** Everything of one site that the server has accepted. */
export class Ledger {
  readonly posts = new Map<string, HonestPost>();
  /** Listener events, by their type. */
  readonly events = new Map<string, number>();

  get livePosts(): HonestPost[] {
    return [...this.posts.values()].filter(({ article }) => article !== undefined);
  }
}

/** A site whose clients are honest. */
export interface HonestSite {
  readonly siteId: number;
  readonly key: string;
  readonly ledger: Ledger;
}

export interface HostileSite {
  readonly siteId: number;
  readonly key: string;
  /** By their ids. */
  readonly posts: Map<string, HostilePost>;
}
