import type { Block, DraftBlock, LeftOut, LeftOutReason, Section } from './block.ts';
import { createLeftOutBlock } from './block.ts';
import { endsSentence, findStandingLine, isAboutAuthor, MIN_PROSE_POINTS, scoreHouseProse } from './standing-lines.ts';

const MAX_POINTER_UNITS = 300;
const MAX_POINTER_WORDS = 20;
/** First words of lines that only lead to another article. */
const POINTER_START = new RegExp(
  `^[^\\p{L}]{0,5}(?:${[
    "read (?:more|also|next|on|the full (?:story|article|report))|also read|see also|see more|also see|don[’']t miss|must read",
    'related (?:story|stories|article|articles|coverage|content|reading|video)|related(?=\\s?[:–—|])|recommended(?=\\s?[:–—|])',
    'more on this|more from|more:|more coverage|continue reading|in case you missed it|watch(?: (?:more|now|next|also))?:|listen:|opinion:|explainer:|click here|you (?:may|might) (?:also )?like|(?:next|previous|up next|videos?|gallery|podcast|in pictures)(?=\\s?[:|])',
    'lesen sie (?:auch|mehr|hier|dazu)|(?:mehr|weiteres|weitere artikel) zum thema|mehr dazu|siehe auch|weiterlesen|auch interessant|das könnte sie auch interessieren|zum thema(?=\\s?[:–—|])',
    'lire (?:aussi|également|la suite|plus)|[àa] (?:lire|voir|écouter) (?:aussi|également|sur)|[àa] lire(?=\\s?[:–—|])|voir aussi|voir également|sur le même (?:sujet|thème)|pour aller plus loin|notre (?:dossier|décryptage)(?=\\s?[:–—|])',
    '(?:lee|lea|leer|ver|vea|mira|te puede interesar|le puede interesar|puede leer)(?: también|:| más| además)|(?:también )?(?:te|le) puede interesar|lee también|leer más|más información|sigue leyendo|seguir leyendo|noticias? relacionadas?|en video(?=\\s?[:–—|])',
    'leggi (?:anche|tutto)|vedi anche|(?:lees|bekijk) (?:ook|meer|verder)|(?:czytaj|zobacz|przeczytaj) (?:też|także|również|więcej|dalej)|(?:leia|veja|ver|ler) (?:também|mais)|saiba mais',
  ].join('|')})(?![\\p{L}\\p{N}])[\\s:–—|-]{0,5}`,
  'iu',
);
/** URLs that a content system would have replaced by a player or a post. */
const PLAYER_ADDRESS =
  /^https?:\/\/(?:www\.|m\.|open\.)?(?:youtube\.com|youtu\.be|vimeo\.com|dailymotion\.com|soundcloud\.com|spotify\.com|twitter\.com|x\.com|instagram\.com|facebook\.com|tiktok\.com|bsky\.app)\/\S{1,500}$/i;
