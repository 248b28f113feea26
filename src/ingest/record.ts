import type { FeedItem, FeedSource } from '../database/feed-tables.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/tables.ts';
import { servingProblem } from '../sites/subscription.ts';
import { type ItemCounts, itemCounts } from './item-store.ts';
import type { Source, SourceItem } from './schema.ts';

/** @returns sources of a site as the API shows them */
export async function sourceRecords(
  db: Queries,
  site: Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>,
  sources: readonly FeedSource[],
): Promise<Source[]> {
  const counts = await itemCounts(
    db,
    sources.map(({ id }) => id),
  );
  const paused = servingProblem(site) ?? null;
  return sources.map((source) => recordOf(source, paused, counts.get(source.id)));
}

/** A source as viewers are shown it: a query, a user name or a password may be a secret. */
export function forViewers(source: Source): Source {
  const { moved_to: movedTo } = source;
  return {
    ...source,
    url: withoutSecrets(source.url),
    moved_to: movedTo === null ? null : withoutSecrets(movedTo),
  };
}

function withoutSecrets(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** An item as the API shows it. */
export function itemRecord(item: FeedItem): SourceItem {
  const { id, guid, title, url, outcome, reason, post_id, seen_at, updated_at } = item;
  return { id, guid, title, url, outcome, reason, post_id, seen_at, updated_at };
}

/** What the audit log says of a source. An address may hold a secret in its path or query: only its host is told. */
export function auditedSource(source: FeedSource): object {
  const { enabled, language, voice_id, visibility, updates, backfill, interval_minutes } = source;
  return {
    origin: new URL(source.url).origin,
    enabled: enabled === 1,
    ...{ language, voice_id, visibility },
    updates: updates === 1,
    ...{ backfill, interval_minutes },
  };
}

/** How the audit log names a source. */
export function auditName({ id, url }: FeedSource): string {
  return `source ${id} at ${new URL(url).host}`;
}

function recordOf(
  source: FeedSource,
  paused: string | null,
  { counts, waitingReason }: ItemCounts = { counts: new Map(), waitingReason: null },
): Source {
  const countOf = (...outcomes: FeedItem['outcome'][]) =>
    outcomes.reduce((sum, outcome) => sum + (counts.get(outcome) ?? 0), 0);
  return {
    id: source.id,
    url: source.url,
    title: source.title,
    enabled: source.enabled === 1,
    disabled_reason: source.disabled_reason,
    paused,
    language: source.language,
    voice_id: source.voice_id,
    visibility: source.visibility,
    updates: source.updates === 1,
    backfill: source.backfill,
    interval_minutes: source.interval_minutes,
    last_fetch_at: source.last_fetch_at,
    last_status_code: source.last_status_code,
    problem: source.problem,
    failure_count: source.failure_count,
    next_fetch_at: source.next_fetch_at,
    moved_to: source.moved_to,
    items: {
      posts: countOf('queued', 'updated'),
      waiting: countOf('waiting'),
      left_out: countOf('removed', 'known', 'too_short', 'refused', 'skipped'),
    },
    waiting_reason: waitingReason,
    created_at: source.created_at,
    updated_at: source.updated_at,
  };
}
