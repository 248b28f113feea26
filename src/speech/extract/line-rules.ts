import {
  createLeftOutBlock,
  type DraftBlock,
  type FilteredBlocks,
  type LeftOut,
  type LeftOutReason,
  type Section,
} from './block.ts';
import { excludeLinkBoxes, excludePictureTexts } from './boxes.ts';
import {
  announcesList,
  countWords,
  cutSignOffs,
  findLineReason,
  findSignature,
  findStarredNotes,
  isBoxHeading,
  isContactLine,
  isLabel,
  isLinked,
  isLinkLine,
  isSentence,
  MAX_BUTTON_WORDS,
  MAX_POINTER_UNITS,
  POSTAL_ADDRESS,
  scoreLine,
} from './line-kinds.ts';
import { endsSentence, isAboutAuthor, isDateLine, MIN_PROSE_POINTS, speaksOfUs } from './standing-lines.ts';

/** Share of the items of a list from which it is a list of links. */
const MIN_LINKED_ITEMS = 0.75;

const MAX_CAPTION_UNITS = 150;
/** An article by a company about its own work says "we" and "our" everywhere. */
const MIN_OF_US = 5;
const MIN_SHARE_OF_US = 0.4;
const POINTS_OF_US = 5;

/**
 * Leaves out lines that are no text of the article: advertisement labels, credits, dates, calls to share or subscribe, links that
 * lead away, URLs of videos, headings of excluded boxes. Keeps everything if nothing would remain.
 * @param beforeLeftOut blocks directly before excluded text, with its reason
 * @param noteMarks marks of footnotes in the text
 */
export function removeLines(
  uncut: DraftBlock[],
  beforeLeftOut: ReadonlyMap<DraftBlock, LeftOutReason>,
  noteMarks: ReadonlySet<string>,
): FilteredBlocks {
  const { blocks, leftOut } = cutSignOffs(uncut);
  const sentences = blocks.map(({ block }) => isSentence(block));
  const first = sentences.indexOf(true);
  const last = sentences.lastIndexOf(true);
  const firstEnd = blocks.findIndex(({ block }) => endsSentence(block.text));
  const lastEnd = blocks.findLastIndex(({ block }) => endsSentence(block.text));
  const isApart = findApart(blocks);
  const ours = blocks.filter(({ block }, index) => sentences[index] && speaksOfUs(block)).length;
  const isOurStory = ours >= MIN_OF_US && ours > MIN_SHARE_OF_US * sentences.filter(Boolean).length;
  const minPoints = MIN_PROSE_POINTS + (isOurStory ? POINTS_OF_US : 0);
  const countBySection = Map.groupBy(blocks, ({ section }) => section);
  const reasons = blocks.map((draft, index) => {
    if (draft.section?.isKept) return undefined;
    const boxReason = beforeLeftOut.get(draft);
    if (boxReason && isBoxHeading(draft)) return boxReason;
    const isOutside = index < first || index > last;
    const mayBeDate = draft.block.kind !== 'list' || index < Math.max(first, firstEnd, 1);
    if (mayBeDate && isDateLine(draft.block.text, isOutside, index > lastEnd)) return 'page furniture';
    const isAlone = draft.section === undefined || countBySection.get(draft.section)?.length === 1;
    return findLineReason(draft, isApart(draft), minPoints) ?? (isAlone && isCaption(draft) ? 'caption' : undefined);
  });
  excludePictureTexts(blocks, reasons);
  excludeLinkLines(blocks, reasons);
  excludeLinkBoxes(blocks, reasons, first);
  excludeTeasers(blocks, reasons);
  excludeLinkedLists(blocks, reasons);
  excludeNotes(blocks, reasons, noteMarks);
  excludeReferences(blocks, reasons);
  for (const note of findStarredNotes(blocks, (index) => reasons[index] !== undefined)) reasons[note] = 'footnote';
  reasons.fill('page furniture', findSignature(blocks) ?? blocks.length);
  excludeLastLines(blocks, reasons, isApart);
  excludeBoxHeadings(blocks, reasons, beforeLeftOut);
  if (reasons.every((reason) => reason !== undefined)) return { blocks: uncut, leftOut: [] };
  return {
    blocks: blocks.filter((_, index) => reasons[index] === undefined),
    leftOut: [
      ...leftOut,
      ...blocks.flatMap(({ block }, index) => {
        const reason = reasons[index];
        return reason === undefined ? [] : [createLeftOutBlock(block, reason)];
      }),
    ],
  };
}

