const add = (audio: 'old' | 'new', characters: string) =>
  `insert into site_counter (site_id, name, amount)
    select site_id, 'waiting.characters', ${characters} from post where id = ${audio}.post_id
    on conflict (site_id, name) do update set amount = site_counter.amount + excluded.amount`;
const charactersOf = (audio: 'old' | 'new') =>
  `case when ${audio}.status = 'pending' then length(${audio}.content) else 0 end`;

/** Characters of pending audio by site, kept by triggers. */
export const waitingCharacters: readonly string[] = [
  `create trigger audio_waiting_insert after insert on audio when new.status = 'pending' begin
    ${add('new', 'length(new.content)')}; end`,
  `create trigger audio_waiting_update after update of status, content on audio
    when (old.status = 'pending' or new.status = 'pending') and (old.status <> new.status or old.content <> new.content)
    begin ${add('new', `${charactersOf('new')} - ${charactersOf('old')}`)}; end`,
  `create trigger audio_waiting_delete after delete on audio when old.status = 'pending' begin
    ${add('old', '-length(old.content)')}; end`,
  `insert into site_counter (site_id, name, amount)
    select post.site_id, 'waiting.characters', sum(length(audio.content)) from audio join post on post.id = audio.post_id
    where audio.status = 'pending' group by post.site_id`,
];
