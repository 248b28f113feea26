/** The page of a post, to find it by. Filled by the program: SQLite reads no address. */
export const pages: readonly string[] = [
  'alter table post add column page text',
  'create index post_page on post (site_id, page) where page is not null',
  'create index post_without_page on post (id) where page is null and url is not null',
];
