/** All audio of a post, which the partial indexes don't find: without it, to delete a post or a site is to read everything. */
export const audioByPost: readonly string[] = ['create index audio_post on audio (post_id)'];
