/** What a user sees of a session in the list of their own; null for sessions from before. */
export const sessionDevice: readonly string[] = ['alter table session add column device text'];