/** Headings of boxes with links, share buttons or newsletters. */
const BOX_HEADING = new RegExp(
  `^[^\\p{L}]{0,5}(?:${[
    "more(?=:|$)|featured|(?:table of )?contents|in this (?:article|story)|related|recommended|what to read next|up next|top stories|editor(?:s|[’']s|s[’'])? picks|don[’']t miss|also in|more (?:\\S+ ){0,2}(?:stories|news|articles|from|on|like)|read (?:more|next|also)|see also|you (?:may|might) (?:also|like)|most (?:read|popular|viewed|shared)|(?:places|organi[sz]ations|people|companies)(?: mentioned)? in th(?:e|is) (?:story|article)|popular|trending|topics?|tags|share|comments?|newsletter|sign up",
    'mehr (?:zum|aus|von)|lesen sie auch|das könnte sie|auch interessant|meistgelesen|weitere (?:artikel|meldungen|nachrichten|themen)|zum thema|kommentare|teilen',
    '[àa] (?:lire|voir)|lire aussi|sur le même|dans la même|les plus (?:lus|vus|populaires)|articles? (?:liés?|similaires?)|voir aussi|commentaires|partager',
    '(?:lee|lea|leé|mira|mirá|ve|vea) (?:también|además)|te (?:puede interesar|recomendamos)|más (?:información|noticias|sobre)|lo más (?:leído|visto|popular)|(?:noticias |artículos )?relacionad[ao]s|comentarios|boletín|compart(?:ir|e)',
    'leggi anche|potrebbe interessarti|i più letti|correlati|lees ook|meer (?:over|nieuws)|meest gelezen|czytaj (?:też|także|również)|polecane|najczęściej czytane|leia (?:também|mais)|mais lidas|relacionad[ao]s',
  ].join('|')})(?!\\p{L})`,
  'iu',
);
const MAX_CAPTION_UNITS = 150;
const MAX_BOX_HEADING_UNITS = 60;
/** Systems that write the heading of a box as a paragraph. */
const MAX_BOX_LABEL_WORDS = 4;
/** Share of linked characters from which a line is a link. */
const MIN_LINK_SHARE = 0.8;
const MAX_LABEL_UNITS = 40;
/** Link text that only points. */
const HERE = /^(?:here|hier|ici|aquí|qui|tutaj|aqui)[.!]?$/i;
/** Share of the items of a list from which it is a list of links. */
const MIN_LINKED_ITEMS = 0.75;
/** Units that a block of the article has at least: date and byline stand before the first and after the last one. */
const MIN_SENTENCE_UNITS = 40;

export interface FilteredBlocks {
  readonly blocks: DraftBlock[];
  readonly leftOut: LeftOut[];
}

/**
 * Leaves out lines that are no text of the article: advertisement labels, credits, dates, calls to share or subscribe, links that
 * lead away, URLs of videos, headings of excluded boxes. Keeps everything if nothing would remain.
 * @param beforeLeftOut blocks directly before excluded text, with its reason
 */
export function removeLines(
  blocks: DraftBlock[],
  beforeLeftOut: ReadonlyMap<DraftBlock, LeftOutReason>,
): FilteredBlocks {
  const sentences = blocks.map(({ block }) => isSentence(block));
  const first = sentences.indexOf(true);
  const last = sentences.lastIndexOf(true);
  const countBySection = Map.groupBy(blocks, ({ section }) => section);
  const reasons = blocks.map((draft, index) => {
    if (draft.section?.isKept) return undefined;
    const boxReason = beforeLeftOut.get(draft);
    if (boxReason && isBoxHeading(draft)) return boxReason;
    const isOutside = index < first || index > last;
    if (draft.block.kind !== 'list' && isDateLine(draft.block.text, isOutside)) return 'page furniture';
    const isAlone = draft.section === undefined || countBySection.get(draft.section)?.length === 1;
    return findLineReason(draft) ?? (isAlone && isCaption(draft) ? 'caption' : undefined);
  });
  excludeLinkLines(blocks, reasons);
  excludeLinkBoxes(blocks, reasons, first);
  excludeTeasers(blocks, reasons);
  excludeLinkedLists(blocks, reasons);
  excludeAuthorLines(blocks, reasons);
  excludeBoxHeadings(blocks, reasons);
  if (reasons.every((reason) => reason !== undefined)) return { blocks, leftOut: [] };
  return {
    blocks: blocks.filter((_, index) => reasons[index] === undefined),
    leftOut: blocks.flatMap(({ block }, index) => {
      const reason = reasons[index];
      return reason === undefined ? [] : [createLeftOutBlock(block, reason)];
    }),
  };
}

/** A short line below an image that is no sentence. */
function isCaption({ block: { kind, text }, isBelowImage }: DraftBlock): boolean {
  return isBelowImage && kind === 'paragraph' && text.length <= MAX_CAPTION_UNITS && !endsSentence(text);
}

function isSentence({ kind, text }: Block): boolean {
  return kind !== 'heading' && text.length >= MIN_SENTENCE_UNITS && endsSentence(text);
}

