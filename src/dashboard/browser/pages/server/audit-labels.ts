/** Labels of audit log actions. */
const auditLabels: Readonly<Record<string, string>> = {
  'backup.begun': 'Started a backup',
  'backup.deleted': 'Deleted a backup',
  'backup.downloaded': 'Downloaded a backup',
  'domain.added': 'Added a domain',
  'domain.approved': 'Approved a requested domain',
  'domain.rejected': 'Rejected a requested domain',
  'domain.withdrawn': 'Withdrew a requested domain',
  'domain.removed': 'Removed a domain',
  'domain.requested': 'Requested a domain',
  'key.created': 'Created an API key',
  'key.revoked': 'Revoked an API key',
  'key.rotated': 'Rotated the API keys',
  'post.deleted': 'Deleted a post',
  'post.dismissed': 'Marked a post as needing no audio',
  'post.prioritized': 'Changed the priority of a post',
  'post.purged': 'Deleted a post for good',
  'post.queued': 'Submitted a post',
  'post.remade': 'Regenerated a post',
  'post.restored': 'Restored a post',
  'post.retried': 'Retried a failed post',
  'post.updated': 'Updated a post',
  'posts.remade': 'Regenerated posts',
  'pronunciation.changed': 'Updated a pronunciation',
  'pronunciation.created': 'Created a pronunciation',
  'pronunciation.deleted': 'Deleted a pronunciation',
  'pronunciation.remade': 'Regenerated posts affected by a pronunciation',
  'queue.paused': 'Paused the queue',
  'queue.resumed': 'Resumed the queue',
  'site.created': 'Created a site',
  'site.deleted': 'Deleted a site',
  'site.updated': 'Updated a site',
  'source.changed': 'Updated a feed',
  'source.created': 'Added a feed',
  'source.deleted': 'Deleted a feed',
  'source.fetched': 'Fetched a feed',
  'user.changed': 'Updated a user',
  'user.created': 'Created a user',
  'user.password_changed': 'Changed a password',
  'user.removed': 'Deleted a user',
  'user.session_ended': 'Ended a session',
  'user.signed_out_elsewhere': 'Signed out of all other sessions',
  'user.signed_out_everywhere': 'Signed out everywhere',
  'voice.license_accepted': 'Accepted a voice license',
  'voice.installed': 'Imported a voice',
  'voice.removed': 'Removed a voice',
  'voice.updated': 'Updated a voice',
  'webhook.changed': 'Updated a webhook',
  'webhook.created': 'Added a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'webhook.replayed': 'Resent a delivery',
  'webhook.secret_rotated': 'Rotated a webhook secret',
  'webhook.tested': 'Sent a test event to a webhook',
};

/** Action kinds for the filter. */
export const actionKinds: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'post', label: 'Posts' },
  { value: 'site', label: 'Sites' },
  { value: 'domain', label: 'Domains' },
  { value: 'key', label: 'API keys' },
  { value: 'user', label: 'Users' },
  { value: 'voice', label: 'Voices' },
  { value: 'pronunciation', label: 'Pronunciations' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'source', label: 'Sources' },
  { value: 'queue', label: 'Queue' },
  { value: 'backup', label: 'Backups' },
];

/** @returns the label of an action; without one, the action itself: `thing.done` → `Thing done` */
export function auditLabel(action: string): string {
  const known = auditLabels[action];
  if (known !== undefined) return known;
  const words = action.replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