/** @returns whether a block has other classes or another element around it than most sentences */
function findApart(blocks: readonly DraftBlock[]): (draft: DraftBlock) => boolean {
  const sentences = blocks.filter(({ block, section }) => section !== undefined && isSentence(block));
  const findMost = <Key>(by: (draft: DraftBlock) => Key) =>
    [...Map.groupBy(sentences, by)].reduce<[Key?, number?]>(
      (most, [key, { length }]) => (length > (most[1] ?? 0) ? [key, length] : most),
      [],
    )[0];
  const parent = findMost(({ section }) => section?.parent);
  const className = findMost(({ section }) => section?.className);
  return ({ block, section }) =>
    block.kind !== 'list' && section !== undefined && (section.parent !== parent || section.className !== className);
}

/** What only a caption says, also in a sentence. */
const CAPTION_MARK =
  /\((?:(?:file|stock|archive|undated|handout)(?: (?:photo|image|picture))?|pictured|(?:far |second |third )?(?:left|right)|(?:symbol|archiv)(?:bild|foto)|links|rechts|l\.|r\.|photo d[’']illustration|archives?|à (?:gauche|droite)|(?:foto de )?archivo|(?:a la )?(?:izquierda|derecha))\)/i;

/** A short line below an image that is no sentence, or has the words of a caption. */
function isCaption({ block: { kind, text }, imageSection, isBelowImage, section }: DraftBlock): boolean {
  if (imageSection !== undefined && kind === 'paragraph' && text.length <= MAX_POINTER_UNITS && CAPTION_MARK.test(text))
    return true;
  return (
    isBelowImage &&
    (kind === 'paragraph' || /^h[56]$/.test(section?.name ?? '')) &&
    text.length <= MAX_CAPTION_UNITS &&
    !endsSentence(text)
  );
}

/**
 * Leaves out lines that are one link: a link between paragraphs leads to another article, several in a row are navigation. Kept are
 * items of a list that a colon announces, and headings before text.
 */
function excludeLinkLines(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  let isAnnounced = false;
  const isLink = blocks.map((draft, index) => {
    const { kind } = draft.block;
    if (kind !== 'list') isAnnounced = reasons[index] === undefined && announcesList(draft);
    return isLinkLine(draft) && !(kind === 'list' && isAnnounced);
  });
  // A headline may be a question. Only its neighbors tell it from a sentence that is a link.
  for (const [index, draft] of blocks.entries()) {
    const before = blocks[index - 1];
    const isNext = isLink[index - 1] === true || (before !== undefined && isBoxHeading(before));
    if (draft.block.text.endsWith('?') && isNext && isLinked(draft)) isLink[index] = true;
  }
  // From the end, as what follows a heading decides.
  let followsText = false;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const isHeading = blocks[index]?.block.kind === 'heading';
    const before = blocks[index - 1];
    if (isLink[index] && isHeading && followsText && !(before && isBoxHeading(before))) isLink[index] = false;
    if (reasons[index] === undefined && !isLink[index]) followsText = !isHeading;
    else if (isHeading) followsText = false;
  }
  for (let index = 0; index < blocks.length; index += 1) {
    const isAmongLinks = isLink[index - 1] === true || isLink[index + 1] === true;
    if (isLink[index]) reasons[index] ??= isAmongLinks ? 'navigation' : 'related articles';
  }
}

/** Leaves out the list below the heading of a box if each of its items has a link. */
function excludeLinkedLists(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  let start = -1;
  const end = (index: number) => {
    const items = blocks.slice(start + 1, index);
    const linked = items.filter(({ block, linkedUnits }) => linkedUnits > 0 && !block.text.endsWith('.'));
    const isBox = items.length > 1 && linked.length >= MIN_LINKED_ITEMS * items.length;
    for (let item = start; isBox && item < index; item += 1) reasons[item] ??= 'related articles';
    start = -1;
  };
  for (const [index, draft] of blocks.entries()) {
    if (start >= 0 && draft.block.kind !== 'list') end(index);
    if (isBoxHeading(draft) && !draft.section?.isKept) start = index;
  }
  if (start >= 0) end(blocks.length);
}

/** "(1) City data.", "2. Budget office" */
const NOTE_START = /^(?:[[(](\d{1,2})[\])]|(\d{1,2})\.?) /;

/** Marks of footnotes that were left out of the text: "1" of "[1]". */
export function findNoteMarks(leftOut: readonly LeftOut[]): ReadonlySet<string> {
  const marks = leftOut.filter(({ text, reason }) => reason === 'footnote' && /^[[\](),\d\s]{1,30}$/.test(text));
  return new Set(marks.flatMap(({ text }) => text.match(/\d{1,2}/g) ?? []));
}

/** Leaves out the last paragraphs if each begins with a mark that is in the text. Without brackets, the first of them is "1". */
function excludeNotes(
  blocks: readonly DraftBlock[],
  reasons: (LeftOutReason | undefined)[],
  noteMarks: ReadonlySet<string>,
): void {
  const notes: number[] = [];
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    if (reasons[index] !== undefined) continue;
    const { block, section } = blocks[index] as DraftBlock;
    const [, inBrackets, plain] = NOTE_START.exec(block.text) ?? [];
    const mark = inBrackets ?? plain ?? '';
    if (!noteMarks.has(mark) || block.kind !== 'paragraph' || section?.isKept) break;
    notes.push(index);
    if (inBrackets === undefined && mark !== '1') continue;
    for (const note of notes.splice(0)) reasons[note] = 'footnote';
  }
}

const REFERENCES =
  /^(?:references|bibliography|works cited|citations|footnotes|endnotes|sources|(?:literatur|quellen)(?:verzeichnis|angaben|nachweise?)?|einzelnachweise|fußnoten|références|bibliographie|notes et références|referencias|bibliografía|fuentes|riferimenti|bibliografia|fonti|referências|fontes|bronnen|referenties|literatuur|voetnoten|przypisy|źródła)$/i;

/** Leaves out the last heading and its list if it has references. */
function excludeReferences(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  const start = blocks.findLastIndex(({ block }, index) => block.kind === 'heading' && reasons[index] === undefined);
  const isList = ({ block, section }: DraftBlock) => block.kind === 'list' && !section?.isKept;
  const items = blocks.slice(start + 1).filter((_, index) => reasons[start + 1 + index] === undefined);
  const text = blocks[start]?.block.text.replace(/:$/, '') ?? '';
  if (start < 1 || items.length === 0 || !REFERENCES.test(text) || !items.every(isList)) return;
  for (let index = start; index < blocks.length; index += 1) reasons[index] ??= 'footnote';
}

/** Points of a line that sounds like a publisher, where it is the last one. */
const MIN_LAST_POINTS = 9;

/** Leaves out what an article says at its end about its author, and what sounds like its publisher. */
function excludeLastLines(
  blocks: readonly DraftBlock[],
  reasons: (LeftOutReason | undefined)[],
  isApart: (draft: DraftBlock) => boolean,
): void {
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const draft = blocks[index];
    if (reasons[index] !== undefined || draft === undefined) continue;
    if (draft.section?.isKept || draft.block.kind !== 'paragraph') return;
    const { text } = draft.block;
    // A guide has several.
    const isOurAddress =
      POSTAL_ADDRESS.test(text) && !blocks.slice(0, index).some((one) => POSTAL_ADDRESS.test(one.block.text));
    if (
      !isAboutAuthor(text) &&
      !isContactLine(text) &&
      !isOurAddress &&
      scoreLine(draft, isApart(draft)) < MIN_LAST_POINTS
    )
      return;
    reasons[index] = 'page furniture';
  }
}

