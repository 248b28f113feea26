import { useState } from 'preact/hooks';
import type { AuditRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { PagedQueryView } from '../../components/query-view.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatDateTime } from '../../format.ts';
import { usePagedQuery, useQuery } from '../../query.ts';
import { type AuditFilter, AuditFilters, noFilter } from './audit-filters.tsx';
import { auditLabel } from './audit-labels.ts';
import { Changes } from './changes.tsx';
import './audit.css';

const sitesMax = 100;

/** The audit log with its filters. */
export function AuditPage() {
  const [filter, setFilter] = useState<AuditFilter>(noFilter);
  const entries = usePagedQuery(
    (cursor) => unwrap(api.audit.get({ query: { ...queryOf(filter), ...(cursor && { cursor }) } })),
    Object.values(filter),
  );
  const sites = useQuery(() => unwrap(api.sites.get({ query: { limit: sitesMax } })), []);
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const siteName = (id: number): string => sites.value?.items.find((site) => site.id === id)?.name ?? `site ${id}`;
  const columns: readonly Column<AuditRecord>[] = [
    {
      title: 'Time and actor',
      cell: ({ at, actor }) => (
        <div>
          <time dateTime={at}>{formatDateTime(at)}</time>
          <div class="actor">{actor}</div>
        </div>
      ),
    },
    {
      title: 'Action',
      cell: (entry) => (
        <div>
          <span title={entry.action}>{auditLabel(entry.action)}</span>
          {entry.subject !== null && entry.subject !== entry.actor && <div class="subject">{entry.subject}</div>}
          {entry.site_id !== null && <div class="hint">{siteName(entry.site_id)}</div>}
        </div>
      ),
    },
    { title: 'Change', cell: (entry) => <Changes before={entry.before} after={entry.after} /> },
  ];
  return (
    <Page
      title="Audit log"
      about="All changes, newest first. The log is read-only and contains no passwords, keys or secrets."
    >
      <AuditFilters filter={filter} sites={sites.value?.items ?? []} onFilter={setFilter} isFiltered={isFiltered} />
      <PagedQueryView
        of={entries}
        empty={
          isFiltered ? (
            <EmptyState
              title="No matching entries"
              action={<Button onClick={() => setFilter(noFilter)}>Clear filters</Button>}
            >
              <p>No audit log entry matches these filters.</p>
            </EmptyState>
          ) : (
            <EmptyState title="No entries yet">
              <p>Changes to sites, keys, posts, voices, users and settings appear here.</p>
            </EmptyState>
          )
        }
      >
        {(items) => (
          <div class="audit-entries">
            <Table caption="Audit log entries" rows={items} keyOf={({ id }) => id} columns={columns} />
          </div>
        )}
      </PagedQueryView>
    </Page>
  );
}

function queryOf(filter: AuditFilter): Partial<AuditFilter> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
}
