import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { ActionMenu, type PageActions } from './actions.tsx';
import { PageLink } from './button.tsx';
import { RelativeTime } from './page.tsx';

export interface Column<T> {
  readonly title: string;
  /** @param reload loads the list again */
  cell?(row: T, reload: () => void): ComponentChildren;
  /** In place of `cell`: a time, at the end; null: never. */
  at?(row: T): string | null;
  /** The cell is a title with a smaller line below it. */
  line?(row: T): ComponentChildren;
  /** Where the title leads. */
  to?(row: T): string | undefined;
  /** For figures. */
  readonly align?: 'end';
  /** As wide as its content: a play button. */
  readonly isNarrow?: boolean;
  /** `main` names the row. On phones it takes the first line, `line` a line below; `hidden` is left out; default: in the first line. */
  readonly phone?: 'main' | 'line' | 'hidden';
}

/** What a list says of its rows. Methods, as TypeScript compares their parameters both ways: it infers `T` from `load`. */
export interface RowSpec<T> {
  keyOf(row: T): string | number;
  readonly columns: readonly (Column<T> | false)[];
  /** Actions of a row: in a menu at its end. */
  actions?(row: T, rows: readonly T[]): PageActions;
}

interface CollectionRowsProps<T> extends RowSpec<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly groupOf: (row: T) => string | undefined;
  /** Keys of the selected rows; undefined: nothing can be selected. */
  readonly selected: ReadonlySet<string | number> | undefined;
  /** Phones show the boxes only then. */
  readonly isSelecting: boolean;
  readonly reload: () => void;
  readonly onSelect: (change: (selected: ReadonlySet<string | number>) => ReadonlySet<string | number>) => void;
}

/** The rows of a list. On a phone each row has two lines. */
export function CollectionRows<T>(props: CollectionRowsProps<T>) {
  const { label, rows, keyOf, groupOf, actions, selected, isSelecting, reload, onSelect } = props;
  const columns = props.columns.filter((column) => column !== false);
  const id = useId();
  const toggle = (key: string | number) => selected && onSelect((before) => before.symmetricDifference(new Set([key])));
  const keys = useRowKeys(rows, (row) => toggle(keyOf(row)));
  const isAll = selected !== undefined && rows.every((row) => selected.has(keyOf(row)));
  const columnCount = columns.length + (selected === undefined ? 0 : 1) + (actions === undefined ? 0 : 1);
  return (
    <table {...keys} class={isSelecting ? 'list selecting' : 'list'}>
      <caption class="unseen">{label}</caption>
      <thead>
        <tr>
          {selected !== undefined && (
            <td class="fit pick">
              <input
                type="checkbox"
                class="check"
                aria-label="Select all"
                checked={isAll}
                onChange={() => onSelect(() => new Set(isAll ? [] : rows.map(keyOf)))}
              />
            </td>
          )}
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.isNarrow === true ? <span class="unseen">{column.title}</span> : column.title}
            </th>
          ))}
          {actions !== undefined && (
            <th scope="col" class="fit">
              <span class="unseen">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const key = keyOf(row);
          const nameId = `${id}-${index}`;
          const group = groupOf(row);
          const before = rows[index - 1];
          const isFirst = group !== undefined && (before === undefined || groupOf(before) !== group);
          return (
            <Fragment key={key}>
              {isFirst && (
                <tr>
                  <th colSpan={columnCount} scope="colgroup" class="day">
                    {group}
                  </th>
                </tr>
              )}
              <tr data-key={key} {...(selected?.has(key) === true ? { 'aria-selected': true } : {})}>
                {selected !== undefined && (
                  <td class="fit pick">
                    <label>
                      <input
                        type="checkbox"
                        id={`${nameId}-select`}
                        class="check"
                        aria-label="Select"
                        aria-labelledby={`${nameId}-select ${nameId}`}
                        checked={selected.has(key)}
                        onChange={() => toggle(key)}
                      />
                    </label>
                  </td>
                )}
                {columns.map((column) => {
                  const isName = column.phone === 'main';
                  const Tag = isName ? 'th' : 'td';
                  return (
                    <Tag key={column.title} class={classOf(column)} {...(isName && { scope: 'row', id: nameId })}>
                      <Cell {...{ column, row, reload }} />
                    </Tag>
                  );
                })}
                {actions !== undefined && (
                  <td class="fit">
                    <ActionMenu of={actions(row, rows)} onDone={reload} isCompact subjectId={nameId} />
                  </td>
                )}
              </tr>
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

interface CellProps<T> {
  readonly column: Column<T>;
  readonly row: T;
  readonly reload: () => void;
}

function Cell<T>({ column, row, reload }: CellProps<T>) {
  const content = column.at === undefined ? column.cell?.(row, reload) : <RelativeTime at={column.at(row)} />;
  if (column.line === undefined) return <>{content}</>;
  const [to, line] = [column.to?.(row), column.line(row)];
  return (
    <>
      {to === undefined ? <span class="title">{content}</span> : <PageLink look="title" to={to} text={content} />}
      {line !== undefined && <span class="line">{line}</span>}
    </>
  );
}

function classOf<T>({ align, at, isNarrow, phone }: Column<T>): string {
  const words = [
    (align === 'end' || at !== undefined) && 'number',
    isNarrow === true && 'fit',
    phone === 'main' && 'main',
    phone === 'line' && 'line-below',
    phone === 'hidden' && 'wide-only',
  ];
  return words.filter((word) => word !== false).join(' ');
}

/** In the rows, j and k move the focus, x selects. When the row with the focus is gone, its neighbor gets it. */
function useRowKeys<T>(rows: readonly T[], onSelect: (row: T) => void) {
  const table = useRef<HTMLTableElement>(null);
  const focused = useRef(-1);
  const listRows = () => [...(table.current?.querySelectorAll('tr[data-key]') ?? [])];
  const listControls = (at: number) => [
    ...(listRows()[Math.max(0, Math.min(at, rows.length - 1))]?.querySelectorAll<HTMLElement>('a, button') ?? []),
  ];
  useEffect(() => {
    const isLost = document.activeElement === document.body && focused.current >= 0;
    if (isLost) listControls(focused.current).at(-1)?.focus({ preventScroll: true });
  }, [rows]);
  return {
    ref: table,
    onFocusIn: ({ target }: FocusEvent) => {
      focused.current = listRows().findIndex((row) => target instanceof Node && row.contains(target));
    },
    onFocusOut: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) focused.current = -1;
    },
    onKeyDown: ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent) => {
      const isMenu = target instanceof Element && target.closest('[popover]') !== null;
      if (ctrlKey || metaKey || altKey || isMenu) return;
      const row = rows[focused.current];
      const step = { j: 1, k: -1 }[key];
      if (key === 'x' && row !== undefined) onSelect(row);
      if (step === undefined) return;
      const controls = listControls(focused.current + step);
      (controls.find((control) => control.matches('th a')) ?? controls[0])?.focus();
    },
  };
}
