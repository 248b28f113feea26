/** A feed as it was read, of whatever format. Plain data: it crosses a process boundary. */
export interface Feed {
  readonly format: 'rss' | 'atom' | 'rdf' | 'json';
  readonly title: string | null;
  /** How often it asks to be fetched at most, in seconds; null where it says nothing. */
  readonly refreshS: number | null;
  /** Items it holds, of which only some are told. */
  readonly itemCount: number;
  /** The newest, newest first. */
  readonly items: readonly FeedEntry[];
}

/** An item of a feed. */
export interface FeedEntry {
  /** What it is known by; made of address or text where the feed gives it none. */
  readonly guid: string;
  readonly title: string | null;
  /** Absolute http(s) address. */
  readonly url: string | null;
  /** Plain text or HTML. */
  readonly content: string;
  /** Of the content without its tags, in code points. */
  readonly textLength: number;
  /** Beginning of that text. */
  readonly excerpt: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string | null;
  /** BCP 47 primary code. */
  readonly language: string | null;
}

/** Where a reader is told what it cannot find in the bytes. */
export interface FeedQuestion {
  /** Address that the bytes came from: what relative links are relative to. */
  readonly url: string;
  readonly contentType: string | null;
  readonly itemsMax: number;
}

/** What the reader prints: a feed, or why it is none. */
export type FeedReading = { readonly feed: Feed } | { readonly problem: string };
