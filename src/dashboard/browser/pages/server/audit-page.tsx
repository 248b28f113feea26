import { api, request } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { capitalize, formatDateTime, formatDayHeading, formatLanguage, formatTime } from '../../format.ts';
import { useSites } from '../../frame/sites.ts';
import { useAddressQuery } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { showTimesIn } from '../../time-zone.ts';
import { fetchVoices } from '../voices/voices.ts';

/** Who changed what, newest first. */
export function AuditPage() {
  const sites = useSites() ?? [];
  const { timeZone } = useSession();
  const [address] = useAddressQuery();
  const zone = sites.find(({ slug }) => slug === address.get('site'))?.time_zone ?? timeZone;
  showTimesIn(zone);
  const voices = useQuery(async () => new Map((await fetchVoices()).map(({ id, name }) => [id, name])), []);
  const siteName = (id: number): string => sites.find((site) => site.id === id)?.name ?? `site ${id}`;
  return (
    <Collection
      as="page"
      title="Audit log"
      about={`Every change by a person or a command, with times in ${zone}.`}
      load={(query) => request(() => api.audit.get({ query }))}
      keyOf={({ id }) => id}
      groupOf={({ at }) => formatDayHeading(at)}
      filters={[
        { name: 'actor', label: 'Actor' },
        { name: 'action', label: 'Action', options: actionKinds },
        {
          name: 'site',
          label: 'Site',
          options: sites.map(({ slug, name }) => ({ value: slug, label: name })),
        },
        { name: 'from', label: 'From', kind: 'date' },
        { name: 'to', label: 'To', kind: 'date' },
      ]}
      columns={[
        {
          title: 'What',
          phone: 'main',
          cell: ({ action }) => <span title={action}>{auditLabel(action)}</span>,
          line: ({ subject, actor, site_id }) =>
            [actor, subject !== actor && subject, site_id !== null && siteName(site_id)].filter(Boolean).join(' · '),
        },
        {
          title: 'Change',
          phone: 'line',
          cell: ({ before, after }) => <Changes {...{ before, after }} voices={voices.value ?? new Map()} />,
        },
        {
          title: 'Time',
          align: 'end',
          cell: ({ at }) => (
            <time class="sub" dateTime={at} title={at}>
              {formatTime(at)}
            </time>
          ),
        },
      ]}
      empty={{ title: 'No entries yet' }}
    />
  );
}

interface ChangesProps {
  /** Previous values; null if there were none. */
  readonly before: unknown;
  readonly after: unknown;
  /** By ID, in place of it. */
  readonly voices: ReadonlyMap<number, string>;
}

/** Fields that the entry shows elsewhere. */
const hiddenFields = ['id', 'created_at', 'updated_at'];
const shownLength = 200;

/** The changed fields with old and new value. */
function Changes({ before, after, voices }: ChangesProps) {
  const was = membersOf(before);
  const is = membersOf(after);
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => !hiddenFields.includes(name) && !(isNothing(was.get(name)) && isNothing(is.get(name))),
  );
  if (names.length === 0) return <span class="dim">–</span>;
  const inWords = (name: string, value: unknown) => <Value of={named(name, value, voices)} />;
  const isLong = names.length > 4;
  const list = (
    <dl class="small">
      {names.map((name) => (
        <div key={name} class="row wrap">
          <dt class="dim">{name.replace(/_id$/, '').replaceAll('_', ' ')}</dt>
          <dd>
            {was.has(name) && (
              <del>
                <span class="unseen">was </span>
                {inWords(name, was.get(name))}
              </del>
            )}
            {was.has(name) && is.has(name) && <span aria-hidden="true"> → </span>}
            {is.has(name) && (
              <ins>
                {was.has(name) && <span class="unseen">is now </span>}
                {inWords(name, is.get(name))}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (!isLong) return list;
  return (
    <details>
      <summary>{names.length} changed fields</summary>
      {list}
    </details>
  );
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) {
    return new Map(value === null || value === undefined ? [] : [['value', value]]);
  }
  return new Map(Object.entries(value));
}

/** Languages and voices by their names. */
function named(field: string, value: unknown, voices: ChangesProps['voices']): unknown {
  if (Array.isArray(value)) return value.map((item) => named(field, item, voices));
  if (/^languages?$/.test(field) && typeof value === 'string' && value !== '') return formatLanguage(value);
  return /voice(_id|s)$/.test(field) && typeof value === 'number' ? (voices.get(value) ?? value) : value;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function Value({ of }: { readonly of: unknown }) {
  const text = plainText(of);
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  // Phonemes: only this font has their signs.
  return text.includes('[[') ? <code>{shown}</code> : shown;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plainText).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, member]) => `${name}: ${plainText(member)}`)
      .join(', ');
  }
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return formatDateTime(text);
  return text === '' ? 'empty' : text;
}

