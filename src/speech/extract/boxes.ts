import type { DraftBlock, LeftOutReason, Section } from './block.ts';
import { announcesList, BOX_HEADING, isBoxHeading, isLabel, isLinkLine, MAX_POINTER_UNITS } from './line-kinds.ts';
import { endsSentence, MIN_WEAK_POINTS, scoreHouseProse, startsWithCall } from './standing-lines.ts';

const PICTURE = /ima?ge?(?![a-z])|pictur|photo|foto|bild|figur|caption|l[eé]gend|thumb/i;
const MAX_PICTURE_BLOCKS = 3;
const MAX_PICTURE_UNITS = 400;
const MAX_PICTURE_DEPTH = 5;
const MAX_UNNAMED_BOX_DEPTH = 2;

/**
 * Leaves out all text of a box with an image that holds few words: a caption of sentences, and its source, in one that is named after the
 * image; in others what is no sentence.
 */
export function excludePictureTexts(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  for (const [index, { imageSection, section }] of blocks.entries()) {
    const box = imageSection && section && findPictureBox(section, imageSection);
    if (box === undefined || isInside(blocks[index - 1]?.section, box)) continue;
    const end = Math.min(index + MAX_PICTURE_BLOCKS + 1, blocks.length);
    let next = index;
    while (next < end && isInside(blocks[next]?.section, box)) next += 1;
    const texts = blocks.slice(index, next);
    if (!isPicture(box) && texts.some(({ block }) => endsSentence(block.text))) continue;
    const units = texts.reduce((total, { block }) => total + block.text.length, 0);
    if (
      texts.length > MAX_PICTURE_BLOCKS ||
      units > MAX_PICTURE_UNITS ||
      texts.some(isHeadingOrKept) ||
      isTitled(texts) ||
      texts.some(({ block }) => block.kind === 'quote')
    )
      continue;
    for (let part = index; part < next; part += 1) reasons[part] ??= 'caption';
  }
}

/** @returns the nearest element with text and image that is named after the image, or else one close to the text */
function findPictureBox(text: Section, image: Section): Section | undefined {
  let unnamed: Section | undefined;
  let box: Section | undefined = text;
  for (let depth = 0; box !== undefined && depth <= MAX_PICTURE_DEPTH; depth += 1) {
    if (isInside(image, box)) {
      if (isPicture(box)) return box;
      if (depth > 0 && depth <= MAX_UNNAMED_BOX_DEPTH) unnamed ??= box;
    }
    box = box.parent;
  }
  return unnamed;
}

function isPicture({ name, className }: Section): boolean {
  return name === 'figure' || PICTURE.test(className);
}

/** A title above a sentence is no caption. */
function isTitled([first, ...others]: readonly DraftBlock[]): boolean {
  return first !== undefined && !endsSentence(first.block.text) && others.some(({ block }) => endsSentence(block.text));
}

function isHeadingOrKept({ block: { kind }, section }: DraftBlock): boolean {
  return kind === 'heading' || section?.isKept === true;
}

function isInside(section: Section | undefined, box: Section): boolean {
  let outer = section;
  for (let depth = 0; outer !== box && depth < MAX_PICTURE_DEPTH; depth += 1) outer = outer?.parent;
  return outer === box;
}

/** What an element holds. */
interface BoxCount {
  /** Links and calls to readers. */
  links: number;
  /** Links that call: "Sign up". */
  buttons: number;
  labels: number;
  /** Sentences that sound like a publisher. */
  weakCalls: number;
  /** Other short paragraphs. */
  texts: number;
  others: number;
  blocks: number;
  units: number;
}

const emptyBox: BoxCount = { links: 0, buttons: 0, labels: 0, weakCalls: 0, texts: 0, others: 0, blocks: 0, units: 0 };
const boxParts = Object.keys(emptyBox) as (keyof BoxCount)[];

/**
 * Leaves out elements after the first sentence, whatever they are called, that hold only links, calls to readers and labels; a label,
 * a short text and a button; or a heading above links with a short text each.
 */
