import { api, type ItemOf, request } from '../../api.ts';
import { PageLink } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { RelativeTime, Status } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { links } from '../../location.ts';

const pollMs = 3_000;

type Machine = ItemOf<typeof api.system.machines>;

/** The processes of the installation, and what each generates. */
export function MachinesPage() {
  return (
    <Collection
      as="page"
      title="Machines"
      about="The processes that serve and generate the posts of this installation."
      load={() => request(() => api.system.machines.get())}
      everyMs={() => pollMs}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Machine', phone: 'main', cell: ({ name }) => name, line: describe },
        { title: 'Generating', phone: 'line', cell: (machine) => <Generating of={machine} /> },
        {
          title: 'Heartbeat',
          align: 'end',
          cell: ({ seen_at, started_at, draining }) => (
            <>
              <RelativeTime at={seen_at} />
              <span class="line">
                {draining ? (
                  <Status tone="warn">Draining</Status>
                ) : (
                  <>
                    started <RelativeTime at={started_at} />
                  </>
                )}
              </span>
            </>
          ),
        },
      ]}
      empty={{ title: 'No machine has a heartbeat' }}
    />
  );
}

function describe({ role, generates, workers, version }: Machine): string {
  const task = role === 'speak' ? 'Generates posts' : generates === false ? 'Serves' : 'Serves and generates posts';
  const release = version === null ? 'earlier version' : `Lectern ${version}`;
  return [task, workers !== null && formatCount(workers, 'worker'), release].filter(Boolean).join(' · ');
}

function Generating({ of: { generating, generating_count: count, generates } }: { readonly of: Machine }) {
  if (count === 0) return generates === false ? null : <span class="dim">Idle</span>;
  return (
    <>
      {generating.map(({ audio_id, site, post_id, title, progress_percent }) => (
        <div key={audio_id}>
          <PageLink to={links.post(site.slug, post_id)} text={title ?? post_id} />{' '}
          <span class="sub number">{progress_percent}%</span>
        </div>
      ))}
      {count > generating.length && (
        <span class="line">and {formatCount(count - generating.length, 'other post')}</span>
      )}
    </>
  );
}
