/** The time zone of a site, and one of its voices for each language: JSON of ids. */
export const siteZoneAndVoices: readonly string[] = [
  "alter table site add column time_zone text not null default 'UTC'",
  "alter table site add column default_voices text not null default '[]'",
];
