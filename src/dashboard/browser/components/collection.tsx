import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import { useAddressQuery } from '../location.ts';
import { type ListPage, useBundled, useDebounced, usePagedQuery } from '../query.ts';
import { ActionButtons, type ButtonAction, type PageActions } from './actions.tsx';
import { Button } from './button.tsx';
import { CollectionRows, type RowSpec } from './collection-rows.tsx';
import { Field, listOptions, type Options } from './field.tsx';
import { Icon } from './icon.tsx';
import { Card, type CardProps, type EmptyProps, EmptyState, ErrorNotice, Page, type TabOption, Tabs } from './page.tsx';

/**
 * The parameters of a request for a page: `cursor`, `limit`, `q`, `sort` and the names of tabs and filters. Typed so
 * that they can be given to any route: `load={(query) => request(() => api.users.get({ query }))}`.
 */
type ListQuery = Readonly<Record<string, never>>;

type RowOf<P extends ListPage<unknown>> = P['items'][number];

/** A filter of a list; its value is part of the URL. */
interface Filter {
  /** Name of the query parameter. */
  readonly name: string;
  readonly label: string;
  /** A list of values; without one the filter is a field. */
  readonly options?: Options;
  readonly kind?: 'text' | 'date';
}

interface Searchable {
  /** Placeholder of the search field, which fills `q`. */
  readonly search?: string;
  readonly filters?: readonly Filter[];
  readonly sorts?: Options;
}

interface CollectionProps<P extends ListPage<unknown>> extends RowSpec<RowOf<P>>, Searchable {
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
  readonly tabs?: { readonly name: string; of(page: P | undefined): readonly TabOption[] };
  /** In place of `tabs`, where deleted ones can be restored: their number, and the label of the others. */
  readonly deleted?: { readonly others: string; countOf(page: P | undefined): number | undefined };
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
  readonly empty: EmptyProps | ((page: P | undefined) => EmptyProps);
  /** Between the tools and the rows. */
  readonly above?: ComponentChildren;
  /** Shown below the rows. */
  foot?(page: P): ComponentChildren;
}

/** A list by its description: paging, selection, live updates, states. Filters, search and order are part of the URL. */
export function Collection<P extends ListPage<unknown>>(props: CollectionProps<P>) {
  const { title, as, about, head, load, filters = [], dependencies = [], limit, live, bulk, keyOf } = props;
  const [address, change] = useAddressQuery();
  const tabs = props.tabs ?? (props.deleted && toTabs(props.deleted, address));
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
      <Tools
        {...props}
        {...{ address, onChange: change }}
        isSelecting={isSelecting}
        onSelect={bulk && rows.length > 0 && (isSelecting ? unselect : () => setIsSelecting(true))}
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
            <EmptyState {...(typeof props.empty === 'function' ? props.empty(list.page) : props.empty)} />
          ))}
        {rows.length > 0 && (
          <CollectionRows
            {...props}
            {...{ label: title, rows, isSelecting }}
            groupOf={(row) => list.page && props.groupOf?.(row, list.page)}
            selected={bulk === undefined ? undefined : selected}
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

/** Only while something is deleted, or its tab is open. */
function toTabs<P extends ListPage<unknown>>(
  { others, countOf }: NonNullable<CollectionProps<P>['deleted']>,
  address: URLSearchParams,
): CollectionProps<P>['tabs'] {
  const of = (page: P | undefined) => {
    const count = countOf(page) ?? 0;
    if (count === 0 && !address.has('state')) return [];
    const present = { value: '', label: others };
    return [present, { value: 'deleted', label: 'Deleted', count }];
  };
  return { name: 'state', of };
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

/** @param tab the only filter */
function NothingFound({ tab, onClear }: { readonly tab: TabOption | undefined; readonly onClear: () => void }) {
  if (tab !== undefined) return <EmptyState title={`Nothing ${tab.label.toLowerCase()}`} />;
  return (
    <EmptyState title="Nothing found" action={<Button label="Clear filters" onClick={onClear} />}>
      No entry matches the search and the filters.
    </EmptyState>
  );
}

interface ToolsProps extends Searchable {
  readonly address: URLSearchParams;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
  readonly isSelecting: boolean;
  /** Where rows can be selected: on phones their boxes are shown on demand. */
  readonly onSelect: (() => void) | false | undefined;
}

function Tools({ search, filters = [], sorts = {}, address, onChange, isSelecting, onSelect }: ToolsProps) {
  const orders = listOptions(sorts);
  if (search === undefined && filters.length === 0 && orders.length === 0) return null;
  const usual = orders[0]?.value ?? '';
  return (
    <search class="tools">
      {search !== undefined && <TypedField name="q" label={search} kind="search" {...{ address, onChange }} />}
      {onSelect && <Button class="phone-only" label="Select" aria-pressed={isSelecting} onClick={onSelect} />}
      {filters.map(({ name, label, options, kind = 'text' }) =>
        options === undefined ? (
          <TypedField key={name} {...{ name, label, kind, address, onChange }} />
        ) : (
          <Field
            key={name}
            label={label}
            isLabelHidden
            value={address.get(name) ?? ''}
            options={[{ value: '', label: `Any ${label.toLowerCase()}` }, ...listOptions(options)]}
            onValue={(value) => onChange({ [name]: value })}
          />
        ),
      )}
      {orders.length > 0 && (
        <div class="row end">
          <Field
            label="Order"
            isLabelHidden
            value={address.get('sort') ?? usual}
            options={orders}
            onValue={(value) => onChange({ sort: value === usual ? '' : value })}
          />
        </div>
      )}
    </search>
  );
}

interface TypedFieldProps extends Pick<ToolsProps, 'address' | 'onChange'> {
  readonly name: string;
  readonly label: string;
  readonly kind: 'search' | 'text' | 'date';
}

/** Applies after a pause in typing. */
function TypedField({ name, label, kind, address, onChange }: TypedFieldProps) {
  const given = address.get(name) ?? '';
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  const settled = useDebounced(typed.trim());
  useEffect(() => {
    if (settled !== given) onChange({ [name]: settled });
  }, [settled]);
  return (
    <label class={kind === 'search' ? 'input search' : 'input row'} style={kind === 'search' ? {} : { width: 'auto' }}>
      {kind === 'search' && <Icon name="search" />}
      {kind === 'date' && <span class="dim small">{label}</span>}
      <input
        type={kind}
        aria-label={label}
        placeholder={label}
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}
