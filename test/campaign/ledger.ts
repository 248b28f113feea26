import type { HonestArticle } from './articles.ts';

/** A post of the honest site, as its client knows it. */
export interface HonestPost {
  readonly postId: string;
  /** What the server accepted last; undefined once its deletion was accepted, or before anything was. */
  article: HonestArticle | undefined;
  readonly voiceId: number;
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

/** Everything that the server has accepted. */
export class Ledger {
  readonly posts = new Map<string, HonestPost>();
  readonly hostilePosts = new Map<string, HostilePost>();
  /** Listener events, by their type. */
  readonly events = new Map<string, number>();

  get livePosts(): HonestPost[] {
    return [...this.posts.values()].filter(({ article }) => article !== undefined);
  }

  get eventCount(): number {
    return [...this.events.values()].reduce((sum, count) => sum + count, 0);
  }
}
