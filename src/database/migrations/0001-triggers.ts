import type { Statement } from '../dialect.ts';

const isUnfinished = (audio: 'old' | 'new') => `${audio}.status in ('pending', 'generating')`;
const queueCounter = (audio: 'old' | 'new') =>
  `'queued.' || case ${audio}.is_main when 1 then ${audio}.priority else 'further' end`;
const isMoved = '(old.priority <> new.priority or old.is_main <> new.is_main)';
const addToQueueCounter = `insert into site_counter (site_id, name, amount)
  select site_id, ${queueCounter('new')}, 1 from post where id = new.post_id
  on conflict (site_id, name) do update set amount = site_counter.amount + 1`;
const subtractFromQueueCounter = `update site_counter set amount = amount - 1
  where site_id = (select site_id from post where id = old.post_id) and name = ${queueCounter('old')}`;

/** `audio/counters.ts` describes them. */
export const counters: readonly string[] = [
  `create table site_counter (
    site_id integer not null references site (id) on delete cascade,
    name text not null,
    amount integer not null,
    primary key (site_id, name)
  ) strict, without rowid`,
  'create index site_counter_used on site_counter (name, site_id, amount) where amount > 0',
  `create trigger audio_queued after insert on audio when ${isUnfinished('new')} begin ${addToQueueCounter}; end`,
  `create trigger audio_requeued after update of status, priority, is_main on audio
    when ${isUnfinished('new')} and (not (${isUnfinished('old')}) or ${isMoved}) begin ${addToQueueCounter}; end`,
  `create trigger audio_finished after update of status, priority, is_main on audio
    when ${isUnfinished('old')} and (not (${isUnfinished('new')}) or ${isMoved}) begin ${subtractFromQueueCounter}; end`,
  `create trigger audio_dequeued after delete on audio when ${isUnfinished('old')} begin ${subtractFromQueueCounter}; end`,
  `create trigger post_counted after insert on post_quota begin
    insert into site_counter (site_id, name, amount) values (new.site_id, 'posts.' || new.month, 1)
    on conflict (site_id, name) do update set amount = site_counter.amount + 1; end`,
  `create trigger post_refunded after delete on post_quota begin
    update site_counter set amount = amount - 1 where site_id = old.site_id and name = 'posts.' || old.month; end`,
];

const joinTitles = (audio: 'old' | 'new') =>
  `(select coalesce(group_concat(title, char(10)), '') from audio where post_id = ${audio}.post_id and is_main = 1)`;

/** The full-text index of posts: words of at least three characters, without regard to case and accents. */
export const searchIndex: readonly Statement[] = [
  {
    sqlite: `create virtual table post_search using fts5 (external_id, titles, url, tokenize = 'trigram remove_diacritics 1')`,
    postgres: `create function fold_text(value text) returns text immutable strict parallel safe language sql
      return regexp_replace(normalize(lower(value), NFD), '[\\u0300-\\u036f]', '', 'g')`,
  },
  {
    postgres: `create table post_search (
      rowid bigint primary key,
      external_id text not null,
      titles text not null,
      url text not null,
      names text generated always as (fold_text(external_id || chr(10) || titles)) stored,
      everything text generated always as (fold_text(external_id || chr(10) || titles || chr(10) || url)) stored
    )`,
  },
  { postgres: 'create extension if not exists pg_trgm' },
  { postgres: 'create index post_search_names on post_search using gin (names gin_trgm_ops)' },
  { postgres: 'create index post_search_everything on post_search using gin (everything gin_trgm_ops)' },
  `create trigger post_search_delete after delete on post begin delete from post_search where rowid = old.id; end`,
  `create trigger audio_title_insert after insert on audio when new.title is not null begin update post_search set titles = ${joinTitles('new')} where rowid = new.post_id; end`,
  `create trigger audio_title_update after update of title, is_main on audio
    when new.title is not old.title or new.is_main is not old.is_main begin update post_search set titles = ${joinTitles('new')} where rowid = new.post_id; end`,
  `create trigger audio_title_delete after delete on audio when old.title is not null begin update post_search set titles = ${joinTitles('old')} where rowid = old.post_id; end`,
  `create trigger post_search_insert after insert on post begin insert into post_search (rowid, external_id, titles, url)
      values (new.id, new.external_id, '', coalesce(new.url, '')); end`,
  `create trigger post_search_url after update of url on post when new.url is not old.url begin update post_search set url = coalesce(new.url, '') where rowid = new.id; end`,
];
