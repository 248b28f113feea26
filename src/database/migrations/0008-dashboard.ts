const titlesOfPost = (postId: string): string =>
  `select coalesce(group_concat(title, char(10)), '') from audio where post_id = ${postId} and is_main = 1`;

const searchTitles = (postId: string): string =>
  `update post_search set titles = (${titlesOfPost(postId)}) where rowid = ${postId};`;

/** Posts are listed and searched; sites are deleted step by step. */
export const dashboard: readonly string[] = [
  'alter table site add column deleted_at text',
  'create index post_site on post (site_id)',
  'create index audio_status on audio (status, post_id) where is_main = 1',
  // Three characters in a row are looked up, so that any part of a word is found.
  `create virtual table post_search
    using fts5 (external_id, titles, tokenize = 'trigram remove_diacritics 1')`,
  `create trigger post_search_insert after insert on post begin
    insert into post_search (rowid, external_id, titles) values (new.id, new.external_id, '');
  end`,
  `create trigger post_search_delete after delete on post begin
    delete from post_search where rowid = old.id;
  end`,
  `create trigger audio_title_insert after insert on audio when new.title is not null begin
    ${searchTitles('new.post_id')}
  end`,
  `create trigger audio_title_update after update of title, is_main on audio
    when new.title is not old.title or new.is_main is not old.is_main begin
    ${searchTitles('new.post_id')}
  end`,
  `create trigger audio_title_delete after delete on audio when old.title is not null begin
    ${searchTitles('old.post_id')}
  end`,
  `insert into post_search (rowid, external_id, titles)
    select id, external_id, (${titlesOfPost('post.id')}) from post`,
];
