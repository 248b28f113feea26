/** RFC 4180. @param rows the first is the header */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

/** Reverts the formula guard of `toCsv`. */
export function stripFormulaGuard(text: string): string {
  return /^'/.test(text) && FORMULA_PATTERN.test(text.slice(1)) ? text.slice(1) : text;
}

/** A formula for a spreadsheet, also behind apostrophes. */
const FORMULA_PATTERN = /^'*\s*[=+\-@]|^'*[\t\r\n]/;

function formatCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A title must not become a formula.
  const text = FORMULA_PATTERN.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
