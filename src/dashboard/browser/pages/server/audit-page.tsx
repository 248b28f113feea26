import { api, request } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { formatDayHeading, formatTime } from '../../format.ts';
import { useSites } from '../../frame/sites.ts';
import { useAddressQuery } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { showTimesIn } from '../../time-zone.ts';
import { fetchVoices } from '../voices/voices.ts';
import { actionKinds, auditLabel } from './audit-labels.ts';
import { Changes } from './changes.tsx';

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
        { name: 'action', label: 'All actions', options: actionKinds },
        {
          name: 'site',
          label: 'All sites',
          options: sites.map(({ slug, name }) => ({ value: slug, label: name })),
        },
        { name: 'from', label: 'From', kind: 'date' },
        { name: 'to', label: 'To', kind: 'date' },
      ]}
      columns={[
        {
          title: 'What',
          phone: 'main',
          cell: ({ action, subject, actor, site_id }) => (
            <>
              <span class="title" title={action}>
                {auditLabel(action)}
              </span>
              <span class="line">
                {[actor, ...(subject === null || subject === actor ? [] : [subject])].join(' · ')}
                {site_id !== null && ` · ${siteName(site_id)}`}
              </span>
            </>
          ),
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
