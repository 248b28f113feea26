import { type Block, createLeftOut, type DraftBlock, type LanguageRun, type LeftOut, toDraftBlock } from './block.ts';

const MAX_HEADER_UNITS = 60;
const MAX_COLUMNS = 100;
const MAX_SPAN = 50;
/** A table without headers and with a longer cell is a layout table. */
const MAX_CELL_UNITS = 300;

export interface Cell {
  readonly isHeader: boolean;
  readonly column: number;
  blocks: DraftBlock[];
}

/** The cells of a table; at its end they decide whether it is a data table or a layout table. */
export class Table {
  readonly #rows: Cell[][] = [];
  /** Remaining rows of a cell from above, by column. */
  #rowSpans: number[] = [];
  #column = 0;
  #isLayout: boolean;

  /** @param isLayout by its role */
  constructor(isLayout: boolean) {
    this.#isLayout = isLayout;
  }

  /** For a table that contains another one. */
  markAsLayout(): void {
    this.#isLayout = true;
  }

  beginRow(): void {
    this.#rows.push([]);
    this.#rowSpans = this.#rowSpans.map((rows) => Math.max(0, rows - 1));
    this.#column = 0;
  }

  /** @param attributes its `colspan` and `rowspan` count */
  beginCell(isHeader: boolean, attributes: ReadonlyMap<string, string>): Cell {
    if (this.#rows.length === 0) this.beginRow();
    while ((this.#rowSpans[this.#column] ?? 0) > 0) this.#column += 1;
    const cell: Cell = { isHeader, column: this.#column, blocks: [] };
    const width = parseSpan(attributes.get('colspan'));
    const height = parseSpan(attributes.get('rowspan'));
    for (let index = 0; index < width && this.#column < MAX_COLUMNS; index += 1) {
      this.#rowSpans[this.#column] = height;
      this.#column += 1;
    }
    this.#rows.at(-1)?.push(cell);
    return cell;
  }

  /**
   * Whether it is a data table, which is spoken row by row.
   * @param blocks of the document, of the table from index `from` on
   */
  isData(blocks: readonly DraftBlock[], from: number): boolean {
    if (this.#isLayout) return false;
    const tableBlocks = blocks.slice(from);
    const present = new Set(tableBlocks);
    const cells = this.#rows.flat();
    for (const cell of cells) cell.blocks = cell.blocks.filter((one) => present.has(one));
    const inCells = new Set(cells.flatMap((cell) => cell.blocks));
    const isInCell = tableBlocks.map((block) => inCells.has(block));
    // Rows would move text between cells out of its place.
    if (isInCell.slice(isInCell.indexOf(true), isInCell.lastIndexOf(true)).includes(false)) {
      return false;
    }
    if (!this.#rows.some((row) => row.filter(isFilled).length > 1)) return false;
    if (cells.some(({ isHeader }) => isHeader)) return true;
    return cells.every(({ blocks }) => blocks.length < 2 && (blocks[0]?.block.text.length ?? 0) <= MAX_CELL_UNITS);
  }

  /**
   * Builds a block for each row, with the column name before each cell.
   * @param blocks of the table
   * @param repetition units that column names may still add to this article
   * @returns `head`: the header rows
   */
  buildRows(blocks: readonly DraftBlock[], repetition: { unitsLeft: number }): { rows: DraftBlock[]; head: LeftOut[] } {
    const inCells = new Set(this.#rows.flat().flatMap((cell) => cell.blocks));
    const outsideCells = blocks.filter((block) => !inCells.has(block));
    const filled = this.#rows.map((row) => row.filter(isFilled)).filter((row) => row.length > 0);
    const head = filled.slice(0, countHeaderRows(filled));
    const names = buildColumnNames(head);
    const headCount = names.size === 0 ? 0 : head.length;
    const rows = filled.slice(headCount).map((row) => {
      for (const { column } of row) repetition.unitsLeft -= names.get(column)?.length ?? 0;
      return buildRow(row, repetition.unitsLeft < 0 ? new Map() : names);
    });
    return {
      rows: sortBlocks([...outsideCells, ...rows]),
      head: filled.slice(0, headCount).map(createLeftOutHeader),
    };
  }
}

function isFilled({ blocks }: Cell): boolean {
  return blocks.length > 0;
}

function parseSpan(value: string | undefined): number {
  const span = Number.parseInt(value ?? '1', 10);
  return span >= 1 ? Math.min(span, MAX_SPAN) : 1;
}

/** The number of header rows at the top; 0 if no other rows follow. */
function countHeaderRows(rows: readonly (readonly Cell[])[]): number {
  const first = rows.findIndex((row) => row.length < 2 || !row.every(({ isHeader }) => isHeader));
  return Math.max(first, 0);
}

/** @returns empty if a name is too long to be repeated in each row */
function buildColumnNames(rows: readonly (readonly Cell[])[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const cell of rows.flat()) {
    const name = cell.blocks
      .map(({ block }) => block.text)
      .join(' ')
      .replace(/\s*:$/, '');
    const nameSoFar = names.get(cell.column);
    const whole = nameSoFar === undefined ? name : `${nameSoFar} ${name}`;
    names.set(cell.column, whole);
  }
  const isShort = [...names.values()].every((name) => name.length <= MAX_HEADER_UNITS);
  return isShort ? names : new Map();
}

function buildRow(row: readonly Cell[], names: ReadonlyMap<number, string>): DraftBlock {
  const parts: (Block | string)[] = [];
  for (const [index, cell] of row.entries()) {
    const before = row[index - 1];
    if (before) parts.push(before.isHeader && !cell.isHeader && index === 1 && names.size === 0 ? ': ' : ', ');
    const name = names.get(cell.column);
    if (name !== undefined && !cell.isHeader) parts.push(`${name}: `);
    for (const [place, { block }] of cell.blocks.entries()) {
      if (place > 0) parts.push(', ');
      parts.push(block);
    }
  }
  const linked = row.flatMap(({ blocks }) => blocks).reduce((sum, one) => sum + one.linkedUnits, 0);
  return { ...toDraftBlock(joinBlocks(parts)), linkedUnits: linked, section: row[0]?.blocks[0]?.section };
}

/** Joins blocks and separators. The source of a separator is the start of the next block. */
function joinBlocks(parts: readonly (Block | string)[]): Block {
  const blocks = parts.filter((part) => typeof part !== 'string');
  let text = '';
  const sources: number[] = [];
  const languages: LanguageRun[] = [];
  let next = 0;
  // Of the joined text only the last part is read: reading it all for each part would take quadratic time.
  let lastText = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      const separator = /[.!?:;,…]$/.test(lastText) ? part.replace(/^[,:] /, ' ') : part;
      for (let unit = 0; unit < separator.length; unit += 1) {
        sources.push(blocks[next]?.sources[0] ?? 0);
      }
      text += separator;
      lastText = separator;
      continue;
    }
    const offset = text.length;
    for (const { start, end, language } of part.languages) {
      languages.push({ start: start + offset, end: end + offset, language });
    }
    for (let unit = 0; unit < part.text.length; unit += 1) sources.push(part.sources[unit] ?? 0);
    text += part.text;
    lastText = part.text;
    next += 1;
  }
  const last = blocks.at(-1);
  sources.push(last?.sources[last.text.length] ?? 0);
  const field = last?.field ?? 'content';
  return { kind: 'list', field, text, sources: Uint32Array.from(sources), languages };
}

/** Header rows are not spoken by themselves, as each row has the column names. */
function createLeftOutHeader(row: readonly Cell[]): LeftOut {
  const blocks = row.flatMap((cell) => cell.blocks.map(({ block }) => block));
  const [first] = blocks;
  const last = blocks.at(-1);
  const span = {
    field: first?.field ?? 'content',
    start: first?.sources[0] ?? 0,
    end: last?.sources[last.text.length] ?? 0,
  };
  return createLeftOut(blocks.map(({ text }) => text).join(', '), 'table', span);
}

function sortBlocks(blocks: DraftBlock[]): DraftBlock[] {
  return blocks.sort((one, other) => (one.block.sources[0] ?? 0) - (other.block.sources[0] ?? 0));
}