/** "Read also", as the heading of a box or a label. */
export function isBoxHeading({ block: { kind, text } }: DraftBlock): boolean {
  if (text.length > MAX_BOX_HEADING_UNITS || !BOX_HEADING.test(text)) return false;
  if (kind === 'heading') return true;
  return (
    kind === 'paragraph' && !endsSentence(text.replace(/(?:\.{3}|…)$/, '')) && countWords(text) <= MAX_BOX_LABEL_WORDS
  );
}

function countWords(text: string): number {
  return text.split(' ').length;
}

function findLineReason(draft: DraftBlock): LeftOutReason | undefined {
  const { block } = draft;
  if (block.kind !== 'heading' && block.text.length <= MAX_POINTER_UNITS) {
    if (isPointer(draft) || isLabelledLink(draft)) return 'related articles';
    if (PLAYER_ADDRESS.test(block.text)) return 'embedded media';
  }
  const reason = findStandingLine(block);
  return reason ?? (isHouseProse(draft) ? 'sign-up box' : undefined);
}

function isHouseProse({ block, linkedUnits }: DraftBlock): boolean {
  return scoreHouseProse(block, linkedUnits > 0) >= MIN_PROSE_POINTS;
}

/** Everything after the first words is a link, unlike in "Related work is hard". Without a link, a colon shows it. */
function isPointer({ block: { text }, linkedUnits, linkStart }: DraftBlock): boolean {
  // Elements may part the words from the link without a space.
  const words = POINTER_START.exec(linkedUnits > 0 && linkStart > 0 ? `${text.slice(0, linkStart)} ` : text)?.[0];
  if (words === undefined) return false;
  if (linkedUnits > 0) return linkedUnits >= text.replace(BRACKETS, '').length - words.length - 1;
  return words.includes(':') && !endsSentence(text) && countWords(text) <= MAX_POINTER_WORDS;
}

/** "Go deeper: Rents rise again", or "Read the whole report here." with a link on the last word only. */
function isLabelledLink({ block: { kind, text }, linkedUnits, linkStart }: DraftBlock): boolean {
  if (kind !== 'paragraph' || linkedUnits === 0 || linkStart === 0) return false;
  const link = text.slice(linkStart).trim();
  const isAllLink = linkedUnits >= link.length - 1;
  if (isAllLink && HERE.test(link)) return countWords(text) <= MAX_POINTER_WORDS;
  return isAllLink && linkStart <= MAX_LABEL_UNITS && /:\s*$/.test(text.slice(0, linkStart)) && !endsSentence(text);
}

/** "[VIDEO]" after a link. */
const BRACKETS = /\s?\[[^[\]]{1,20}\]\|?/g;

/**
 * Leaves out lines that are one link: a link between paragraphs leads to another article, several in a row are navigation. Kept are
 * items of a list that a colon announces, and headings before text.
 */
