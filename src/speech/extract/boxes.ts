import type { DraftBlock, LeftOutReason, Section } from './block.ts';
import { BOX_HEADING, isBoxHeading, isLabel, isLinkLine, MAX_POINTER_UNITS, POINTER_START } from './line-kinds.ts';
import { endsSentence, scoreHouseProse } from './standing-lines.ts';

const PICTURE = /ima?ge?(?![a-z])|pictur|photo|foto|bild|figur|caption|l[eé]gend|thumb/i;
const MAX_PICTURE_BLOCKS = 3;
const MAX_PICTURE_UNITS = 300;
const MAX_PICTURE_DEPTH = 3;

/** Leaves out all text of a box that is named after its image and holds few words: a caption of sentences, and its source. */
export function excludePictureTexts(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  for (const [index, { imageSection, section }] of blocks.entries()) {
    let box = imageSection && section;
    for (let depth = 0; box && !(PICTURE.test(box.className) && isInside(imageSection, box)); depth += 1) {
      box = depth < MAX_PICTURE_DEPTH ? box.parent : undefined;
    }
    if (box === undefined || isInside(blocks[index - 1]?.section, box)) continue;
    const end = Math.min(index + MAX_PICTURE_BLOCKS + 1, blocks.length);
    let next = index;
    while (next < end && isInside(blocks[next]?.section, box)) next += 1;
    const texts = blocks.slice(index, next);
    const units = texts.reduce((total, { block }) => total + block.text.length, 0);
    if (texts.length > MAX_PICTURE_BLOCKS || units > MAX_PICTURE_UNITS || texts.some(isHeadingOrKept)) continue;
    for (let part = index; part < next; part += 1) reasons[part] ??= 'caption';
  }
}

function isHeadingOrKept({ block: { kind }, section }: DraftBlock): boolean {
  return kind === 'heading' || section?.isKept === true;
}

function isInside(section: Section | undefined, box: Section): boolean {
  let outer = section;
  for (let depth = 0; outer !== box && depth < MAX_PICTURE_DEPTH; depth += 1) outer = outer?.parent;
  return outer === box;
}

/** What an element holds: links, labels such as the heading above them, and everything else. */
interface BoxCount {
  /** Links and calls to readers. */
  links: number;
  labels: number;
  /** Sentences that sound like a publisher. */
  weakCalls: number;
  others: number;
}

/** Leaves out elements after the first sentence that hold only links, calls to readers and labels, whatever they are called. */
export function excludeLinkBoxes(
  blocks: readonly DraftBlock[],
  reasons: (LeftOutReason | undefined)[],
  first: number,
): void {
  const counts = new Map<Section, BoxCount>();
  let isAnnounced = false;
  for (const [index, draft] of blocks.entries()) {
    const { kind, text } = draft.block;
    if (kind !== 'list') isAnnounced = text.endsWith(':') && !POINTER_START.test(text) && !isBoxHeading(draft);
    const count = openCount(counts, draft.section);
    if (count === undefined) continue;
    if (index < first || (kind === 'list' && isAnnounced)) count.others += 1;
    else if (isLinkLine(draft) || reasons[index] === 'sign-up box') count.links += 1;
    else if (reasons[index] === undefined) count[findBoxPart(draft)] += 1;
  }
  for (const [section, count] of [...counts].toReversed()) {
    const outer = section.parent && counts.get(section.parent);
    if (outer === undefined) continue;
    outer.links += count.links;
    outer.labels += count.labels;
    outer.weakCalls += count.weakCalls;
    outer.others += count.others;
  }
  const boxes = new Set<Section>();
  for (const [section, { links, labels, weakCalls, others }] of counts) {
    const minBlocks = LISTS.has(section.name) ? 1 : 2;
    const isBox = others === 0 && links > 0 && labels <= links + weakCalls && links + labels + weakCalls >= minBlocks;
    if (isBox || (section.parent !== undefined && boxes.has(section.parent))) boxes.add(section);
  }
  for (const [index, draft] of blocks.entries()) {
    const { section } = draft;
    if (section === undefined) continue;
    if (boxes.has(section) || isLoneHeading(draft, counts)) reasons[index] ??= 'related articles';
  }
}

/** The heading of a box that a script fills, such as "See also". */
function isLoneHeading(draft: DraftBlock, counts: ReadonlyMap<Section, BoxCount>): boolean {
  const { block, section } = draft;
  const box = section?.parent && counts.get(section.parent);
  if (block.kind !== 'heading' || box === undefined || box.links + box.labels + box.weakCalls + box.others > 1)
    return false;
  return BOX_HEADING.exec(block.text)?.[0].length === block.text.replace(/[\s:….]+$/, '').length;
}

const LISTS = new Set(['ul', 'ol', 'li']);

/** Adds the element and those around it, outer ones first. */
function openCount(counts: Map<Section, BoxCount>, section: Section | undefined): BoxCount | undefined {
  const added: Section[] = [];
  for (let outer = section; outer !== undefined && !counts.has(outer); outer = outer.parent) added.push(outer);
  for (const element of added.toReversed()) counts.set(element, { links: 0, labels: 0, weakCalls: 0, others: 0 });
  return section && counts.get(section);
}

/** Points of a sentence that sounds like a publisher only together with others in its box. */
const MIN_WEAK_POINTS = 6;
const MIN_BOX_POINTS = 10;

function findBoxPart(draft: DraftBlock): keyof BoxCount {
  const { block, section } = draft;
  const isCall = block.text.length <= MAX_POINTER_UNITS && !section?.isKept && endsSentence(block.text);
  const points = isCall ? scoreHouseProse(block, false) : 0;
  if (points >= MIN_BOX_POINTS) return 'links';
  if (points >= MIN_WEAK_POINTS) return 'weakCalls';
  return isLabel(draft) ? 'labels' : 'others';
}
