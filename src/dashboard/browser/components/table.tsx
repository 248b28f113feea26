import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Aligns numbers to the right. */
  readonly isNumber?: boolean;
  /** A column of buttons: its title is for screen readers only. */
  readonly isActions?: boolean;
}

interface TableProps<T> {
  /** Caption for screen readers. */
  readonly caption: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly columns: readonly Column<T>[];
}

/** On a narrow screen each row becomes a card. */
export function Table<T>({ caption, rows, keyOf, columns }: TableProps<T>) {
  return (
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.isActions === true ? <span class="unseen">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.title} class={classOf(column)} data-title={column.title}>
                <div>{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf<T>({ isNumber, isActions }: Column<T>): string {
  return `${isNumber === true ? 'number' : ''} ${isActions === true ? 'row-actions' : ''}`.trim();
}
