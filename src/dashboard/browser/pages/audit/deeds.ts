/** What is done, by the action of an entry. */
const deeds: Readonly<Record<string, string>> = {
  'backup.begun': 'Began a backup',
  'backup.deleted': 'Deleted a backup',
  'backup.downloaded': 'Downloaded a backup',
  'domain.added': 'Added a domain',
  'domain.removed': 'Removed a domain',
  'key.created': 'Created an API key',
  'key.revoked': 'Revoked an API key',
  'key.rotated': 'Rotated the API keys',
  'post.deleted': 'Deleted a post',
  'post.prioritized': 'Changed the priority of a post',
  'post.queued': 'Handed in a post',
  'post.remade': 'Had a post made again',
  'post.retried': 'Tried a failed post again',
  'post.updated': 'Changed a post',
  'posts.remade': 'Had posts made again',
  'pronunciation.changed': 'Changed a word of the lexicon',
  'pronunciation.created': 'Added a word to the lexicon',
  'pronunciation.deleted': 'Deleted a word of the lexicon',
  'pronunciation.remade': 'Had posts with a word made again',
  'queue.paused': 'Paused the queue',
  'queue.resumed': 'Resumed the queue',
  'site.created': 'Added a site',
  'site.deleted': 'Deleted a site',
  'site.updated': 'Changed a site',
  'source.changed': 'Changed a feed',
  'source.created': 'Added a feed',
  'source.deleted': 'Deleted a feed',
  'source.fetched': 'Had a feed fetched',
  'user.changed': 'Changed a user',
  'user.created': 'Added a user',
  'user.password_changed': 'Changed a password',
  'user.removed': 'Deleted a user',
  'user.signed_out_everywhere': 'Signed out everywhere',
  'voice.license_accepted': 'Accepted the licence of a voice',
  'voice.installed': 'Imported a voice',
  'voice.removed': 'Removed a voice',
  'voice.updated': 'Changed a voice',
  'webhook.changed': 'Changed a webhook',
  'webhook.created': 'Added a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'webhook.replayed': 'Sent a delivery again',
  'webhook.secret_rotated': 'Gave a webhook a new secret',
  'webhook.tested': 'Sent a test to a webhook',
};

/** Kinds of actions to choose from. */
export const kinds: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'post', label: 'Posts' },
  { value: 'site', label: 'Sites' },
  { value: 'domain', label: 'Domains' },
  { value: 'key', label: 'API keys' },
  { value: 'user', label: 'Users' },
  { value: 'voice', label: 'Voices' },
  { value: 'pronunciation', label: 'Lexicon' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'source', label: 'Sources' },
  { value: 'queue', label: 'Queue' },
  { value: 'backup', label: 'Backups' },
];

/** @returns an action in words; one that has none comes as it is: `thing.done` → `Thing done` */
export function deedText(action: string): string {
  const known = deeds[action];
  if (known !== undefined) return known;
  const words = action.replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
