import { useState } from 'preact/hooks';
import type { AuditRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { useListed, useLoaded } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ListedView } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { momentText } from '../../words.ts';
import { type AuditFilter, AuditFilters, noFilter } from './audit-filters.tsx';
import { Changes } from './changes.tsx';
import { deedText } from './deeds.ts';
import './audit.css';

const sitesMax = 100;

/** Who changed what. */
export function AuditPage() {
  const [filter, setFilter] = useState<AuditFilter>(noFilter);
  const entries = useListed(
    (cursor) => ask(api.audit.get({ query: { ...queryOf(filter), ...(cursor && { cursor }) } })),
    Object.values(filter),
  );
  const sites = useLoaded(() => ask(api.sites.get({ query: { limit: sitesMax } })), []);
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const siteName = (id: number): string =>
    sites.value?.items.find((site) => site.id === id)?.name ?? `site ${id}`;
  const columns: readonly Column<AuditRecord>[] = [
    {
      title: 'When, and who',
      cell: ({ at, actor }) => (
        <div>
          <time dateTime={at}>{momentText(at)}</time>
          <div class="actor">{actor}</div>
        </div>
      ),
    },
    {
      title: 'What',
      cell: (entry) => (
        <div>
          <span title={entry.action}>{deedText(entry.action)}</span>
          {entry.subject !== null && entry.subject !== entry.actor && (
            <div class="subject">{entry.subject}</div>
          )}
          {entry.site_id !== null && <div class="hint">{siteName(entry.site_id)}</div>}
        </div>
      ),
    },
    { title: 'Change', cell: (entry) => <Changes before={entry.before} after={entry.after} /> },
  ];
  return (
    <Page
      title="Audit log"
      about="Who changed what, newest first. Nobody can change it, and no password, key or secret stands in it."
    >
      <AuditFilters
        filter={filter}
        sites={sites.value?.items ?? []}
        onFilter={setFilter}
        isFiltered={isFiltered}
      />
      <ListedView
        of={entries}
        empty={
          isFiltered ? (
            <Empty
              title="Nothing of the kind"
              action={<Button onClick={() => setFilter(noFilter)}>Show all</Button>}
            >
              <p>No entry is by that person, of that kind and in those days.</p>
            </Empty>
          ) : (
            <Empty title="Nothing was changed yet">
              <p>Each change of sites, keys, posts, voices, users and settings will stand here.</p>
            </Empty>
          )
        }
      >
        {(items) => (
          <div class="audit-entries">
            <Table
              caption="Entries of the audit log"
              rows={items}
              keyOf={({ id }) => id}
              columns={columns}
            />
          </div>
        )}
      </ListedView>
    </Page>
  );
}

function queryOf(filter: AuditFilter): Partial<AuditFilter> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
}
