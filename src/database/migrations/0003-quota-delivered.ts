/** Posts that were ready once stay counted, whatever comes after. */
export const quotaDelivered: readonly string[] = [
  'alter table post_quota add column delivered integer not null default 0',
];
