import type { Statement } from './statement.ts';

const stateOf = (audio: string) => `case
    when ${audio}.status in ('pending', 'generating') then 'generating'
    when ${audio}.status = 'ready' then 'ready'
    when ${audio}.removed_at is null and ${audio}.dismissed_at is null then 'failed'
    else 'none' end`;

/** Of its main audios: the state that needs most attention. */
const findPostState = (postRowId: string) => `coalesce((
    select state from (select ${stateOf('audio')} as state from audio where post_id = ${postRowId} and is_main = 1) as states
    order by case state when 'failed' then 0 when 'generating' then 1 when 'ready' then 2 else 3 end limit 1), 'none')`;
const updatePostState = (audio: 'old' | 'new') =>
  `update post set audio_state = ${findPostState(`${audio}.post_id`)} where id = ${audio}.post_id`;

const findSortTitle = (postRowId: string) => `(
    select title from audio where post_id = ${postRowId} and is_main = 1 and title is not null
    order by language <> 'en', language limit 1)`;
const updateSortTitle = (audio: 'old' | 'new') =>
  `update post set sort_title = coalesce(${findSortTitle(`${audio}.post_id`)}, external_id) where id = ${audio}.post_id`;

const increment = (site: string, name: string, condition = 'true') =>
  `insert into site_counter (site_id, name, amount) select ${site}, ${name}, 1 where ${condition}
    on conflict (site_id, name) do update set amount = site_counter.amount + 1`;
const decrement = (site: string, name: string, condition = 'true') =>
  `update site_counter set amount = amount - 1 where site_id = ${site} and name = ${name} and ${condition}`;
const incrementState = increment('new.site_id', `'state.' || new.audio_state`, `new.audio_state <> 'none'`);
const decrementState = decrement('old.site_id', `'state.' || old.audio_state`, `old.audio_state <> 'none'`);
const incrementPrivate = increment('new.site_id', `'state.private'`, `new.visibility = 'private'`);
const decrementPrivate = decrement('old.site_id', `'state.private'`, `old.visibility = 'private'`);

/** States, titles and counts of posts for lists, kept by triggers; the texts of deleted posts. */
export const postStates: readonly Statement[] = [
  'alter table audio add column error_code text',
  'alter table audio add column dismissed_at text',
  `alter table post add column audio_state text not null default 'none'
    check (audio_state in ('none', 'ready', 'generating', 'failed'))`,
  `alter table post add column sort_title text not null default '' collate nocase`,
  `create table deleted_post (
    id integer primary key,
    site_id integer not null references site (id) on delete cascade,
    external_id text not null,
    title text,
    url text,
    visibility text not null check (visibility in ('public', 'private')),
    publish_at text,
    created_at text not null,
    updated_at text not null,
    audios text not null,
    deleted_at text not null,
    unique (site_id, external_id)
  ) strict`,
  'create index deleted_post_site on deleted_post (site_id, deleted_at)',
  'create index deleted_post_due on deleted_post (deleted_at)',
  `update post set audio_state = ${findPostState('post.id')}, sort_title = coalesce(${findSortTitle('post.id')}, external_id)`,
  'create index post_state on post (site_id, audio_state)',
  `create index post_private on post (site_id) where visibility = 'private'`,
  {
    sqlite: 'create index post_title on post (site_id, sort_title)',
    postgres: 'create index post_title on post (site_id, lower(sort_title))',
  },
  `insert into site_counter (site_id, name, amount)
    select site_id, 'state.all', count(*) from post group by site_id
    union all select site_id, 'state.' || audio_state, count(*) from post where audio_state <> 'none' group by site_id, audio_state
    union all select site_id, 'state.private', count(*) from post where visibility = 'private' group by site_id`,
  `create trigger audio_state_insert after insert on audio when new.is_main = 1 begin ${updatePostState('new')}; end`,
  `create trigger audio_state_update after update of status, is_main, removed_at, dismissed_at on audio
    when old.is_main <> new.is_main or (new.is_main = 1 and ${stateOf('old')} <> ${stateOf('new')})
    begin ${updatePostState('new')}; end`,
  `create trigger audio_state_delete after delete on audio when old.is_main = 1 begin ${updatePostState('old')}; end`,
  `create trigger sort_title_post after insert on post begin
    update post set sort_title = external_id where id = new.id; end`,
  `create trigger sort_title_insert after insert on audio when new.title is not null begin ${updateSortTitle('new')}; end`,
  `create trigger sort_title_update after update of title, is_main on audio
    when new.title is not old.title or new.is_main is not old.is_main begin ${updateSortTitle('new')}; end`,
  `create trigger sort_title_delete after delete on audio when old.title is not null begin ${updateSortTitle('old')}; end`,
  `create trigger post_state_insert after insert on post begin
    ${increment('new.site_id', `'state.all'`)}; ${incrementState}; ${incrementPrivate}; end`,
  `create trigger post_state_update after update of audio_state on post when old.audio_state <> new.audio_state begin
    ${decrementState}; ${incrementState}; end`,
  `create trigger post_visibility_update after update of visibility on post when old.visibility <> new.visibility begin
    ${decrementPrivate}; ${incrementPrivate}; end`,
  `create trigger post_state_delete after delete on post begin
    ${decrement('old.site_id', `'state.all'`)}; ${decrementState}; ${decrementPrivate}; end`,
  // Row ids are of a post or of a deleted one.
  `create trigger deleted_post_insert after insert on deleted_post begin
    insert into post_search (rowid, external_id, titles, url)
      values (new.id, new.external_id, coalesce(new.title, ''), coalesce(new.url, ''));
    ${increment('new.site_id', `'state.deleted'`)}; end`,
  `create trigger deleted_post_delete after delete on deleted_post begin
    delete from post_search where rowid = old.id;
    ${decrement('old.site_id', `'state.deleted'`)}; end`,
];
