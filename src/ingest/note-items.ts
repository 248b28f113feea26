import type { FeedItem, FeedSource } from '../database/feed-tables.ts';
import type { Queries } from '../database/open.ts';
import { guidHashOf, notesOf, shownGuid } from './article.ts';
import type { FeedEntry } from './feed.ts';
import { changeItem, type ItemNotes, insertItem, knownContents, knownItems } from './item-store.ts';

/** Outcomes in which an item has a post. */
const handedIn: readonly FeedItem['outcome'][] = ['queued', 'updated'];
/** Outcomes that a change of the item may end: it had no post for what it was. */
const unmade: readonly FeedItem['outcome'][] = ['waiting', 'too_short', 'refused'];

/**
 * Writes down what is new in a feed, and what has changed; run it in the transaction that notes the fetch, so that each item is
 * seen once, and none is taken for seen that isn't written down.
 * @param entries newest first
 */
export async function noteItems(
  db: Queries,
  source: FeedSource,
  entries: readonly FeedEntry[],
  contentLengthMax: number,
): Promise<void> {
  const isFirst = source.begun_at === null;
  const known = await knownItems(
    db,
    source.id,
    entries.map(({ guid }) => guidHashOf(guid)),
  );
  const noted = entries.map((entry, index) => ({
    entry,
    index,
    notes: notesOf(entry, contentLengthMax),
  }));
  const contents = await knownContents(
    db,
    source.id,
    noted.map(({ notes }) => notes.content_hash),
  );
  // The oldest first: posts are made in the order in which they came out.
  for (const { entry, index, notes } of noted.toReversed()) {
    const item = known.get(guidHashOf(entry.guid));
    if (item === undefined) {
      const isOld = isFirst && index >= source.backfill;
      await insertItem(db, {
        ...{ source_id: source.id, site_id: source.site_id },
        ...{ guid_hash: guidHashOf(entry.guid), guid: shownGuid(entry.guid) },
        ...(isOld ? skipped(notes) : contents.has(notes.content_hash) ? renamed(notes) : notes),
      });
    } else if (item.content_hash !== notes.content_hash) {
      await changeItem(db, item.id, changesOf(item, notes, source));
    }
  }
}

/** Some feeds give their items a new guid whenever they are written. */
function renamed(notes: ItemNotes): ItemNotes {
  const reason = 'The feed had the same title, address and text under another guid';
  return { ...notes, outcome: 'known', reason, article: null };
}

function skipped(notes: ItemNotes): ItemNotes {
  const reason = 'It was there before the feed was named';
  return { ...notes, outcome: 'skipped', reason, article: null };
}

/** What a change of a known item comes to. A post is never taken back for what its item became. */
function changesOf(item: FeedItem, notes: ItemNotes, source: FeedSource): Partial<ItemNotes> {
  if (unmade.includes(item.outcome) && item.post_id === null) return notes;
  // Refused with a post it is a correction that could be none.
  const corrects = [...handedIn, 'waiting', 'refused'].includes(item.outcome);
  if (corrects && source.updates === 1 && notes.outcome === 'waiting') return notes;
  const { content_hash, title, url } = notes;
  return { content_hash, title, url };
}
