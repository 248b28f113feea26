import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import { useAddressQuery } from '../location.ts';
import { type ListPage, useBundled, usePagedQuery } from '../query.ts';
import { Button } from './button.tsx';
import { CollectionRows, type Column } from './collection-rows.tsx';
import { CollectionTools, type Filter } from './collection-tools.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './notice.tsx';
import { type RowAction, toMenu, useRowActions } from './row-actions.tsx';
import { type TabOption, Tabs } from './tabs.tsx';

/**
 * The parameters of a request for a page: `cursor`, `limit`, `q`, `sort` and the names of tabs and filters. Typed so
 * that they can be given to any route: `load={(query) => ask(() => api.users.get({ query }))}`.
 */
export type ListQuery = Readonly<Record<string, never>>;

type RowOf<P extends ListPage<unknown>> = P['items'][number];

// Methods, as their parameters are compared both ways: TypeScript would otherwise not infer the rows from `load`.
interface CollectionProps<P extends ListPage<unknown>> {
  /** Name of the list, for screen readers. */
  readonly label: string;
  readonly load: (query: ListQuery) => Promise<P>;
  /** Loads again when one of these changes. */
  readonly dependencies?: readonly unknown[];
  keyOf(row: RowOf<P>): string | number;
  readonly columns: readonly Column<RowOf<P>>[];
  /** Path of a row's page, behind the #: Enter opens it. The title of the row links to it by itself. */
  href?(row: RowOf<P>): string;
  readonly tabs?: { readonly name: string; of(page: P | undefined): readonly TabOption[] };
  /** Placeholder of the search field, which fills `q`. */
  readonly search?: string;
  readonly filters?: readonly Filter[];
  readonly sorts?: readonly { readonly value: string; readonly label: string }[];
  /** Actions of a row: in a menu at its end. undefined entries are left out. */
  actions?(row: RowOf<P>): readonly (RowAction | undefined)[];
  /** Actions for the selected rows. */
  bulk?(rows: readonly RowOf<P>[]): readonly (RowAction | undefined)[];
  /** A heading above the first row of each group, for long lists: a day. */
  groupOf?(row: RowOf<P>): string;
  /** The site whose live updates reload the list. */
  readonly live?: string | number;
  /** Polling interval for the current rows; undefined: none. */
  everyMs?(rows: readonly RowOf<P>[]): number | undefined;
  readonly limit?: number;
  /** Shown without rows and filters. */
  readonly empty: ComponentChildren;
  /** Between the tools and the rows. */
  readonly head?: ComponentChildren;
  /** A further control at the right of the tools. */
  readonly tool?: (reload: () => void) => ComponentChildren;
  /** Shown below the rows. */
  foot?(page: P): ComponentChildren;
}

/** A list by its description: paging, selection, live updates, states. Filters, search and order are part of the URL. */
export function Collection<P extends ListPage<unknown>>(props: CollectionProps<P>) {
  const { label, load, tabs, filters = [], dependencies = [], limit, live, bulk, columns, keyOf } = props;
  const [address, change] = useAddressQuery();
  const names = ['q', 'sort', ...(tabs === undefined ? [] : [tabs.name]), ...filters.map(({ name }) => name)];
  const query = Object.fromEntries(names.map((name) => [name, address.get(name) ?? '']).filter(([, value]) => value));
  const key = JSON.stringify(query);
  const list = usePagedQuery<P>(
    (cursor) => {
      const given = {
        ...query,
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      return load(given as ListQuery);
    },
    [key, ...dependencies],
    (items) => props.everyMs?.(items),
  );
  useLive(live, useBundled(list.reload));
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  useEffect(() => setSelected(new Set()), [key]);
  const rows: readonly RowOf<P>[] = list.items ?? [];
  const chosen = rows.filter((row) => selected.has(keyOf(row)));
  const { run, dialog } = useRowActions(() => {
    setSelected(new Set());
    list.reload();
  });
  const isFiltered = Object.keys(query).some((name) => name !== 'sort');
  const clear = () => change(Object.fromEntries(names.map((name) => [name, ''])));
  return (
    <>
      {tabs !== undefined && (
        <Tabs
          label={label}
          options={tabs.of(list.page)}
          value={address.get(tabs.name) ?? ''}
          onValue={(value) => change({ [tabs.name]: value })}
        />
      )}
      <CollectionTools
        search={props.search}
        filters={filters}
        sorts={props.sorts ?? []}
        address={address}
        onChange={change}
        tool={props.tool?.(list.reload)}
      />
      <ErrorNotice problem={list.problem} />
      {props.head}
      <div class="card">
        {list.items === undefined && list.isLoading && <LoadingLines />}
        {list.items !== undefined && rows.length === 0 && (isFiltered ? <NothingFound onClear={clear} /> : props.empty)}
        {list.items === undefined && list.problem !== undefined && (
          <p class="more">
            <Button onClick={list.reload}>Try again</Button>
          </p>
        )}
        {rows.length > 0 && (
          <CollectionRows
            label={label}
            rows={rows}
            keyOf={keyOf}
            columns={columns}
            href={props.href}
            groupOf={props.groupOf}
            actions={props.actions && ((row) => toMenu(props.actions?.(row) ?? [], run))}
            selected={bulk === undefined ? undefined : selected}
            onSelect={setSelected}
          />
        )}
        {list.more !== undefined && (
          <p class="more">
            <Button onClick={list.more} isBusy={list.isLoading}>
              Show more
            </Button>
          </p>
        )}
      </div>
      {list.page !== undefined && rows.length > 0 && props.foot?.(list.page)}
      {bulk !== undefined && chosen.length > 0 && (
        <section class="bulk" aria-label="Selected">
          <span>{chosen.length} selected</span>
          {toMenu(bulk(chosen), run).map(({ label: name, icon, run: act }) => (
            <Button key={name} icon={icon} onClick={act}>
              {name}
            </Button>
          ))}
          <Button icon="x" aria-label="Clear selection" onClick={() => setSelected(new Set())} />
        </section>
      )}
      {dialog}
    </>
  );
}

/** Lines of the right height, so that nothing jumps; shown after 300 ms. */
function LoadingLines({ count = 5 }: { readonly count?: number }) {
  return (
    <div class="lines" role="status">
      <span class="unseen waiting">Loading…</span>
      {Array.from({ length: count }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  );
}

function NothingFound({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState title="Nothing found" action={<Button onClick={onClear}>Clear filters</Button>}>
      <p>No entry matches the search and the filters.</p>
    </EmptyState>
  );
}
