/** What a feed brings is compared with all that it has ever brought. */
export const feedItemContent: readonly string[] = [
  'create index feed_item_content on feed_item (source_id, content_hash)',
];
