import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../location.ts';
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
  /** Path of a row's page, behind the #: Enter opens it. The title of the row links to it by itself. */
  href?(row: T): string | undefined;
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

/** The rows of a list; j and k move, x selects, Enter opens. On a phone each row has two lines. */
export function CollectionRows<T>(props: CollectionRowsProps<T>) {
  const { label, rows, keyOf, groupOf, actions, selected, isSelecting, reload, onSelect } = props;
  const columns = props.columns.filter((column) => column !== false);
  const id = useId();
  const toggle = (key: string | number) => selected && onSelect((before) => before.symmetricDifference(new Set([key])));
  const current = useRowKeys(props, toggle);
  const isAll = selected !== undefined && rows.every((row) => selected.has(keyOf(row)));
  const columnCount = columns.length + (selected === undefined ? 0 : 1) + (actions === undefined ? 0 : 1);
  const table = useFocusInRows(rows);
  return (
    <table ref={table} class={isSelecting ? 'list selecting' : 'list'}>
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
              <tr
                data-key={key}
                class={key === current ? 'current' : ''}
                {...(selected?.has(key) === true ? { 'aria-selected': true } : {})}
              >
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

/** When the row with the focus is gone, its neighbor has it: several can be deleted one after another by keyboard. */
function useFocusInRows(rows: readonly unknown[]) {
  const table = useRef<HTMLTableElement>(null);
  const last = useRef(-1);
  useEffect(() => {
    const list = () => [...(table.current?.querySelectorAll('tr[data-key]') ?? [])];
    if (document.activeElement === document.body && last.current >= 0) {
      const controls = list()[Math.min(last.current, rows.length - 1)]?.querySelectorAll<HTMLElement>('a, button');
      [...(controls ?? [])].at(-1)?.focus();
    }
    const note = () => {
      last.current = list().findIndex((row) => row.contains(document.activeElement));
    };
    addEventListener('focusin', note);
    return () => removeEventListener('focusin', note);
  }, [rows]);
  return table;
}

/** @returns the key of the row that the keyboard has reached */
function useRowKeys<T>(
  { rows, keyOf, href }: CollectionRowsProps<T>,
  toggle: (key: string | number) => void,
): string | number | undefined {
  const [current, setCurrent] = useState<string | number>();
  // Keys may come faster than rows are drawn.
  const reached = useRef(current);
  const latest = useRef(toggle);
  latest.current = toggle;
  // With the rows themselves: a key may be pressed before they are painted.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isBusyElsewhere(event.target)) return;
      const at = rows.findIndex((row) => keyOf(row) === reached.current);
      const row = rows[at];
      if (event.key === 'j' || event.key === 'k') {
        const next = rows[Math.max(0, Math.min(rows.length - 1, at + (event.key === 'j' ? 1 : -1)))];
        if (next === undefined) return;
        reached.current = keyOf(next);
        setCurrent(reached.current);
        document
          .querySelector(`tr[data-key="${CSS.escape(String(keyOf(next)))}"]`)
          ?.scrollIntoView({ block: 'nearest' });
      } else if (event.key === 'x' && row !== undefined) latest.current(keyOf(row));
      else if (event.key === 'Enter' && row !== undefined) {
        const path = href?.(row);
        if (path !== undefined) navigate(path);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  return current;
}

/** Whether a field, a control or a dialog has the focus. */
function isBusyElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, button, a, dialog, [popover]') !== null;
}
