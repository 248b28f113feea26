import { dlopen, FFIType } from 'bun:ffi';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { embedded } from './embedded.ts';

/** The section where Bun embeds files; it is only read. */
const sectionName = '.bun';
const adviceDontNeed = 4;

interface Range {
  readonly from: number;
  readonly byteCount: number;
}

/**
 * Releases the pages of embedded files: each is read once, and its pages would count as memory of this process (80 MB of
 * an idle worker, measured 2026-11-22). A later read loads them again. Does nothing unless the kernel confirms that no page was modified.
 */
export function releaseEmbeddedPages(): void {
  if (embedded === undefined || process.platform !== 'linux') return;
  try {
    releaseSection();
  } catch {
    // The memory stays in use.
  }
}

function releaseSection(): void {
  const library = dlopen('libc.so.6', {
    getpagesize: { args: [], returns: FFIType.i32 },
    madvise: { args: [FFIType.u64, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
  });
  try {
    const pageBytes = library.symbols.getpagesize();
    const section = findMappedSection();
    if (section === undefined) return;
    const from = Math.ceil(section.from / pageBytes) * pageBytes;
    const end = Math.floor((section.from + section.byteCount) / pageBytes) * pageBytes;
    const pages = { from, byteCount: end - from };
    if (areFileBacked(pages, pageBytes)) library.symbols.madvise(from, end - from, adviceDontNeed);
  } finally {
    library.close();
  }
}

/** @returns the section in memory; undefined if there is none */
function findMappedSection(): Range | undefined {
  const section = findFileSection();
  if (section === undefined) return undefined;
  for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const [range = '', , offset = '', , , path] = line.split(/ +/);
    if (path !== process.execPath) continue;
    const [from = 0, end = 0] = range.split('-').map((address) => Number.parseInt(address, 16));
    const place = section.from - Number.parseInt(offset, 16);
    const isInside = place >= 0 && from + place + section.byteCount <= end;
    if (isInside) return { from: from + place, byteCount: section.byteCount };
  }
  return undefined;
}

/** Reads the section headers of this executable, a 64-bit little-endian ELF file. */
function findFileSection(): Range | undefined {
  const file = openSync('/proc/self/exe', 'r');
  try {
    const read = (from: number, byteCount: number): DataView => {
      const bytes = new Uint8Array(byteCount);
      readSync(file, bytes, 0, byteCount, from);
      return new DataView(bytes.buffer);
    };
    const long = (view: DataView, place: number) => Number(view.getBigUint64(place, true));
    const header = read(0, 64);
    const size = header.getUint16(58, true);
    const count = header.getUint16(60, true);
    const sections = read(long(header, 40), size * count);
    const placeOf = (index: number): Range => ({
      from: long(sections, index * size + 24),
      byteCount: long(sections, index * size + 32),
    });
    const names = placeOf(header.getUint16(62, true));
    const text = Buffer.from(read(names.from, names.byteCount).buffer);
    for (let index = 0; index < count; index += 1) {
      const start = sections.getUint32(index * size, true);
      const name = text.toString('latin1', start, text.indexOf(0, start));
      if (name === sectionName) return placeOf(index);
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Whether no page of a range was modified: a modified page would be lost. */
function areFileBacked({ from, byteCount }: Range, pageBytes: number): boolean {
  const entryBytes = 8;
  const bytes = new Uint8Array((byteCount / pageBytes) * entryBytes);
  const file = openSync('/proc/self/pagemap', 'r');
  try {
    const count = readSync(file, bytes, 0, bytes.length, (from / pageBytes) * entryBytes);
    if (count !== bytes.length) return false;
  } finally {
    closeSync(file);
  }
  // Of each entry's highest bits: present, swapped, and backed by a file.
  for (let place = entryBytes - 1; place < bytes.length; place += entryBytes) {
    const bits = (bytes[place] ?? 0) >> 5;
    if (bits !== 0 && bits !== 0b101 && bits !== 0b001) return false;
  }
  return true;
}
