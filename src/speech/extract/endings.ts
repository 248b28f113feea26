import { type Block, createLeftOut, type DraftBlock, type FilteredBlocks, type LeftOut } from './block.ts';
import { countWords, POINTER_START } from './line-kinds.ts';
import { AGENCY, endsSentence, findStandingLine, isEditorsNote } from './standing-lines.ts';

/** "The line opens on Monday. (dpa/abc)", "It opens in June. (With files from The Canadian Press)" */
const BRACKETED_END = /(?<=[.!?…]["'”’»“]?) ?[([]([^()[\]]{2,200})[)\]]$/u;
/** "It opens in June (dpa).", not behind the full name of the agency */
const AGENCY_BEFORE_STOP =
  /(?<!(?:press|presse|agentur|agence|agency|agencia|agenzia|prensa)) ?\((?:dpa|sda|afp|efe|rtr|ansa|anp|pap|kna|epd|dpa-afx)(?:[/,] ?\p{L}{2,7}){0,3}\)(?=\.$)/iu;
/** "It opens in June. – Reuters" */
const DASHED_END = /(?<=[.!?…]) [–—-]{1,2} ?(\p{L}[^"“”„«»]{1,60})$/u;
const AGENCIES = `${AGENCY}(?:(?:/|, ?| and | und | et | y | e | i | en )${AGENCY})*`;
const ONLY_AGENCIES = new RegExp(`^${AGENCIES}$`, 'iu');
/** "(dpa) – The line opens." */
const AGENCY_START = new RegExp(`^[([]${AGENCIES}[)\\]](?: ?[–—:-]{1,2})? (?=\\S)`, 'iu');
/** "(abc/def)", "(SZ/dpa/jr)"; one pair of initials may be a word: "(sic)". */
const DESKS =
  /^(?=.*\/)(?=(?:.*\/)?(?:[a-zäöü]{2,4}|AFP|AP|EFE|KNA|Reuters|ANSA|PAP|ANP|Lusa)(?:\/|$))[\p{L}.]{2,8}(?:\/[\p{L}.]{2,8}){1,4}$/u;

/** "The line opens on Monday. Read more: ", before a link */
const POINTER_BEFORE_LINK = /(?<=[.!?…]["'”’»“]?) ([^.!?…]{3,40}:)\s*$/u;

/** Leaves out agencies and initials before and behind the text of a paragraph, and a pointer to another article behind it. */
export function cutSignOffs(blocks: readonly DraftBlock[]): FilteredBlocks {
  const leftOut: LeftOut[] = [];
  const cut = blocks.map((draft) => {
    const { block, section, isBelowImage, imageSection } = draft;
    // Behind a caption it tells that it is one.
    if (block.kind !== 'paragraph' || section?.isKept || isBelowImage || imageSection) return draft;
    const start = AGENCY_START.exec(block.text)?.[0].length ?? 0;
    const units = block.text.length;
    const { start: end, end: stop } = findPointer(draft) ?? findSignOff(block.text) ?? { start: units, end: units };
    if (start === 0 && end === units) return draft;
    if (start > 0) leftOut.push(createPart(block, 0, start));
    if (end < units) leftOut.push(createPart(block, end, stop));
    return { ...draft, block: sliceBlock(block, start, end, stop), linkStart: Math.max(0, draft.linkStart - start) };
  });
  return { blocks: cut, leftOut };
}

/** @returns the range of "Read more: Why rents rose" behind a text, all of it a link after the colon */
function findPointer({ block: { text }, linkedUnits, linkStart }: DraftBlock): SourceRange | undefined {
  const before = POINTER_BEFORE_LINK.exec(text.slice(0, linkStart));
  const isAllLink = linkedUnits >= text.length - linkStart - 1 && !endsSentence(text);
  return before && isAllLink && isPointing(before[1] ?? '') ? { start: before.index, end: text.length } : undefined;
}

function isPointing(words: string): boolean {
  return POINTER_START.exec(words)?.[0].includes(':') === true && !endsSentence(words.replace(/:$/, ''));
}

/** @returns the agency or initials behind a text; the full stop behind "(dpa)." is not part of them */
function findSignOff(text: string): SourceRange | undefined {
  const toRange = ({ index, 0: { length } }: RegExpExecArray) => ({ start: index, end: index + length });
  const beforeStop = AGENCY_BEFORE_STOP.exec(text);
  if (beforeStop) return toRange(beforeStop);
  const bracketed = BRACKETED_END.exec(text);
  if (bracketed) return isSignOff(bracketed[1] ?? '') ? toRange(bracketed) : undefined;
  const dashed = DASHED_END.exec(text);
  return dashed && findStandingLine({ kind: 'paragraph', text: dashed[1] ?? '' }) ? toRange(dashed) : undefined;
}

function isSignOff(words: string): boolean {
  if (ONLY_AGENCIES.test(words) || DESKS.test(words) || isPointing(words)) return true;
  return /\s/.test(words) && findStandingLine({ kind: 'paragraph', text: `(${words})` }) === 'page furniture';
}

function createPart(block: Block, start: number, end: number): LeftOut {
  return createLeftOut(block.text.slice(start, end), 'page furniture', {
    field: block.field,
    start: block.sources[start] ?? 0,
    end: block.sources[end] ?? 0,
  });
}

/** @param stop of the rest of the text, without runs */
function sliceBlock(block: Block, start: number, end: number, stop: number): Block {
  const rest = block.sources.subarray(stop);
  const move = <Run extends { readonly start: number; readonly end: number }>(run: Run): Run => ({
    ...run,
    start: Math.max(0, run.start - start),
    end: Math.min(end, run.end) - start,
  });
  return {
    ...block,
    text: block.text.slice(start, end) + block.text.slice(stop),
    sources:
      rest.length > 1
        ? Uint32Array.of(...block.sources.subarray(start, end), ...rest)
        : block.sources.slice(start, end + 1),
    languages: block.languages.map(move).filter((run) => run.start < run.end),
    ...(block.marks && {
      marks: block.marks.map((mark) =>
        'end' in mark ? move(mark) : { ...mark, start: Math.min(Math.max(0, mark.start - start), end - start) },
      ),
    }),
  };
}

interface SourceRange {
  readonly start: number;
  readonly end: number;
}

const MAX_SIGNATURE_LINES = 6;
const MAX_SIGNATURE_UNITS = 80;
const MIN_SIGNATURE_WORDS = 5;

/** @returns where the signature of a mail begins: lines behind "--" at the end */
export function findSignature(blocks: readonly DraftBlock[]): number | undefined {
  const firstLine = Math.max(1, blocks.length - MAX_SIGNATURE_LINES - 1);
  const start = blocks.findIndex(({ block }, index) => index >= firstLine && /^--(?: |$)/.test(block.text));
  if (start < 0) return undefined;
  const lines = blocks.slice(start).map(({ block }) => block.text);
  // "-- Mark Twain" is the source of a quotation.
  const isOneLine = lines.length === 1 && (lines[0] ?? '').split(' ').length <= MIN_SIGNATURE_WORDS;
  const isShort = lines.every((line) => line.length <= MAX_SIGNATURE_UNITS && !/[.!?…:]$/.test(line));
  return isShort && !isOneLine && (lines.length > 1 || lines[0] !== '--') ? start : undefined;
}

const STARRED = /^(\*{1,3}|[†‡])(?!\*) ?(?=\S)/u;
const MAX_STARRED_NOTES = 5;
/** Of a note whose mark is not in the text; longer ones may be an item of a list. */
const MAX_STARRED_WORDS = 10;

/** @returns the last paragraphs that begin with a mark such as "*": with the mark in the text, or a single one */
export function findStarredNotes(blocks: readonly DraftBlock[], isLeftOut: (index: number) => boolean): number[] {
  const notes: number[] = [];
  let index = blocks.length - 1;
  for (; index > 0 && notes.length <= MAX_STARRED_NOTES; index -= 1) {
    if (isLeftOut(index)) continue;
    const { block, section } = blocks[index] as DraftBlock;
    if (block.kind !== 'paragraph' || section?.isKept || !STARRED.test(block.text)) break;
    notes.push(index);
  }
  const isMarked = (note: number) => {
    const mark = STARRED.exec(blocks[note]?.block.text ?? '')?.[1] ?? '';
    return blocks.slice(0, index + 1).some(({ block }) => hasMark(block.text, mark));
  };
  return notes.filter((note) => {
    const text = blocks[note]?.block.text ?? '';
    // "*quiet*" is emphasis.
    const isAlone =
      notes.length === 1 && !text.endsWith('*') && (text[1] !== ' ' || countWords(text) <= MAX_STARRED_WORDS);
    return !isEditorsNote(text) && (isAlone || isMarked(note));
  });
}

/** A mark behind a word, not emphasis: "Flights* to Lisle". */
function hasMark(text: string, mark: string): boolean {
  const at = text.indexOf(mark, 1);
  return at > 0 && /\S/.test(text.charAt(at - 1)) && !/[\p{L}\d*]/u.test(text.charAt(at + mark.length));
}
