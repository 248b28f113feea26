/**
 * A table as spreadsheets read it (RFC 4180).
 * @param rows the first is its head
 */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

/** @returns a text as it was before `csv` kept spreadsheets from calculating it */
export function stripFormulaGuard(text: string): string {
  return /^'/.test(text) && FORMULA_PATTERN.test(text.slice(1)) ? text.slice(1) : text;
}

/** What a spreadsheet would calculate, or take for it after our apostrophe was taken off. */
const FORMULA_PATTERN = /^'*\s*[=+\-@]|^'*[\t\r\n]/;

function formatCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A post's name must not become a formula.
  const text = FORMULA_PATTERN.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
