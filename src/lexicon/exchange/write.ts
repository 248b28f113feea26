import type { Entry } from '../entry.ts';
import { writeCsv } from './csv.ts';
import type { FileFormat } from './file.ts';
import { writePls } from './pls.ts';

/** @param language that of all entries, where they have one */
export function writeFile(
  entries: readonly Entry[],
  format: FileFormat,
  language: string | undefined,
): string {
  return format === 'csv' ? writeCsv(entries) : writePls(entries, language ?? '');
}
