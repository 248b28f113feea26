/** A statement of a migration: for both databases, or what differs; undefined: nothing to do there. */
export type Statement = string | { readonly sqlite?: string; readonly postgres?: string };