function excludeLinkLines(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  let isAnnounced = false;
  const isLink = blocks.map((draft, index) => {
    const { kind, text } = draft.block;
    if (kind !== 'list') isAnnounced = reasons[index] === undefined && text.endsWith(':') && !POINTER_START.test(text);
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

/** What an element holds: links, labels such as the heading above them, and everything else. */
interface BoxCount {
  links: number;
  labels: number;
  others: number;
}

/** Leaves out elements after the first sentence that hold only links and labels, whatever they are called. */
function excludeLinkBoxes(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[], first: number): void {
  const counts = new Map<Section, BoxCount>();
  let isAnnounced = false;
  for (const [index, draft] of blocks.entries()) {
    const { kind, text } = draft.block;
    if (kind !== 'list') isAnnounced = text.endsWith(':') && !POINTER_START.test(text) && !isBoxHeading(draft);
    const count = openCount(counts, draft.section);
    if (count === undefined) continue;
    if (index < first || (kind === 'list' && isAnnounced)) count.others += 1;
    else if (isLinkLine(draft)) count.links += 1;
    else if (reasons[index] === undefined) count[isLabel(draft) ? 'labels' : 'others'] += 1;
  }
  for (const [section, count] of [...counts].toReversed()) {
    const outer = section.parent && counts.get(section.parent);
    if (outer === undefined) continue;
    outer.links += count.links;
    outer.labels += count.labels;
    outer.others += count.others;
  }
  const boxes = new Set<Section>();
  for (const [section, { links, labels, others }] of counts) {
    const minBlocks = LISTS.has(section.name) ? 1 : 2;
    const isBox = others === 0 && links > 0 && labels <= links && links + labels >= minBlocks;
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
  if (block.kind !== 'heading' || box === undefined || box.links + box.labels + box.others > 1) return false;
  return BOX_HEADING.exec(block.text)?.[0].length === block.text.replace(/[\s:….]+$/, '').length;
}

const LISTS = new Set(['ul', 'ol', 'li']);

/** Adds the element and those around it, outer ones first. */
function openCount(counts: Map<Section, BoxCount>, section: Section | undefined): BoxCount | undefined {
  const added: Section[] = [];
  for (let outer = section; outer !== undefined && !counts.has(outer); outer = outer.parent) added.push(outer);
  for (const element of added.toReversed()) counts.set(element, { links: 0, labels: 0, others: 0 });
  return section && counts.get(section);
}

function isLabel({ block: { kind, text }, section }: DraftBlock): boolean {
  if (kind === 'list' || kind === 'quote' || section?.isKept || section?.name === 'h1') return false;
  return text.length <= MAX_BOX_HEADING_UNITS && !endsSentence(text);
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

/** Leaves out what an article says about its author at its end. */
function excludeAuthorLines(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const draft = blocks[index];
    if (reasons[index] !== undefined || draft === undefined) continue;
    if (draft.section?.isKept || draft.block.kind !== 'paragraph' || !isAboutAuthor(draft.block.text)) return;
    reasons[index] = 'page furniture';
  }
}

/** Leaves out a linked title with the text between it and its "Read more", unless the article is made of them. */
function excludeTeasers(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  const teasers = new Set<number>();
  for (const [index, draft] of blocks.entries()) {
    if (!READ_MORE.test(draft.block.text) || !isLinked(draft) || countWords(draft.block.text) > MAX_BOX_LABEL_WORDS)
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

/** "More stories for you" before lines that are links. */
function excludeBoxHeadings(blocks: readonly DraftBlock[], reasons: (LeftOutReason | undefined)[]): void {
  const lastText = reasons.lastIndexOf(undefined);
  for (const [index, draft] of blocks.entries()) {
    const next = reasons[index + 1];
    const isLast = draft.block.kind === 'heading' && index === lastText;
    if (
      (isLast || next === 'navigation' || next === 'related articles') &&
      !draft.section?.isKept &&
      isBoxHeading(draft)
    )
      reasons[index] ??= 'related articles';
  }
}

function isLinkLine(draft: DraftBlock): boolean {
  return isLinked(draft) && !endsSentence(draft.block.text);
}

function isLinked({ block: { kind, text }, linkedUnits, section }: DraftBlock): boolean {
  if (kind === 'quote' || kind === 'title' || section?.isKept) return false;
  return linkedUnits >= MIN_LINK_SHARE * text.replace(COUNT_AFTER, '').length;
}

/** "Courts (12)" */
const COUNT_AFTER = /\s\(\d{1,6}\)$/;

const MONTHS =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]vr?(?:ier)?|mar(?:ch|s|zo)?|märz|mrz|apr(?:il)?|avr(?:il)?|abr(?:il)?|may|mai|mayo|jun(?:e|i|io)?|juin|jul(?:y|i|io)?|juil(?:let)?|aug(?:ust)?|ao[uû]t|ago(?:sto)?|sept?(?:ember|embre|tiembre)?|oct(?:ober|obre|ubre)?|okt(?:ober)?|nov(?:ember|embre|iembre)?|de[czs](?:ember|iembre)?|déc(?:embre)?|ene(?:ro)?|febrero';
const DAYS =
  'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mo|di|mi|do|fr|sa|so|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo';
const MARKERS =
  '(?:last |first |originally )?(?:published|updated|posted|submitted|modified|created|edited|reviewed|added|date)|(?:zuletzt )?(?:aktualisiert|veröffentlicht|geändert|erstellt|stand)|(?:publiée?|mise? à jour|modifiée?|créée?|posté)|(?:publicado|actualizado|actualización|modificado|creado)(?: el)?|\\d{1,3} ?min(?:ute)?s? read|read';
const OTHER_WORDS =
  "a\\.?m\\.?|p\\.?m\\.?|[a-z]{1,3}t|b?st|cest|cet|mez|mesz|utc|gmt|(?:local )?time|uhr|h|hrs?|at|on|um|den|der|vom|am|le|la|las|les|à|a|de|del|el|and|und|et|y|um|st|nd|rd|th|º|o'clock";
const NUMBER = '\\d{1,4}(?:st|nd|rd|th|er|º)?|\\d{1,2}h(?:\\d{2})?|\\d{1,2}(?:am|pm)';
const CLOCK = /\d{1,2}[:.h]\d{2}|\d ?[ap]\.?m\b/i;
const YEAR = /(?<!\d)(?:1[89]|20)\d\d(?!\d)|(?<!\d)\d{1,2}[/.]\d{1,2}[/.]\d{2}(?!\d)/;
const SIGNS = '\\s,.;:|•·–—/()+\\-';

const TOKEN = `(?:${[MONTHS, DAYS, MARKERS, OTHER_WORDS, NUMBER].join('|')})`;
/** One by one: an expression for the whole line would try each way to divide "a.m. a.m. a.m." */
const DATE_WORD = new RegExp(`(?<![^${SIGNS}])${TOKEN}(?![^${SIGNS}])`, 'giu');
const ONLY_SIGNS = new RegExp(`^[${SIGNS}]*$`, 'u');
const MARKER = new RegExp(`(?<!\\p{L})(?:${MARKERS})(?!\\p{L})`, 'iu');
const MONTH_OR_DAY = new RegExp(`(?<!\\p{L})(?:${MONTHS}|${DAYS})(?!\\p{L})`, 'iu');
/** "By Jo Roe |" before a date. */
const BYLINE =
  /^(?:(?:submitted|posted|published|written) )?(?:by|von|par|por) [^\d.,;:!?]{2,60}?(?=[,|•·–—(/-]|\s?\d|\s(?:published|updated|posted|on|am|le|el)\s)/iu;
/** "Posted on November 20, 2025 by Jo Roe". */
const BYLINE_AFTER = /(?<=\d.{0,40})\s(?:by|von|par|por) [^\d.,;:!?]{2,60}$/iu;
const AGO =
  /^(?:(?:published|updated|posted)[\s:]{0,3})?(?:\d{1,3} ?(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?|years?|[mhdw]) ago|vor \d{1,3} (?:minuten?|stunden?|tagen?|wochen?)|il y a \d{1,3} (?:minutes?|heures?|jours?)|hace \d{1,3} (?:minutos?|horas?|días?))$/i;
const MAX_DATE_UNITS = 160;

/** A line that only says when, and perhaps by whom, an article was published: "By Jo Roe | Nov. 20, 2025, 4:15 p.m. ET". */
function isDateLine(line: string, isOutside: boolean): boolean {
  if (line.length > MAX_DATE_UNITS || !/\d/.test(line)) return false;
  if (AGO.test(line)) return isOutside;
  const date = line.replace(BYLINE, '').replace(BYLINE_AFTER, '');
  if (!ONLY_SIGNS.test(date.replace(DATE_WORD, ''))) return false;
  if (!isOutside) return YEAR.test(date) && MARKER.test(date);
  const isDay = YEAR.test(date) && (MONTH_OR_DAY.test(date) || /\d[/.-]\d/.test(date));
  return isDay || (CLOCK.test(date) && MONTH_OR_DAY.test(date)) || MARKER.test(date);
}
