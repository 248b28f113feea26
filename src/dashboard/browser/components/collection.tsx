import { type ComponentChildren, isValidElement, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import { useAddressQuery } from '../location.ts';
import { type ListPage, useBundled, usePagedQuery } from '../query.ts';
import { ActionButtons, type ButtonAction, type PageActions } from './actions.tsx';
import { Button } from './button.tsx';
import { CollectionRows, type Column } from './collection-rows.tsx';
import { CollectionTools, type Filter } from './collection-tools.tsx';
import type { Options } from './field.tsx';
import { Card, type CardProps, type EmptyProps, EmptyState, ErrorNotice, Page, type TabOption, Tabs } from './page.tsx';

/**
 * The parameters of a request for a page: `cursor`, `limit`, `q`, `sort` and the names of tabs and filters. Typed so
 * that they can be given to any route: `load={(query) => request(() => api.users.get({ query }))}`.
 */
type ListQuery = Readonly<Record<string, never>>;

type RowOf<P extends ListPage<unknown>> = P['items'][number];

// Methods, as their parameters are compared both ways: TypeScript would otherwise not infer the rows from `load`.
interface CollectionProps<P extends ListPage<unknown>> {
  /** Its heading, and its name for screen readers. */
  readonly title: string;
  /** The list is a page or a card with its heading; default: a part of one. */
  readonly as?: 'page' | 'card';
  readonly about?: ComponentChildren;
  /** Buttons beside the heading. */
  head?(rows: P['items'], page: P | undefined): PageActions<ButtonAction>;
  readonly load: (query: ListQuery) => Promise<P>;
  /** Loads again when one of these changes. */
  readonly dependencies?: readonly unknown[];
  keyOf(row: RowOf<P>): string | number;
  readonly columns: readonly (Column<RowOf<P>> | false)[];
  /** Path of a row's page, behind the #: Enter opens it. The title of the row links to it by itself. */
  href?(row: RowOf<P>): string | undefined;
  readonly tabs?: { readonly name: string; of(page: P | undefined): readonly TabOption[] };
  /** Placeholder of the search field, which fills `q`. */
  readonly search?: string;
  readonly filters?: readonly Filter[];
  readonly sorts?: Options;
  /** Actions of a row: in a menu at its end. */
  actions?(row: RowOf<P>, rows: P['items']): PageActions;
  /** Actions for the selected rows. */
  bulk?(rows: readonly RowOf<P>[]): PageActions;
  /** A heading above the first row of each group, for long lists: a day. */
  groupOf?(row: RowOf<P>, page: P): string | undefined;
  /** The site whose live updates reload the list. */
  readonly live?: string | number;
  /** Polling interval for the current rows; undefined: none. */
  everyMs?(rows: P['items']): number | undefined;
  readonly limit?: number;
  /** Shown without rows and filters. */
  readonly empty: EmptyProps | JSX.Element | ((page: P | undefined) => EmptyProps);
  /** Between the tools and the rows. */
  readonly above?: ComponentChildren;
  /** Shown below the rows. */
  foot?(page: P): ComponentChildren;
}

/** A list by its description: paging, selection, live updates, states. Filters, search and order are part of the URL. */
export function Collection<P extends ListPage<unknown>>(props: CollectionProps<P>) {
  const { title, as, about, head, load, tabs, filters = [], dependencies = [], limit, live, bulk, keyOf } = props;
  const [address, change] = useAddressQuery();
  const names = ['q', 'sort', ...(tabs === undefined ? [] : [tabs.name]), ...filters.map(({ name }) => name)];
  const query = Object.fromEntries(names.map((name) => [name, address.get(name) ?? '']).filter(([, value]) => value));
  const key = JSON.stringify(query);
  const list = usePagedQuery<P>(
    (cursor) => load({ ...query, ...(limit && { limit }), ...(cursor && { cursor }) } as ListQuery),
    [key, ...dependencies],
    (items) => props.everyMs?.(items),
  );
  useLive(live, useBundled(list.reload));
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  const [isSelecting, setIsSelecting] = useState(false);
  const unselect = () => {
    setSelected(new Set());
    setIsSelecting(false);
  };
  useEffect(unselect, [key]);
  const rows: readonly RowOf<P>[] = list.items ?? [];
  const chosen = rows.filter((row) => selected.has(keyOf(row)));
  const filtered = Object.keys(query).filter((name) => name !== 'sort');
  const tab = filtered.length === 1 ? tabs?.of(list.page).find(({ value }) => value === query[tabs.name]) : undefined;
  const clear = () => change(Object.fromEntries(names.map((name) => [name, ''])));
  const content = (
    <>
      {tabs !== undefined && (
        <Tabs
          label={title}
          options={tabs.of(list.page)}
          value={address.get(tabs.name) ?? ''}
          onValue={(value) => change({ [tabs.name]: value })}
        />
      )}
      <CollectionTools
        {...{ search: props.search, filters, sorts: props.sorts, address }}
        onChange={change}
        onSelect={bulk && !isSelecting && rows.length > 0 && (() => setIsSelecting(true))}
      />
      <ErrorNotice problem={list.problem} onRetry={list.reload} />
      {props.above}
      <div class="card">
        {list.items === undefined && list.isLoading && <LoadingLines />}
        {list.items !== undefined &&
          rows.length === 0 &&
          (filtered.length > 0 ? (
            <NothingFound tab={tab} onClear={clear} />
          ) : (
            <Empty of={typeof props.empty === 'function' ? props.empty(list.page) : props.empty} />
          ))}
        {rows.length > 0 && (
          <CollectionRows
            label={title}
            rows={rows}
            keyOf={keyOf}
            columns={props.columns.filter((column) => column !== false)}
            href={props.href}
            groupOf={(row) => list.page && props.groupOf?.(row, list.page)}
            actions={props.actions && ((row) => props.actions?.(row, rows) ?? [])}
            selected={bulk === undefined ? undefined : selected}
            isSelecting={isSelecting}
            reload={list.reload}
            onSelect={setSelected}
          />
        )}
        {list.more !== undefined && (
          <p class="more">
            <Button label="Show more" onClick={list.more} isBusy={list.isLoading} />
          </p>
        )}
      </div>
      {list.page !== undefined && rows.length > 0 && props.foot?.(list.page)}
      {bulk !== undefined && (isSelecting || chosen.length > 0) && (
        <section class="bulk" aria-label="Selected">
          <span>{chosen.length} selected</span>
          {isSelecting && chosen.length < rows.length && (
            <Button label="Select all" onClick={() => setSelected(new Set(rows.map(keyOf)))} />
          )}
          <ActionButtons
            of={chosen.length > 0 ? bulk(chosen) : []}
            onDone={() => {
              unselect();
              list.reload();
            }}
          />
          <Button icon="x" aria-label="Clear selection" onClick={unselect} />
        </section>
      )}
    </>
  );
  if (as === undefined) return content;
  const Frame = as === 'page' ? Page : FlushCard;
  const actions = head && <ActionButtons of={head(rows, list.page)} onDone={list.reload} />;
  return (
    <Frame title={title} about={about} actions={actions}>
      {content}
    </Frame>
  );
}

/** Lines of the right height, so that nothing jumps; shown after 300 ms. */
function LoadingLines() {
  return (
    <div class="lines" role="status">
      <span class="unseen waiting">Loading…</span>
      {Array.from({ length: 5 }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  );
}

function FlushCard(props: Omit<CardProps, 'isFlush'>) {
  return <Card {...props} isFlush />;
}

function Empty({ of }: { readonly of: EmptyProps | JSX.Element }) {
  return isValidElement(of) ? of : <EmptyState {...(of as EmptyProps)} />;
}

/** @param tab the only filter */
function NothingFound({ tab, onClear }: { readonly tab: TabOption | undefined; readonly onClear: () => void }) {
  if (tab !== undefined) return <EmptyState title={`Nothing ${tab.label.toLowerCase()}`} />;
  return (
    <EmptyState title="Nothing found" action={<Button label="Clear filters" onClick={onClear} />}>
      No entry matches the search and the filters.
    </EmptyState>
  );
}