export function excludeLinkBoxes(
  blocks: readonly DraftBlock[],
  reasons: (LeftOutReason | undefined)[],
  first: number,
): void {
  const counts = new Map<Section, BoxCount>();
  /** Elements that begin with a label, and whether it is the heading of a box. */
  const headed = new Map<Section, boolean>();
  let isAnnounced = false;
  for (const [index, draft] of blocks.entries()) {
    const { kind, text } = draft.block;
    if (kind !== 'list') isAnnounced = announcesList(draft);
    const known = counts.size;
    const count = openCount(counts, draft.section);
    if (count === undefined) continue;
    if (counts.size > known && isLabel(draft) && !isLinkLine(draft)) addOpened(headed, draft, counts);
    const isHeldBack = index < first || (kind === 'list' && isAnnounced);
    const part = isHeldBack ? 'others' : findBoxPart(draft, reasons[index]);
    if (part === undefined) continue;
    count[part] += 1;
    count.blocks += 1;
    count.units += text.length;
    if (part === 'links' && startsWithCall(text)) count.buttons += 1;
  }
  const all = { ...emptyBox };
  for (const [section, count] of [...counts].toReversed()) {
    const outer = (section.parent && counts.get(section.parent)) ?? all;
    for (const part of boxParts) outer[part] += count[part];
  }
  const boxes = new Set<Section>();
  for (const [section, count] of counts) {
    if (isArticle(count, all)) continue;
    const isBox =
      isLinkBox(section, count, headed.get(section)) ||
      (count.units <= (headed.get(section) ? MAX_HEADED_BOX_SHARE : MAX_TEXT_BOX_SHARE) * all.units &&
        isTextBox(count, headed.get(section)));
    if (isBox || (section.parent !== undefined && boxes.has(section.parent))) boxes.add(section);
  }
  for (const [index, draft] of blocks.entries()) {
    const { section } = draft;
    if (section === undefined) continue;
    if (boxes.has(section) || isLoneHeading(draft, counts)) reasons[index] ??= 'related articles';
  }
}

/** It holds everything, or all sentences. */
function isArticle(count: BoxCount, all: BoxCount): boolean {
  const sentences = count.texts + count.others;
  return count.units === all.units || (sentences > 0 && sentences === all.texts + all.others);
}

function isLinkBox(
  { name }: Section,
  { links, labels, weakCalls, texts, others, blocks }: BoxCount,
  isBoxHeaded: boolean | undefined,
): boolean {
  const minBlocks = LISTS.has(name) ? 1 : 2;
  return (
    others + texts === 0 && links > 0 && labels <= links + weakCalls + (isBoxHeaded ? 1 : 0) && blocks >= minBlocks
  );
}

const MAX_TEXT_BOX_SHARE = 0.5;
/** Below a heading such as "You might also like". */
const MAX_HEADED_BOX_SHARE = 0.9;
const MAX_BOX_TEXT_UNITS = 160;
const MAX_BUTTON_BOX_BLOCKS = 5;

/** A label, a short text and a button, or a heading above links with a short text each. */
function isTextBox(
  { links, buttons, labels, texts, others, blocks }: BoxCount,
  isBoxHeaded: boolean | undefined,
): boolean {
  if (others > 0 || texts === 0 || isBoxHeaded === undefined) return false;
  if (buttons > 0) return blocks <= MAX_BUTTON_BOX_BLOCKS;
  return texts <= links && (isBoxHeaded ? labels <= links + 1 : links > 1 && labels <= links);
}

/** Adds the elements that begin with this label. */
function addOpened(headed: Map<Section, boolean>, label: DraftBlock, counts: ReadonlyMap<Section, BoxCount>): void {
  let outer = label.section;
  for (; outer !== undefined && counts.get(outer)?.blocks === 0; outer = outer.parent)
    headed.set(outer, isBoxHeading(label));
}

/** The heading of a box that a script fills, such as "See also". */
function isLoneHeading(draft: DraftBlock, counts: ReadonlyMap<Section, BoxCount>): boolean {
  const { block, section } = draft;
  const box = section?.parent && counts.get(section.parent);
  if (block.kind !== 'heading' || box === undefined || box.blocks > 1) return false;
  return BOX_HEADING.exec(block.text)?.[0].length === block.text.replace(/[\s:….]+$/, '').length;
}

const LISTS = new Set(['ul', 'ol', 'li']);

/** Adds the element and those around it, outer ones first. */
function openCount(counts: Map<Section, BoxCount>, section: Section | undefined): BoxCount | undefined {
  const added: Section[] = [];
  for (let outer = section; outer !== undefined && !counts.has(outer); outer = outer.parent) added.push(outer);
  for (const element of added.toReversed()) {
    counts.set(element, { ...emptyBox });
  }
  return section && counts.get(section);
}

const MIN_BOX_POINTS = 10;

/** @returns undefined for what other rules leave out */
function findBoxPart(draft: DraftBlock, reason: LeftOutReason | undefined): keyof BoxCount | undefined {
  const { block, section, linkedUnits } = draft;
  if (isLinkLine(draft) || reason === 'sign-up box') return 'links';
  if (reason !== undefined) return undefined;
  const isSentence = block.text.length <= MAX_POINTER_UNITS && !section?.isKept && endsSentence(block.text);
  const points = isSentence ? scoreHouseProse(block, false, { isInBox: true }) : 0;
  if (points >= MIN_BOX_POINTS) return 'links';
  if (points >= MIN_WEAK_POINTS) return 'weakCalls';
  if (isLabel(draft)) return 'labels';
  const isParagraph = block.kind === 'paragraph' || section?.name === 'p';
  return isSentence && linkedUnits === 0 && isParagraph && block.text.length <= MAX_BOX_TEXT_UNITS ? 'texts' : 'others';
}
