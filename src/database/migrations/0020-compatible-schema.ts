/** Which programs run on a schema of PostgreSQL besides its own. */
export const compatibleSchema: readonly string[] = ['alter table schema_version add column oldest_compatible integer'];
