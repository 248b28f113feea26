import type { Block, BlockKind, SourceSpan } from './block.ts';
import { BlockText } from './block-text.ts';

const BULLET = /[ \t]*(?:[-*•‣◦–]|\d{1,3}[.)])[ \t]+/y;
const LINE_END = /\r\n|[\n\r\u2028\u2029\u0085]/g;
/** Shorter lines were ended on purpose; longer ones may only be wrapped at the edge of a page. */
const WRAPPED_LINE_LENGTH_MIN = 50;

/** Blocks of plain text: a paragraph per line, wrapped lines put together again, bulleted lines as list items. */
export function readPlainText(text: string, field: SourceSpan['field']): Block[] {
  const blocks: Block[] = [];
  const blockText = new BlockText(field);
  let kind: BlockKind = 'paragraph';
  let lineBefore = '';
  for (const line of lines(text)) {
    const content = text.slice(line.start, line.end);
    const bullet = bulletLength(text, line.start, line.end);
    if (!(bullet === 0 && isWrapped(lineBefore, content))) {
      const block = blockText.take(kind);
      if (block) blocks.push(block);
      kind = bullet > 0 ? 'list' : 'paragraph';
    }
    blockText.space();
    // A number that counts items is read out, a bullet is not.
    const isCounted = /\d/.test(text.slice(line.start, line.start + bullet));
    blockText.append(text, line.start + (isCounted ? 0 : bullet), line.end);
    lineBefore = content;
  }
  const last = blockText.take(kind);
  return last ? [...blocks, last] : blocks;
}

function* lines(text: string): Generator<{ start: number; end: number }> {
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    yield { start, end: match.index };
    start = match.index + match[0].length;
  }
  yield { start, end: text.length };
}

function bulletLength(text: string, start: number, end: number): number {
  BULLET.lastIndex = start;
  const match = BULLET.exec(text);
  return match && BULLET.lastIndex < end ? match[0].length : 0;
}

function isWrapped(lineBefore: string, line: string): boolean {
  const before = lineBefore.trimEnd();
  if (before.length < WRAPPED_LINE_LENGTH_MIN || line.trim() === '') return false;
  return !/[.!?:;"'”’)\]…]$/.test(before.slice(-1)) || /^\s{0,8}\p{Ll}/u.test(line);
}
