import { createLeftOutBlock, type DraftBlock, type FilteredBlocks, type Section } from './block.ts';
import { endsSentence } from './standing-lines.ts';

const WHOLE_PAGE = /<(?:html|body)[\s>]/i;
/** An element without this share of the sentences of the outer one does not hold the article alone. */
const MIN_MAIN_SHARE = 0.6;
/** Shorter blocks are labels, not sentences. */
const MIN_SENTENCE_UNITS = 60;
/** From this share of links on, an element within the article is a list of links. */
const MAX_LINK_SHARE = 0.7;
/** An element with a name of boilerplate holds the article if it has this share of all sentences. */
const MAX_BOILERPLATE_SHARE = 0.9;
/** The same for names that are also used within articles, or of the page around them: `with-sidebar`. */
const MAX_UNLIKELY_SHARE = 0.5;
const MIN_SIBLING_SHARE = 0.1;
const MAX_SIBLING_LINK_SHARE = 0.1;
const MAX_LINK_LIST_SHARE = 0.3;
const MAX_LABEL_UNITS = 40;
/** Units of a Chinese or Japanese character in Latin ones. */
const IDEOGRAPH_UNITS = 4;
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
/** A notice may be longer than a short article. One paragraph of an article about such cookies counts less. */
const COOKIES = /\bcookies?\b/i;
/** Not about baking. */
const CONSENT =
  /\b(?:(?:we|our|wir|nous|nos|noi|wij|web|sites?|brows\w+)\b|unser|usamos|utili[sz]|onze|naveg|navig|priva|consent|acc?ett?|accept|acept|aceit|akzept|zustimm|einwillig|toestemming|track|partner|persona|dat[aeio]|dados|donnée|gegevens|danych|plik)/i;
/** Elements of one line or paragraph, which the rules of lines judge. */
const LINES = new Set('p li dt dd h1 h2 h3 h4 h5 h6 td th tr blockquote pre caption summary'.split(' '));
/** A cell beside the article may be a menu, while rows below each other are one text in newsletters. */
const CELLS = new Set(['td', 'th']);
/** Elements of one kind beside each other, each with a linked title and a short text, are a list of other articles. */
const MIN_CARDS = 4;
const MAX_CARD_UNITS = 700;
const MIN_TITLE_UNITS = 15;
const MIN_TITLE_SHARE = 0.8;
const MAX_TITLE_DEPTH = 4;
/** Above this share of all sentences they are what the page is about. */
const MAX_CARDS_SHARE = 0.7;
const ROOTS = new Set(['', 'html', 'body', 'article', 'main']);
/** Words in classes and ids of elements that are never the article. */
const BOILERPLATE =
  /comment(?!ar|on|able)|comentario|kommentar(?!iat)|commentaires|disqus|repl(?:y|ies)|related|recommend|recirc|footer|newsletter|subscri|taboola|outbrain|advert|sponsor|promo(?:$|[^a-z]|ted|tion)|breadcrumb|(?:^|[-_ ])(?:share|sharing|social)(?:$|[-_ ])|cookie|consent|gallery|slideshow|carousel|trending|also-like/i;
const SIDEBAR = /sidebar|side-bar/i;
const UNLIKELY =
  /teaser|widget|masthead|(?:^|[-_ ])(?:nav|menu|rail|aside|hud|ads?|meta|tools?)(?:$|[-_ ])|navbar|popular|more-(?:news|stories|from)|read-?(?:more|next)|most-?read|sign-?up|regwall|popup|pop-up|modal|overlay|tooltip|banner|gdpr|pagination|pager|toolbar|controls?(?:$|[-_ ])|(?:^|[-_ ])(?:vjs|jw|jwplayer|yvp)(?:$|[-_ ])|player|caption|credit|author-(?:info|bio|box)|combx|community|skip-link|shop|legends|extra|agegate|supplemental|profile|hidden|noprint|navbox|catlinks|toc(?:$|[-_ ])|mw-jump|sistersite|ambox/i;
const LIKELY =
  /arti[ck](?:le|el)|intro|lead|body|column|content|main|post|story|entry|text|prose|blog|page(?:$|[-_ ])/i;

export function isWholePage(html: string): boolean {
  return WHOLE_PAGE.test(html);
}

/** Units of the text in an element, of links in it, and of sentences outside of links. */
interface Weight {
  units: number;
  linkedUnits: number;
  sentenceUnits: number;
  heaviestChild: Section | undefined;
  isBoilerplate: boolean;
  blocks: number;
  /** Elements between it and its first block, if that is a link. */
  titleDepth: number;
  /** Elements in it with such a link and a text, by name and class. */
  readonly cards: Map<string, Section[]>;
}