/** Leaves out a linked title with the text between it and its "Read more", unless the article is made of them. */
function excludeTeasers(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  const teasers = new Set<number>();
  for (const [index, draft] of blocks.entries()) {
    if (!READ_MORE.test(draft.block.text) || !isLinked(draft) || countWords(draft.block.text) > MAX_BUTTON_WORDS)
      continue;
    const title = [index - 2, index - 3].find((before) => before >= 0 && isLinkLine(blocks[before] as DraftBlock));
    const box = draft.section?.parent;
    if (title === undefined || box === undefined || !isWithin(blocks[title]?.section, box)) continue;
    const before = blocks[title - 1];
    // In the main element everything is within one box.
    if (before !== undefined && isWithin(before.section, box) && !isLabel(before)) continue;
    for (let part = title; part <= index; part += 1) teasers.add(part);
  }
  const count = (indexes: Iterable<number>) =>
    [...indexes].reduce((total, index) => total + (blocks[index]?.block.text.length ?? 0), 0);
  if (count(teasers) > MAX_TEASER_SHARE * count(blocks.keys())) return;
  for (const index of teasers) reasons[index] ??= 'related articles';
}

const READ_MORE =
  /^(?:(?:continue|keep) reading|read (?:more|on)|(?:learn|see|find out|view) more|details|mehr|weiter(?:lesen)?|lire (?:la suite|plus)|leer más|seguir leyendo|leggi tutto|lees (?:meer|verder)|czytaj (?:więcej|dalej)|le(?:r|ia) mais)(?:$|[^\p{L}])/iu;
