/** How a site's articles are read out: JSON of what differs from the usual. */
export const reading: readonly string[] = [
  `alter table site add column reading text not null default '{}'`,
];