/**
 * Leaves out what is not the article of a whole web page. The article is the element with most of the sentences, with elements
 * like it beside it, without elements in it that are mostly links or called otherwise. Links that were excluded before count. Linear in the number of blocks and of the
 * elements around them.
 */
export function removeBoilerplate(blocks: DraftBlock[], excluded: readonly DraftBlock[]): FilteredBlocks {
  const weights = weighSections(blocks, excluded);
  const mains = findMains(weights);
  const inside = new Set<Section>();
  for (const [section, weight] of weights) {
    const isInside = section.parent !== undefined && inside.has(section.parent);
    if (section.isKept || mains.has(section) || (isInside && !weight.isBoilerplate)) inside.add(section);
  }
  const leads = findLeads(blocks, weights, inside);
  const isArticle = (draft: DraftBlock) =>
    draft.section === undefined || leads.has(draft) || (inside.has(draft.section) && !isLabel(draft, draft.section));
  const article = blocks.filter(isArticle);
  if (article.length === 0) return { blocks, leftOut: [] };
  return {
    blocks: article,
    leftOut: blocks
      .filter((draft) => !isArticle(draft))
      .map(({ block }) => createLeftOutBlock(block, 'page furniture')),
  };
}

/** @returns the sentences between the main heading and the article, which many systems place in its header */
function findLeads(
  blocks: readonly DraftBlock[],
  weights: ReadonlyMap<Section, Weight>,
  inside: ReadonlySet<Section>,
): Set<DraftBlock> {
  const start = blocks.findIndex(({ section }) => section !== undefined && inside.has(section));
  const heading = blocks.slice(0, Math.max(start, 0)).findLastIndex(({ section }) => section?.name === 'h1');
  const clean = new Map<Section, boolean>();
  for (const [section, { isBoilerplate }] of weights) {
    clean.set(section, !isBoilerplate && (section.parent === undefined || clean.get(section.parent) !== false));
  }
  const isLead = ({ block: { text }, linkedUnits, section }: DraftBlock) =>
    section !== undefined &&
    clean.get(section) === true &&
    endsSentence(text) &&
    countUnits(text) - linkedUnits >= MIN_SENTENCE_UNITS;
  const leads = heading < 0 ? [] : blocks.slice(heading + 1, start).filter(isLead);
  return new Set(new Map(leads.map((draft) => [draft.block.text, draft])).values());
}

/** @returns the elements with text, an outer one before those in it */
function weighSections(blocks: readonly DraftBlock[], excluded: readonly DraftBlock[]): Map<Section, Weight> {
  const weights = new Map<Section, Weight>();
  let allSentenceUnits = 0;
  for (const draft of blocks) {
    const weight = openWeight(weights, draft.section);
    if (weight === undefined) continue;
    const units = countUnits(draft.block.text);
    const linkedUnits = (draft.linkedUnits / draft.block.text.length) * units;
    weight.units += units;
    weight.linkedUnits += linkedUnits;
    const isTitle = draft.linkedUnits >= Math.max(MIN_TITLE_UNITS, MIN_TITLE_SHARE * draft.block.text.length);
    if (isTitle && weight.blocks === 0) weight.titleDepth = 0;
    weight.blocks += 1;
    if (units - linkedUnits < MIN_SENTENCE_UNITS || !endsSentence(draft.block.text)) continue;
    if (COOKIES.test(draft.block.text) && CONSENT.test(draft.block.text)) continue;
    weight.sentenceUnits += units - linkedUnits;
    allSentenceUnits += units - linkedUnits;
  }
  for (const { block, linkedUnits, section } of excluded) {
    const weight = openWeight(weights, section);
    if (weight === undefined) continue;
    weight.units += block.text.length;
    weight.linkedUnits += linkedUnits;
  }
  for (const [section, weight] of [...weights].toReversed()) {
    const outer = section.parent && weights.get(section.parent);
    removeCards(weight, weights, allSentenceUnits);
    weight.isBoilerplate = isBoilerplate(section, weight, allSentenceUnits);
    if (outer === undefined) continue;
    outer.units += weight.units;
    outer.blocks += weight.blocks;
    outer.linkedUnits += weight.linkedUnits;
    if (weight.isBoilerplate) continue;
    // The first element in it is the last of this loop.
    outer.titleDepth = weight.titleDepth + 1;
    if (weight.titleDepth <= MAX_TITLE_DEPTH && weight.blocks > 1 && weight.units <= MAX_CARD_UNITS) {
      const kind = `${section.name} ${section.className}`;
      outer.cards.set(kind, [...(outer.cards.get(kind) ?? []), section]);
    }
    outer.sentenceUnits += weight.sentenceUnits;
    const heaviest = outer.heaviestChild && weights.get(outer.heaviestChild);
    if (weight.sentenceUnits > (heaviest?.sentenceUnits ?? 0)) outer.heaviestChild = section;
  }
  return weights;
}

