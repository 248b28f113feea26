/** A site's podcast feed: JSON of what differs from the usual; and its public posts, newest first. */
export const feed: readonly string[] = [
  `alter table site add column feed text not null default '{}'`,
  `create index post_published on post (site_id, coalesce(publish_at, created_at))
   where visibility = 'public'`,
];