/** What actions are about: `site.created` is “Created a site”. */
const objects: Readonly<Record<string, string>> = {
  backup: 'a backup',
  domain: 'a domain',
  key: 'an API key',
  post: 'a post',
  pronunciation: 'a pronunciation',
  queue: 'the queue',
  settings: 'the settings of the server',
  site: 'a site',
  source: 'a feed',
  user: 'a user',
  voice: 'a voice',
  webhook: 'a webhook',
};

/** Labels of the other actions. */
const auditLabels: Readonly<Record<string, string>> = {
  'backup.begun': 'Started a backup',
  'backup.restored': 'Undid the deletion of a backup',
  'domain.approved': 'Approved a requested domain',
  'domain.rejected': 'Rejected a requested domain',
  'domain.withdrawn': 'Withdrew a requested domain',
  'key.restored': 'Undid the revocation of an API key',
  'key.rotated': 'Rotated the API keys',
  'post.dismissed': 'Marked a post as needing no audio',
  'post.prioritized': 'Changed the priority of a post',
  'post.purged': 'Deleted a post for good',
  'post.queued': 'Submitted a post',
  'post.remade': 'Regenerated a post',
  'post.retried': 'Retried a failed post',
  'posts.remade': 'Regenerated posts',
  'pronunciation.remade': 'Regenerated posts affected by a pronunciation',
  'pronunciations.imported': 'Imported pronunciations',
  'pronunciations.remade': 'Regenerated posts affected by pronunciations',
  'site.purged': 'Deleted a site for good',
  'source.created': 'Added a feed',
  'source.restored': 'Undid the deletion of a feed',
  'user.invited': 'Created an invitation link',
  'user.password_changed': 'Changed a password',
  'user.removed': 'Deleted a user',
  'user.reset_link_created': 'Created a reset link',
  'user.restored': 'Undid the deletion of a user',
  'user.session_ended': 'Ended a session',
  'user.signed_out_elsewhere': 'Signed out of all other sessions',
  'user.signed_out_everywhere': 'Signed out everywhere',
  'voice.license_accepted': 'Accepted a voice license',
  'voice.installed': 'Imported a voice',
  'voice.restored': 'Undid the removal of a voice',
  'voice.replaced': 'Replaced a voice by another',
  'webhook.created': 'Added a webhook',
  'webhook.replayed': 'Resent a delivery',
  'webhook.restored': 'Undid the deletion of a webhook',
  'webhook.secret_rotated': 'Rotated a webhook secret',
  'webhook.tested': 'Sent a test event to a webhook',
};

/** Action kinds for the filter. */
const actionKinds = {
  post: 'Posts',
  site: 'Sites',
  domain: 'Domains',
  key: 'API keys',
  user: 'Users',
  voice: 'Voices',
  pronunciation: 'Pronunciations',
  webhook: 'Webhooks',
  source: 'Sources',
  queue: 'Queue',
  backup: 'Backups',
};

/** @returns the label of an action; of one that a later version writes, the action itself: `thing.done` → `Thing done` */
function auditLabel(action: string): string {
  const [kind = '', done = ''] = action.split('.');
  const object = objects[kind];
  const verb = done === 'changed' ? 'updated' : done;
  const words = object === undefined ? action.replace('.', ' ') : `${verb} ${object}`;
  return auditLabels[action] ?? capitalize(words.replaceAll('_', ' '));
}
