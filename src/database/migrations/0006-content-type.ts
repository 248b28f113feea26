/** How the content of an audio is written, where it is not HTML or plain text. */
export const contentType: readonly string[] = ['alter table audio add column content_type text'];
