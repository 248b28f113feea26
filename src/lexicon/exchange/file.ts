import type { Entry } from '../entry.ts';

/** Formats a lexicon is taken in and given out. */
export type FileFormat = 'csv' | 'pls';

export const contentTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  pls: 'application/pls+xml',
};

/** What a file says of one entry, not checked yet. */
export interface FileEntry {
  /** Of the file, from 1. */
  readonly line: number;
  readonly given: Readonly<Record<keyof Entry, unknown>>;
}

/** Something that is wrong with a file. */
export interface FileProblem {
  readonly line: number;
  readonly problem: string;
}

/** What a file holds. */
export interface FileContent {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly FileProblem[];
  /** The only language it speaks of, as it is written there; undefined: it may speak of several. */
  readonly language?: string;
}
