const titlesOfPost = `select coalesce(group_concat(title, char(10)), '') from audio where post_id = post.id and is_main = 1`;

/** Posts are found by the address of their page, too. */
export const searchByAddress: readonly string[] = [
  'drop trigger post_search_insert',
  'drop table post_search',
  `create virtual table post_search
    using fts5 (external_id, titles, url, tokenize = 'trigram remove_diacritics 1')`,
  `create trigger post_search_insert after insert on post begin
    insert into post_search (rowid, external_id, titles, url)
      values (new.id, new.external_id, '', coalesce(new.url, ''));
  end`,
  `create trigger post_search_url after update of url on post when new.url is not old.url begin
    update post_search set url = coalesce(new.url, '') where rowid = new.id;
  end`,
  `insert into post_search (rowid, external_id, titles, url)
    select id, external_id, (${titlesOfPost}), coalesce(url, '') from post`,
];