function removeCards(weight: Weight, weights: ReadonlyMap<Section, Weight>, allSentenceUnits: number): void {
  for (const cards of weight.cards.values()) {
    const cardWeights = cards.flatMap((card) => weights.get(card) ?? []);
    const sentenceUnits = cardWeights.reduce((total, card) => total + card.sentenceUnits, 0);
    if (cards.length < MIN_CARDS || sentenceUnits > MAX_CARDS_SHARE * allSentenceUnits) continue;
    for (const card of cardWeights) card.isBoilerplate = true;
    weight.sentenceUnits -= sentenceUnits;
    if (weight.heaviestChild && cards.includes(weight.heaviestChild)) weight.heaviestChild = undefined;
  }
}

function openWeight(weights: Map<Section, Weight>, section: Section | undefined): Weight | undefined {
  const isNew: Section[] = [];
  for (let outer = section; outer !== undefined && !weights.has(outer); outer = outer.parent) isNew.push(outer);
  for (const one of isNew.toReversed()) {
    const empty = {
      units: 0,
      blocks: 0,
      linkedUnits: 0,
      sentenceUnits: 0,
      heaviestChild: undefined,
      isBoilerplate: false,
    };
    weights.set(one, { ...empty, titleDepth: Number.POSITIVE_INFINITY, cards: new Map() });
  }
  return section && weights.get(section);
}

function countUnits(text: string): number {
  return text.length + (IDEOGRAPH_UNITS - 1) * (text.match(IDEOGRAPHS)?.length ?? 0);
}

function isBoilerplate({ name, className, id }: Section, weight: Weight, allSentenceUnits: number): boolean {
  const { units, linkedUnits, sentenceUnits } = weight;
  if (ROOTS.has(name)) return false;
  // Long ids are made from headings.
  const names = `${className.slice(0, 300)} ${id.split(/[-_ ]/, 4).length > 3 ? '' : id.slice(0, 100)}`;
  if (BOILERPLATE.test(names) && sentenceUnits < MAX_BOILERPLATE_SHARE * allSentenceUnits) return true;
  const isUnlikely = SIDEBAR.test(names) || (UNLIKELY.test(names) && !LIKELY.test(names));
  if (isUnlikely && sentenceUnits < MAX_UNLIKELY_SHARE * allSentenceUnits) return true;
  const isLinkList = linkedUnits > MAX_LINK_SHARE * units && sentenceUnits < MAX_LINK_LIST_SHARE * allSentenceUnits;
  return !LINES.has(name) && isLinkList && sentenceUnits < linkedUnits;
}

/** Descends while one element holds most of the sentences; adds the elements beside it that are text as well. */
function findMains(weights: ReadonlyMap<Section, Weight>): Set<Section> {
  let main = weights.keys().next().value;
  let weight = main && weights.get(main);
  const path = new Set<Section>(main && [main]);
  while (weight?.heaviestChild !== undefined) {
    const child = weights.get(weight.heaviestChild);
    if (child === undefined || child.sentenceUnits < MIN_MAIN_SHARE * weight.sentenceUnits) break;
    main = weight.heaviestChild;
    weight = child;
    path.add(main);
  }
  const mains = new Set<Section>(main && [main]);
  if (main === undefined || weight === undefined) return mains;
  for (const [section, one] of weights) {
    if (section.parent === undefined || !path.has(section.parent) || path.has(section) || one.isBoilerplate) continue;
    const isAlike =
      section.parent === main.parent && section.name === main.name && section.className === main.className;
    const isLong = one.sentenceUnits >= MIN_SIBLING_SHARE * weight.sentenceUnits;
    const isLine = LINES.has(section.name) && !CELLS.has(section.name) && one.linkedUnits <= MAX_LINK_SHARE * one.units;
    const isText = isLine || (isLong && one.linkedUnits <= MAX_SIBLING_LINK_SHARE * one.units);
    if ((isAlike && one.sentenceUnits > 0) || isText) mains.add(section);
  }
  return mains;
}

/** A few words outside of paragraphs, such as those of buttons: "Full screen", "1 of 24". */
function isLabel({ block: { kind, text } }: DraftBlock, { name, isKept }: Section): boolean {
  if (kind !== 'paragraph' || LINES.has(name) || isKept) return false;
  return countUnits(text) <= MAX_LABEL_UNITS && !endsSentence(text);
}
