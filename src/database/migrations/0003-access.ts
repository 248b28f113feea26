import type { Statement } from './statement.ts';

const now = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`;

/** Domains that editors have requested. New addresses for the MP3s of posts that are not public: their old ones were. */
export const access: readonly Statement[] = [
  `create table domain_claim (
    site_id integer not null references site (id) on delete cascade,
    domain text not null,
    requested_by text not null,
    requested_at text not null,
    primary key (site_id, domain)
  ) strict, without rowid`,
  // A PostgreSQL database has no rows from before.
  {
    sqlite: `update version set media_key = lower(hex(randomblob(18)))
    where header is not null and audio_id in (
      select audio.id from audio join post on post.id = audio.post_id
      where post.visibility <> 'public' or post.publish_at > ${now})`,
  },
];