const MAX_TEASER_SHARE = 0.6;
const MAX_TEASER_DEPTH = 3;

function isWithin(section: Section | undefined, box: Section): boolean {
  let outer = section;
  for (let depth = 0; outer !== undefined && depth <= MAX_TEASER_DEPTH; depth += 1) {
    if (outer === box || outer === box.parent) return true;
    outer = outer.parent;
  }
  return false;
}

/** What has a heading of its own. */
const BOX_REASONS = new Set<LeftOutReason | undefined>([
  ...([
    'related articles',
    'reader comments',
    'share bar',
    'sign-up box',
    'navigation',
    'page furniture',
    'form',
  ] as const),
]);

/** "More stories for you" before lines that are links, and a last heading before what is left out. */
function excludeBoxHeadings(
  blocks: readonly DraftBlock[],
  reasons: (LeftOutReason | undefined)[],
  beforeLeftOut: ReadonlyMap<DraftBlock, LeftOutReason>,
): void {
  const lastText = reasons.lastIndexOf(undefined);
  const hasText = blocks.some(({ block }, index) => block.kind !== 'heading' && reasons[index] === undefined);
  for (const [index, draft] of blocks.entries()) {
    const next = reasons[index + 1];
    const isBeforeLinks = next === 'related articles' || next === 'navigation';
    const isLabelOfLinks =
      isBeforeLinks && isLabel(draft) && !announcesList(draft) && countWords(draft.block.text) <= MAX_BUTTON_WORDS;
    const isLast = index === lastText && (draft.block.kind === 'heading' || isLabelOfLinks);
    // Text may follow a list of links, but the label is that of the list.
    const isOfList =
      isLabelOfLinks &&
      draft.block.kind === 'paragraph' &&
      [1, 2].every((step) => blocks[index + step]?.block.kind === 'list' && reasons[index + step] !== undefined);
    if (
      (isLast || isBeforeLinks) &&
      !draft.section?.isKept &&
      (isBoxHeading(draft) || isOfList || (isLast && hasText && BOX_REASONS.has(next ?? beforeLeftOut.get(draft))))
    )
      reasons[index] ??= 'related articles';
  }
}
